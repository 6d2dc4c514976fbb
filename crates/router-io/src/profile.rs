//! The section `profile`: where the router spends its time, for `go tool pprof` and others that read its format.
//!
//! A hundred times per second of computing, the kernel interrupts a thread, and its stack is noted. The crate
//! `pprof` does that; here its samples are written.

mod encode;

use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::Duration;

use portcullis_files::{FileError, SECRET_MODE};
use pprof::{ProfilerGuard, ProfilerGuardBuilder};
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use crate::with_causes::with_causes;

/// Samples per second of computing.
const FREQUENCY: i32 = 100;

/// How often the file is written: the profile so far survives a router that is killed.
const INTERVAL: Duration = Duration::from_mins(1);

/// The file may tell what the router is used for.
const MODE: u32 = SECRET_MODE;

/// Libraries in which a stack cannot be walked safely while they are interrupted.
const BLOCKED: [&str; 4] = ["libc", "libgcc", "pthread", "vdso"];

/// A profile cannot be taken or written.
#[derive(Debug, thiserror::Error)]
pub enum ProfileError {
    #[error("the profile of the processor cannot be taken")]
    Sampling(#[from] pprof::Error),
    #[error("the profile of the processor cannot be written")]
    Writing(#[from] FileError),
    #[error("the profile of the processor cannot be compressed")]
    Compressing(#[from] std::io::Error),
}

/// Takes a profile from now until `stop` is cancelled, and writes it to a file every minute and at the end. The
/// file is replaced, and always complete.
pub(crate) fn start(
    path: PathBuf,
    tasks: &TaskTracker,
    stop: CancellationToken,
) -> Result<(), ProfileError> {
    let builder = ProfilerGuardBuilder::default();
    let profiler = builder.frequency(FREQUENCY).blocklist(&BLOCKED).build()?;
    let (running, stopped) = channel::<()>();
    tasks.spawn(async move {
        stop.cancelled().await;
        drop(running);
    });
    tasks.spawn_blocking(move || write_until(&path, &profiler, &stopped));
    Ok(())
}

fn write_until(path: &Path, profiler: &ProfilerGuard<'_>, stopped: &Receiver<()>) {
    loop {
        let waited = stopped.recv_timeout(INTERVAL);
        if let Err(error) = write(path, profiler) {
            let error = with_causes(&error);
            tracing::warn!(error, path = %path.display(), "no profile is written");
        }
        if waited != Err(RecvTimeoutError::Timeout) {
            return;
        }
    }
}

fn write(path: &Path, profiler: &ProfilerGuard<'_>) -> Result<(), ProfileError> {
    let report = profiler.report().build()?;
    let encoded = encode::encode(&report)?;
    portcullis_files::replace(path, &encoded, MODE)?;
    Ok(())
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
