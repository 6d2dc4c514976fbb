//! Reading the machine beside other work.

use super::Machine;
use crate::posture_subject::Subject;
use portcullis_domain::posture::Report;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::Duration;
use tokio::task::{self, JoinHandle};
use tokio::time;

/// Time for a reading: files may be large, or on file systems that do not answer.
const TIMEOUT: Duration = Duration::from_secs(5);

/// Reads the machine in a thread. There is one at a time, also if it does not end.
#[derive(Debug, Default)]
pub(crate) struct MachineReader {
    machine: Arc<Machine>,
    running: Option<JoinHandle<BTreeMap<Subject, Report>>>,
}

impl MachineReader {
    /// Finds out about these subjects; `None` if that takes too long.
    pub(crate) async fn read(
        &mut self,
        subjects: BTreeSet<Subject>,
    ) -> Option<BTreeMap<Subject, Report>> {
        time::timeout(TIMEOUT, self.finish(subjects)).await.ok()?
    }

    async fn finish(&mut self, subjects: BTreeSet<Subject>) -> Option<BTreeMap<Subject, Report>> {
        if let Some(earlier) = &mut self.running {
            // It was for other subjects. What it has hashed is known now.
            drop(earlier.await);
        }
        let machine = Arc::clone(&self.machine);
        let reading = task::spawn_blocking(move || machine.read(subjects));
        let found = self.running.insert(reading).await.ok();
        self.running = None;
        found
    }
}
