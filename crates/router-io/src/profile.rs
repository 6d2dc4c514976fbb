//! The section `profile`: where the router spends its time and its memory, for `go tool pprof` and others that read
//! its format.

pub(crate) mod cpu;
mod encode;
mod heap_dump;
pub(crate) mod memory;

use std::error::Error;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::Duration;

use portcullis_files::{FileError, SECRET_MODE};
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use portcullis_domain::error_sources::with_sources;

pub use memory::MemoryProfiler;

/// The file may tell what the router is used for.
const MODE: u32 = SECRET_MODE;

/// A profile cannot be taken or written.
#[derive(Debug, thiserror::Error)]
pub enum ProfileError {
    #[error("the profile of the processor cannot be taken")]
    Sampling(#[from] pprof::Error),
    #[error("the profile cannot be compressed")]
    Compressing(#[source] io::Error),
    #[error("the profile of the memory cannot be taken")]
    Memory(#[source] Box<dyn Error + Send + Sync>),
    #[error("the profile cannot be written")]
    Writing(#[from] FileError),
}

/// Writes a profile to a file at intervals, and once more when `stop` is cancelled. The file is replaced, and
/// always complete.
fn keep_written(
    path: PathBuf,
    interval: Duration,
    take: impl Fn() -> Result<Vec<u8>, ProfileError> + Send + 'static,
    tasks: &TaskTracker,
    stop: CancellationToken,
) {
    let (running, stopped) = channel::<()>();
    tasks.spawn(async move {
        stop.cancelled().await;
        drop(running);
    });
    tasks.spawn_blocking(move || write_until(&path, interval, take, &stopped));
}

fn write_until(
    path: &Path,
    interval: Duration,
    take: impl Fn() -> Result<Vec<u8>, ProfileError>,
    stopped: &Receiver<()>,
) {
    loop {
        let waited = stopped.recv_timeout(interval);
        let written = take().and_then(|profile| {
            portcullis_files::replace(path, &profile, MODE).map_err(ProfileError::Writing)
        });
        if let Err(error) = written {
            let error = with_sources(&error);
            tracing::warn!(error, path = %path.display(), "no profile is written");
        }
        if waited != Err(RecvTimeoutError::Timeout) {
            return;
        }
    }
}
