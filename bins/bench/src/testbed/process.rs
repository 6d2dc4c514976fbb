//! What a process has used, as the kernel tells it.

use anyhow::Context as _;
use std::fs;
use std::time::{Duration, Instant};
use tokio::time::sleep;

/// Length of the ticks in which the kernel tells processor time: `USER_HZ` is 100 on every
/// platform that Linux runs on today (proc(5), time(7)).
const TICK: Duration = Duration::from_millis(10);

/// The longest that a process is waited for.
const PATIENCE: Duration = Duration::from_secs(30);

/// A process by its number.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Process(pub(crate) u32);

impl Process {
    /// This process.
    pub(crate) fn own() -> Self {
        Self(std::process::id())
    }

    /// Its resident memory in bytes.
    pub(crate) fn resident(self) -> anyhow::Result<u64> {
        self.memory("VmRSS:")
    }

    /// The most that was resident since the last [`forget_peak`](Self::forget_peak), in bytes.
    pub(crate) fn peak(self) -> anyhow::Result<u64> {
        self.memory("VmHWM:")
    }

    /// How many threads it has.
    pub(crate) fn threads(self) -> anyhow::Result<u64> {
        let path = format!("/proc/{}/status", self.0);
        let status = fs::read_to_string(&path).with_context(|| format!("{path} is needed"))?;
        threads(&status).with_context(|| format!("{path} tells no threads"))
    }

    /// How many descriptors it has open.
    pub(crate) fn descriptors(self) -> anyhow::Result<u64> {
        let path = format!("/proc/{}/fd", self.0);
        let entries = fs::read_dir(&path).with_context(|| format!("{path} is needed"))?;
        Ok(u64::try_from(entries.count())?)
    }

    /// Has the kernel look for the peak anew.
    pub(crate) fn forget_peak(self) -> anyhow::Result<()> {
        let path = format!("/proc/{}/clear_refs", self.0);
        fs::write(&path, "5").with_context(|| format!("{path} is needed"))
    }

    fn memory(self, field: &str) -> anyhow::Result<u64> {
        let path = format!("/proc/{}/status", self.0);
        let status = fs::read_to_string(&path).with_context(|| format!("{path} is needed"))?;
        memory(&status, field).with_context(|| format!("{path} tells no {field}"))
    }

    /// Waits until it does nothing: some work goes on behind the first answers. Some programs always do
    /// something, and are not waited for for ever.
    pub(crate) async fn calm(self) -> anyhow::Result<()> {
        let mut used = self.processor_time()?;
        let begin = Instant::now();
        while begin.elapsed() < PATIENCE {
            sleep(TICK * 100).await;
            let before = std::mem::replace(&mut used, self.processor_time()?);
            if used <= before + TICK * 5 {
                break;
            }
        }
        Ok(())
    }

    /// The processor time that it has used so far, in its own code and in the kernel's.
    pub(crate) fn processor_time(self) -> anyhow::Result<Duration> {
        let path = format!("/proc/{}/stat", self.0);
        let stat = fs::read_to_string(&path).with_context(|| format!("{path} is needed"))?;
        let ticks = ticks(&stat).with_context(|| format!("{path} tells no times"))?;
        Ok(TICK * ticks)
    }
}

fn memory(status: &str, field: &str) -> Option<u64> {
    let line = status.lines().find_map(|line| line.strip_prefix(field))?;
    let kib: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(kib * 1024)
}

fn threads(status: &str) -> Option<u64> {
    let count = status
        .lines()
        .find_map(|line| line.strip_prefix("Threads:"))?;
    count.trim().parse().ok()
}

/// Fields 14 and 15; the second, the name of the program, may hold spaces and parentheses.
fn ticks(stat: &str) -> Option<u32> {
    let (_, fields) = stat.rsplit_once(')')?;
    let mut fields = fields.split_whitespace().skip(11);
    let user: u32 = fields.next()?.parse().ok()?;
    let system: u32 = fields.next()?.parse().ok()?;
    Some(user + system)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn memory_is_read() {
        let status = "Name:\tx\nVmHWM:\t   200 kB\nVmRSS:\t   123 kB\nThreads:\t1\n";
        assert_eq!(memory(status, "VmRSS:"), Some(123 * 1024));
        assert_eq!(memory(status, "VmHWM:"), Some(200 * 1024));
        assert_eq!(memory("Name:\tx\n", "VmRSS:"), None);
        assert_eq!(threads(status), Some(1));
    }

    #[test]
    fn times_are_found_behind_any_name() {
        let stat = "7 (a ) b) S 1 7 7 0 -1 4194560 900 0 0 0 31 11 0 0 20 0 1 0 5 6 7";
        assert_eq!(ticks(stat), Some(42));
        assert_eq!(ticks("7 (a"), None);
    }
}
