//! What a slice of time cost the controller, and what honest clients got in it.

use super::journal::{Journal, Operation, Records};
use super::log::Log;
use crate::testbed::process::Process;
use crate::testbed::statistics::{mebibytes, milliseconds, percentile};
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;
use tokio::time::{Instant, sleep};

/// When a slice is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Phase {
    Before,
    Siege,
    After,
}

impl Phase {
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Before => "before",
            Self::Siege => "siege",
            Self::After => "after",
        }
    }
}

/// One slice of time. What can be measured at an instant is that of its end.
#[derive(Debug, Clone)]
pub(super) struct Slice {
    pub(super) phase: Phase,
    /// Time since the first slice began.
    pub(super) end: Duration,
    pub(super) length: Duration,
    pub(super) resident: u64,
    /// The most memory that was resident within it.
    pub(super) peak: u64,
    pub(super) descriptors: u64,
    pub(super) threads: u64,
    /// Bytes of everything in the home.
    pub(super) store: u64,
    /// Bytes that were logged within it.
    pub(super) logged: u64,
    pub(super) records: Records,
}

impl Slice {
    /// All of it in a line.
    pub(super) fn line(&self) -> String {
        let mut line = format!(
            "{:>5} s {:<6} {:>4.0} MiB, {} descriptors, {} threads;",
            self.end.as_secs(),
            self.phase.name(),
            mebibytes(self.peak),
            self.descriptors,
            self.threads,
        );
        for (operation, record) in Operation::ALL.into_iter().zip(&self.records) {
            let p99 = milliseconds(percentile(&record.times, 99));
            let (name, missed) = (operation.name(), record.refused + record.failed);
            // Writing to a string cannot fail.
            let _ = write!(
                line,
                " {name} {p99:.0} ms ({missed}/{})",
                record.times.len()
            );
        }
        line
    }
}

/// Watches one controller.
pub(super) struct Sampler {
    process: Process,
    home: PathBuf,
    log: Log,
    journal: Arc<Journal>,
    begin: Instant,
}

impl Sampler {
    pub(super) fn new(process: Process, home: &Path, log: &Log, journal: &Arc<Journal>) -> Self {
        Self {
            process,
            home: home.to_owned(),
            log: log.clone(),
            journal: Arc::clone(journal),
            begin: Instant::now(),
        }
    }

    /// Forgets what honest clients got so far.
    pub(super) fn discard(&self) {
        self.journal.take();
    }

    /// Watches for so long.
    pub(super) async fn watch(&self, phase: Phase, length: Duration) -> anyhow::Result<Slice> {
        self.process.forget_peak()?;
        let logged = self.log.bytes();
        sleep(length).await;
        Ok(Slice {
            phase,
            end: self.begin.elapsed(),
            length,
            resident: self.process.resident()?,
            peak: self.process.peak()?,
            descriptors: self.process.descriptors()?,
            threads: self.process.threads()?,
            store: size(&self.home),
            logged: self.log.bytes() - logged,
            records: self.journal.take(),
        })
    }
}

/// Bytes of all files in a folder. What goes away meanwhile counts nothing.
fn size(folder: &Path) -> u64 {
    let Ok(entries) = fs::read_dir(folder) else {
        return 0;
    };
    let sizes = entries.flatten().map(|entry| match entry.metadata() {
        Ok(metadata) if metadata.is_dir() => size(&entry.path()),
        Ok(metadata) => metadata.len(),
        Err(_) => 0,
    });
    sizes.sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn size_counts_what_lies_below() {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir(folder.path().join("below")).unwrap();
        fs::write(folder.path().join("one"), [0; 3]).unwrap();
        fs::write(folder.path().join("below/two"), [0; 4]).unwrap();
        assert_eq!(size(folder.path()), 7);
        assert_eq!(size(&folder.path().join("nowhere")), 0);
    }
}
