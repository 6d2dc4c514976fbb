//! Periodic background tasks of the controller.

use super::certificates::{CertificateWatcher, ServerCertificates};
use portcullis_app::App;
use portcullis_app::{monitoring, revocations, service_sessions, sessions, signing_keys};
use portcullis_metrics::TICK;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::Notify;
use tokio::time::{Instant, Interval, MissedTickBehavior};
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

/// How often idle sessions, service sessions without a grant, and expired revocations are removed.
const SWEEP_INTERVAL: Duration = Duration::from_secs(5);

/// How often the certificate files are checked.
const CERTIFICATE_POLL_INTERVAL: Duration = Duration::from_mins(1);

/// The certificate files, and who asks to look at them.
pub(super) struct WatchedCertificates {
    pub(super) certificates: ServerCertificates,
    pub(super) watcher: CertificateWatcher,
    /// Asks to reload them now.
    pub(super) reload: Arc<Notify>,
}

/// Starts all tasks. They end with `stop`, but a running step is completed: it may outlive its task and
/// use the store.
pub(super) fn spawn(
    tasks: &TaskTracker,
    app: &Arc<App>,
    watched: WatchedCertificates,
    stop: &CancellationToken,
) {
    let flush = watched
        .certificates
        .config
        .edge
        .api
        .activity_update_interval;
    let report = watched.certificates.config.network.metrics_report_interval;
    tasks.spawn(measure(Arc::clone(app), Ticker::new(TICK, stop)));
    tasks.spawn(report_metrics(Arc::clone(app), Ticker::new(report, stop)));
    tasks.spawn(sweep(Arc::clone(app), Ticker::new(SWEEP_INTERVAL, stop)));
    tasks.spawn(write_activity(Arc::clone(app), Ticker::new(flush, stop)));
    tasks.spawn(watch_certificates(
        watched,
        Ticker::new(CERTIFICATE_POLL_INTERVAL, stop),
    ));
}

/// Interval that ends with the controller.
struct Ticker {
    time: Interval,
    stop: CancellationToken,
}

impl Ticker {
    /// Ticks once per period, starting immediately.
    fn new(period: Duration, stop: &CancellationToken) -> Self {
        let mut time = tokio::time::interval(period);
        time.set_missed_tick_behavior(MissedTickBehavior::Delay);
        Self {
            time,
            stop: stop.clone(),
        }
    }

    /// Waits for the next tick; false if the controller is stopping.
    async fn tick(&mut self) -> bool {
        let begun = self.stop.run_until_cancelled(self.time.tick()).await;
        begun.is_some()
    }
}

/// Keeps the rates of metrics current.
async fn measure(app: Arc<App>, mut ticker: Ticker) {
    let mut measured = Instant::now();
    while ticker.tick().await {
        let now = Instant::now();
        monitoring::tick(&app, now.duration_since(measured));
        measured = now;
    }
}

/// Makes events of the controller's metrics, if somebody wants them.
async fn report_metrics(app: Arc<App>, mut ticker: Ticker) {
    // At the start there is nothing to tell.
    ticker.tick().await;
    while ticker.tick().await {
        monitoring::publish(&app);
    }
}

async fn sweep(app: Arc<App>, mut ticker: Ticker) {
    while ticker.tick().await {
        sweep_sessions(&app, &ticker.stop).await;
        match service_sessions::sweep(&app).await {
            Ok(0) => {},
            Ok(ended) => tracing::debug!(
                ended,
                "ended service sessions that no policy allows any more"
            ),
            Err(error) => {
                tracing::warn!(%error, "could not end service sessions that no policy allows any more");
            },
        }
        sweep_revocations(&app, &ticker.stop).await;
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

async fn sweep_revocations(app: &App, stop: &CancellationToken) {
    while !stop.is_cancelled() {
        match revocations::remove_expired(app).await {
            Ok(0) => break,
            Ok(removed) => tracing::debug!(removed, "expired revocations removed"),
            Err(error) => {
                tracing::warn!(%error, "expired revocations could not be removed");
                break;
            },
        }
    }
}

async fn write_activity(app: Arc<App>, mut ticker: Ticker) {
    while ticker.tick().await {
        if let Err(error) = sessions::flush_activity(&app).await {
            tracing::warn!(%error, "activity of sessions could not be saved");
        }
    }
}

async fn watch_certificates(watched: WatchedCertificates, mut ticker: Ticker) {
    let WatchedCertificates {
        certificates,
        mut watcher,
        reload,
    } = watched;
    // The first check was done before anything was served.
    ticker.tick().await;
    let certificates = Arc::new(certificates);
    loop {
        if let Err(error) = signing_keys::update(&certificates.app).await {
            tracing::warn!(%error, "the key that signs tokens could not be recorded");
        }
        let is_asked = tokio::select! {
            goes_on = ticker.tick() => if goes_on { false } else { return },
            () = reload.notified() => true,
        };
        let certificates = Arc::clone(&certificates);
        // Blocking: reads files and may sign.
        let polling = tokio::task::spawn_blocking(move || {
            if is_asked {
                watcher.reload(&certificates);
            } else {
                watcher.poll(&certificates);
            }
            watcher
        });
        match polling.await {
            Ok(used) => watcher = used,
            Err(error) => {
                tracing::error!(%error, "certificates are no longer renewed or reloaded");
                return;
            },
        }
    }
}
