//! What a process did, and the processor time that it took.

use super::load::Tally;
use crate::testbed::process::Process;
use std::ops::AddAssign;
use std::time::Duration;

/// What was done, and the processor time that a server took for it.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Work {
    tally: Tally,
    processor_time: Duration,
}

impl Work {
    /// How often per second.
    pub(super) fn rate(&self) -> f64 {
        self.tally.rate()
    }

    /// What the process itself took for each.
    #[expect(
        clippy::cast_precision_loss,
        reason = "counts lie far below the 2^52 that a float holds"
    )]
    pub(super) fn processor_milliseconds(&self) -> f64 {
        self.processor_time.as_secs_f64() * 1e3 / self.tally.done.max(1) as f64
    }

    /// How often per second of the process's own time. Other programs hardly disturb it.
    pub(super) fn processor_rate(&self) -> f64 {
        self.tally.per(self.processor_time)
    }
}

impl AddAssign for Work {
    fn add_assign(&mut self, other: Self) {
        self.tally += other.tally;
        self.processor_time += other.processor_time;
    }
}

/// Measures what this process takes for work of its own.
pub(super) fn own_work(work: impl FnOnce() -> anyhow::Result<Tally>) -> anyhow::Result<Work> {
    let before = Process::own().processor_time()?;
    let tally = work()?;
    Ok(Work {
        tally,
        processor_time: Process::own().processor_time()?.saturating_sub(before),
    })
}

/// Measures what `server` takes for a load.
pub(super) async fn work(
    server: Process,
    load: impl Future<Output = anyhow::Result<Tally>>,
) -> anyhow::Result<Work> {
    let before = server.processor_time()?;
    let tally = load.await?;
    Ok(Work {
        tally,
        processor_time: server.processor_time()?.saturating_sub(before),
    })
}
