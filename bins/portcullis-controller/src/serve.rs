//! Putting the parts together, serving, and ending in order.

mod administrator;
mod certificates;
mod core;
mod credentials;
mod descriptors;
pub(crate) mod hosts;
mod listeners;
mod loading;
mod upkeep;

use crate::audit::AuditTarget;
use crate::logging;
use anyhow::Context as _;
use certificates::Certificates;
use listeners::Web;
use loading::Loading;
use portcullis_app::App;
use portcullis_app::audit::{self, AuditWriter};
use portcullis_app::{database, health, sessions};
use portcullis_controller_config::ControllerConfig;
use portcullis_domain::Env;
use portcullis_domain::change::Change;
use portcullis_http::listen::Listener;
use portcullis_storage::redb_engine::RedbEngine;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

pub use administrator::FirstAdministrator;
pub(crate) use core::open;

/// How long the start waits for the store to be checked; a large one is checked while it is served.
const PATIENCE: Duration = Duration::from_millis(300);

/// The name of the check that the log is written.
const LOG_CHECK: &str = "log.write";

/// The name of the check that the audit trail is written.
const AUDIT_CHECK: &str = "audit.write";

/// How long the end waits for the audit trail to be written. What is not written by then is written
/// after the next start.
const LAST_EVENTS: Duration = Duration::from_secs(2);

/// What is to be served, and how.
pub struct Plan {
    /// The configuration.
    pub config: ControllerConfig,
    /// Time and randomness.
    pub env: Env,
    /// Sockets that are bound already; a bind point takes the one with its address and port.
    pub listeners: Vec<Listener>,
    /// Whether the store was made before; one that is missing is then a loss, and no new one is made.
    pub store_was_made: bool,
    /// Whether a store of which rows are lost is served with what is left.
    pub accept_damage: bool,
    /// Whether the server certificate may be made anew, and its file rewritten, before it expires.
    pub renew_leaf: bool,
    /// Where the audit trail is written.
    pub audit: AuditTarget,
    /// Ends everything in order when it is cancelled.
    pub stop: CancellationToken,
}

impl Plan {
    /// Serves `config` as it stands.
    pub fn new(config: ControllerConfig, env: Env) -> Self {
        Self {
            config,
            env,
            listeners: Vec::new(),
            store_was_made: false,
            accept_damage: false,
            renew_leaf: false,
            audit: AuditTarget::default(),
            stop: CancellationToken::new(),
        }
    }
}

impl std::fmt::Debug for Plan {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter
            .debug_struct("Plan")
            .field("config", &self.config)
            .finish_non_exhaustive()
    }
}

/// A controller that serves.
#[derive(Debug)]
pub struct Running {
    app: Arc<App>,
    audit_writer: AuditWriter,
    engine: Arc<RedbEngine<Change>>,
    addresses: Vec<SocketAddr>,
    stop: CancellationToken,
    tasks: TaskTracker,
    loading: Loading,
}

/// Starts to serve. When this returns, clients are answered.
///
/// # Errors
///
/// When something that the configuration names does not serve, or the store cannot be opened or is
/// damaged; the text says what and where.
pub async fn serve(plan: Plan) -> anyhow::Result<Running> {
    let Plan {
        config,
        env,
        listeners,
        store_was_made,
        accept_damage,
        renew_leaf,
        audit,
        stop,
    } = plan;
    // First what fails most easily, so that a failure leaves no trace.
    let web = Web::bind(&config, listeners).await?;
    let audit = audit.find()?;
    let core = open(&config, store_was_made, &env)?;
    portcullis_app::administrator::prepare(&core.app)
        .await
        .context("the store could not be prepared")?;
    let engine = Arc::clone(&core.engine);
    let mut loading = Loading::start(
        Arc::clone(&engine),
        core.projections,
        accept_damage,
        stop.clone(),
    )?;
    if let Ok(verdict) = tokio::time::timeout(PATIENCE, loading.finished()).await {
        verdict?;
    }
    let tls = web.tls(&core.pairs)?;
    let certificates = Certificates {
        app: Arc::clone(&core.app),
        network_id: core.network_id,
        tls,
        may_renew: renew_leaf,
        config,
    };
    let addresses = web.local_addresses();
    let app = core.app;
    let audit_writer = AuditWriter::start(Arc::clone(&app), audit.open(&app)?)
        .context("the thread that writes the audit trail cannot be started")?;
    watch_logs(&app);
    let tasks = TaskTracker::new();
    let mut watch = certificates::Watch::default();
    watch.look(&certificates);
    web.serve(&certificates, &tasks, &stop)?;
    upkeep::spawn(&tasks, &app, certificates, watch, &stop);
    tasks.close();
    for address in &addresses {
        tracing::info!(%address, "serving");
    }
    Ok(Running {
        app,
        audit_writer,
        engine,
        addresses,
        stop,
        tasks,
        loading,
    })
}

/// Has monitors told when the log or the audit trail cannot be written.
fn watch_logs(app: &Arc<App>) {
    health::add_check(app, LOG_CHECK, Box::new(logging::fault));
    // The checks are part of the controller, and must not keep it.
    let watched = Arc::downgrade(app);
    let fault = move || audit::fault(&*watched.upgrade()?);
    health::add_check(app, AUDIT_CHECK, Box::new(fault));
}

impl Running {
    /// The first address that is served.
    pub fn addr(&self) -> Option<SocketAddr> {
        self.addresses.first().copied()
    }

    /// All addresses that are served.
    pub fn addresses(&self) -> &[SocketAddr] {
        &self.addresses
    }

    /// The controller.
    pub fn app(&self) -> &Arc<App> {
        &self.app
    }

    /// Begins to end: running requests are answered, new ones refused.
    pub fn shutdown(&self) {
        self.stop.cancel();
    }

    /// Waits until the controller is told to stop and has stopped: requests answered, activity
    /// written down, store closed.
    ///
    /// # Errors
    ///
    /// When it stopped because the store turned out to be damaged.
    pub async fn wait(mut self) -> anyhow::Result<()> {
        let verdict = match self.stop.run_until_cancelled(self.loading.finished()).await {
            Some(Ok(())) => {
                self.stop.cancelled().await;
                Ok(())
            },
            Some(Err(damage)) => Err(damage),
            None => Ok(()),
        };
        self.stop.cancel();
        self.tasks.wait().await;
        database::stop_checks(&self.app).await;
        if let Err(error) = sessions::flush_activity(&self.app).await {
            tracing::warn!(%error, "the last activity of sessions was not saved");
        }
        if !self.audit_writer.stop(LAST_EVENTS).await {
            tracing::warn!(
                "the last events of the audit trail are not written; the next start writes them"
            );
        } else if let Err(error) = audit::forget_written(&self.app).await {
            tracing::warn!(%error, "the next start writes some events of the audit trail again");
        }
        tracing::info!("stopped");
        verdict
    }
}
