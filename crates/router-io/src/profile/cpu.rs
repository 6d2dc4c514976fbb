//! Where the router spends its time.
//!
//! A hundred times per second of computing, the kernel interrupts a thread, and its stack is noted. The crate
//! `pprof` does that; here its samples are written.

use std::path::PathBuf;
use std::time::Duration;

use pprof::{ProfilerGuard, ProfilerGuardBuilder, Report, Symbol};
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use super::encode::{Frame, Profile, Sample, encode};
use super::{ProfileError, keep_written};

/// Samples per second of computing.
const FREQUENCY: i32 = 100;

/// How often the file is written: the profile so far survives a router that is killed.
const INTERVAL: Duration = Duration::from_mins(1);

/// No function of the sampler is deeper.
const SAMPLER_DEPTH: usize = 6;

/// Libraries in which a stack cannot be walked safely while they are interrupted.
const BLOCKED: [&str; 4] = ["libc", "libgcc", "pthread", "vdso"];

/// Takes a profile from now until `stop` is cancelled, and writes it to a file every minute and at the end.
pub(crate) fn start(
    path: PathBuf,
    tasks: &TaskTracker,
    stop: CancellationToken,
) -> Result<(), ProfileError> {
    let builder = ProfilerGuardBuilder::default();
    let profiler = builder.frequency(FREQUENCY).blocklist(&BLOCKED).build()?;
    keep_written(path, INTERVAL, move || take(&profiler), tasks, stop);
    Ok(())
}

fn take(profiler: &ProfilerGuard<'_>) -> Result<Vec<u8>, ProfileError> {
    let report = profiler.report().build()?;
    encode(&profile_of(&report)).map_err(ProfileError::Compressing)
}

fn profile_of(report: &Report) -> Profile {
    let frequency = u64::try_from(report.timing.frequency).unwrap_or(1).max(1);
    let period = 1_000_000_000 / frequency;
    let samples = report.data.iter().map(|(stack, count)| {
        let count = u64::try_from(*count).unwrap_or(0);
        let symbols: Vec<_> = stack.frames.iter().flatten().collect();
        let interrupted = count_sampler(&symbols);
        Sample {
            stack: symbols.into_iter().skip(interrupted).map(frame).collect(),
            values: [count, count.saturating_mul(period)],
        }
    });
    Profile {
        measures: [("samples", "count"), ("cpu", "nanoseconds")],
        period,
        samples: samples.collect(),
        time: report.timing.start_time,
        duration: Some(report.timing.duration),
    }
}

fn frame(symbol: &Symbol) -> Frame {
    Frame {
        function: symbol.name(),
        file: symbol.filename().into_owned(),
        line: symbol.lineno(),
    }
}

/// How many of the first functions are those of the sampler itself.
fn count_sampler(symbols: &[&Symbol]) -> usize {
    let mut first = symbols.iter().take(SAMPLER_DEPTH);
    let last = first.rposition(|symbol| symbol.name().ends_with("::trace"));
    last.map_or(0, |at| at + 1)
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::io::Read as _;
    use std::time::Instant;

    use flate2::read::GzDecoder;

    use super::*;

    #[inline(never)]
    fn spend_time() -> u64 {
        let start = Instant::now();
        let mut sum = 0_u64;
        while start.elapsed() < Duration::from_millis(500) {
            sum = std::hint::black_box(sum.wrapping_mul(31).wrapping_add(7));
        }
        sum
    }

    #[tokio::test]
    async fn profile_names_what_takes_time() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("router.cpu");
        let (tasks, stop) = (TaskTracker::new(), CancellationToken::new());
        start(path.clone(), &tasks, stop.clone()).unwrap();
        std::hint::black_box(spend_time());
        stop.cancel();
        tasks.close();
        tasks.wait().await;
        let mut profile = Vec::new();
        let file = fs::File::open(&path).unwrap();
        GzDecoder::new(file).read_to_end(&mut profile).unwrap();
        let text = String::from_utf8_lossy(&profile);
        assert!(text.contains("nanoseconds"), "{text}");
        assert!(text.contains("spend_time"), "{text}");
    }
}
