//! Where the router's memory was allocated.

use std::error::Error;

use portcullis_router::profile::MemoryProfileSettings;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use super::{ProfileError, keep_written};

/// Takes a profile of the memory in use, in the format of pprof. Programs choose their allocators, so they have
/// the profiler, too.
pub type MemoryProfiler = fn() -> Result<Vec<u8>, Box<dyn Error + Send + Sync>>;

/// Writes profiles at the interval of the file, and at the end.
pub(crate) fn start(
    settings: MemoryProfileSettings,
    profiler: Option<MemoryProfiler>,
    tasks: &TaskTracker,
    stop: CancellationToken,
) {
    let Some(profiler) = profiler else {
        tracing::warn!(
            "`profile.memory` has no effect: this program does not follow its allocations"
        );
        return;
    };
    let take = move || profiler().map_err(ProfileError::Memory);
    keep_written(settings.path, settings.interval, take, tasks, stop);
}
