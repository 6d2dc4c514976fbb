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

/// Starts everything; it ends with `stop`.
pub(super) fn spawn(
    tasks: &TaskTracker,
    app: &Arc<App>,
    certificates: Certificates,
    watch: Watch,
    stop: &CancellationToken,
) {
    let flush = certificates.config.edge.api.activity_update_interval;
    tasks.spawn(until(stop.clone(), sweep(Arc::clone(app))));
    tasks.spawn(until(stop.clone(), write_activity(Arc::clone(app), flush)));
    tasks.spawn(until(stop.clone(), look_after(certificates, watch)));
}

async fn until(stop: CancellationToken, work: impl Future<Output = ()>) {
    stop.run_until_cancelled(work).await;
}

async fn sweep(app: Arc<App>) {
    let mut time = every(SWEEP);
    loop {
        time.tick().await;
        sweep_sessions(&app).await;
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

async fn sweep_sessions(app: &App) {
    loop {
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

async fn write_activity(app: Arc<App>, period: Duration) {
    let mut time = every(period);
    loop {
        time.tick().await;
        if let Err(error) = sessions::flush_activity(&app).await {
            tracing::warn!(%error, "activity of sessions could not be written down");
        }
    }
}

async fn look_after(certificates: Certificates, mut watch: Watch) {
    let mut time = every(LOOK);
    // The first look was taken before anything was served.
    time.tick().await;
    let certificates = Arc::new(certificates);
    loop {
        time.tick().await;
        let certificates = Arc::clone(&certificates);
        // Reads files and may sign.
        let looking = tokio::task::spawn_blocking(move || {
            watch.look(&certificates);
            watch
        });
        match looking.await {
            Ok(used) => watch = used,
            Err(error) => {
                tracing::error!(%error, "certificates are no longer looked after");
                return;
            },
        }
    }
}

fn every(period: Duration) -> Interval {
    let mut interval = tokio::time::interval(period);
    interval.set_missed_tick_behavior(MissedTickBehavior::Delay);
    interval
}
