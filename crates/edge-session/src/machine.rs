//! The machine, as posture queries ask for it.

mod hashes;
mod network_interfaces;
mod operating_system;
mod reader;
mod running;

pub(crate) use reader::MachineReader;

use crate::posture_subject::Subject;
use hashes::HashCache;
use parking_lot::Mutex;
use portcullis_domain::posture::{ProcessInfo, Report};
use std::collections::{BTreeMap, BTreeSet};

/// Reads the machine. What is slow to find is kept as long as it stays the same.
#[derive(Debug, Default)]
struct Machine {
    hashes: Mutex<HashCache>,
}

impl Machine {
    /// Finds out about these subjects. Blocks.
    fn read(&self, subjects: BTreeSet<Subject>) -> BTreeMap<Subject, Report> {
        let is_process = |subject: &Subject| matches!(subject, Subject::Process(_));
        let running = if subjects.iter().any(is_process) {
            running::executables()
        } else {
            BTreeSet::new()
        };
        let mut hashes = self.hashes.lock();
        hashes.retain(&subjects);
        let found = subjects.into_iter().map(|subject| {
            let report = match &subject {
                Subject::OperatingSystem => Report::Os(operating_system::read()),
                // Machines that are not Windows are in none.
                Subject::Domain => Report::Domain(String::new()),
                Subject::MacAddresses => Report::Mac(network_interfaces::addresses()),
                Subject::Process(path) => Report::Process {
                    path: path.clone(),
                    process: ProcessInfo {
                        is_running: running.contains(path.as_str()),
                        hash: hashes.of_file(path).unwrap_or_default(),
                        signers: BTreeSet::new(),
                    },
                },
            };
            (subject, report)
        });
        found.collect()
    }
}

#[cfg(test)]
mod tests;
