//! What happens in the background while the controller serves.

use super::certificates::{Certificates, Watch};
use portcullis_app::App;
use portcullis_app::{revocations, service_sessions, sessions};
use std::sync::Arc;
use std::time::Duration;
use tokio::time::{Interval, MissedTickBehavior};
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

/// How often sessions that were not used for too long are ended, service sessions that lost their grant,
/// and revocations that have expired.
const SWEEP: Duration = Duration::from_secs(5);

/// How often the files of certificates are looked at.
const LOOK: Duration = Duration::from_mins(1);

/// Starts everything. It ends with `stop`, and what is under way then is carried to its end: it may
/// go on beside its task, and hold the store.
pub(super) fn spawn(
    tasks: &TaskTracker,
    app: &Arc<App>,
    certificates: Certificates,
    watch: Watch,
    stop: &CancellationToken,
) {
    let flush = certificates.config.edge.api.activity_update_interval;
    tasks.spawn(sweep(Arc::clone(app), Rounds::new(SWEEP, stop)));
    tasks.spawn(write_activity(Arc::clone(app), Rounds::new(flush, stop)));
    tasks.spawn(look_after(certificates, watch, Rounds::new(LOOK, stop)));
}

/// When it is time for the next round.
struct Rounds {
    time: Interval,
    stop: CancellationToken,
}

impl Rounds {
    /// Rounds that are a period apart; the first is at once.
    fn new(period: Duration, stop: &CancellationToken) -> Self {
        let mut time = tokio::time::interval(period);
        time.set_missed_tick_behavior(MissedTickBehavior::Delay);
        Self {
            time,
            stop: stop.clone(),
        }
    }

    /// Waits for the next round; false when there is none any more.
    async fn next(&mut self) -> bool {
        let begun = self.stop.run_until_cancelled(self.time.tick()).await;
        begun.is_some()
    }
}

async fn sweep(app: Arc<App>, mut rounds: Rounds) {
    while rounds.next().await {
        sweep_sessions(&app, &rounds.stop).await;
        match service_sessions::sweep(&app).await {
            Ok(0) => {},
            Ok(ended) => tracing::debug!(ended, "service sessions without a grant ended"),
            Err(error) => {
                tracing::warn!(%error, "service sessions without a grant could not be ended");
            },
        }
        match revocations::sweep(&app).await {
            Ok(0) => {},
            Ok(removed) => tracing::debug!(removed, "expired revocations removed"),
            Err(error) => tracing::warn!(%error, "expired revocations could not be removed"),
        }
    }
}

async fn sweep_sessions(app: &App, stop: &CancellationToken) {
    while !stop.is_cancelled() {
        match sessions::sweep(app).await {
            Ok(0) => break,
            Ok(ended) => tracing::debug!(ended, "unused sessions ended"),
            Err(error) => {
                tracing::warn!(%error, "unused sessions could not be ended");
                break;
            },
        }
    }
}

async fn write_activity(app: Arc<App>, mut rounds: Rounds) {
    while rounds.next().await {
        if let Err(error) = sessions::flush_activity(&app).await {
            tracing::warn!(%error, "activity of sessions could not be saved");
        }
    }
}

async fn look_after(certificates: Certificates, mut watch: Watch, mut rounds: Rounds) {
    // The first look was taken before anything was served.
    rounds.next().await;
    let certificates = Arc::new(certificates);
    while rounds.next().await {
        let certificates = Arc::clone(&certificates);
        // Reads files and may sign.
        let looking = tokio::task::spawn_blocking(move || {
            watch.look(&certificates);
            watch
        });
        match looking.await {
            Ok(used) => watch = used,
            Err(error) => {
                tracing::error!(%error, "certificates are no longer renewed or reloaded");
                return;
            },
        }
    }
}
