//! Assembly, operation and graceful shutdown of a controller.

mod administrator;
mod certificates;
pub(crate) mod control;
mod core;
mod credentials;
mod descriptors;
mod events;
pub(crate) mod hosts;
mod listeners;
mod maintenance;
mod management;
mod metrics;
mod otlp;
mod reload;
mod start_report;
mod store_loader;
mod store_size;

use crate::audit::{AuditDestination, InspectedDestination};
use crate::config::LoadedFiles;
use crate::{logging, store};
use anyhow::Context as _;
use certificates::ServerCertificates;
use control::ControlChannel;
use descriptors::Descriptors;
use listeners::{BesideApis, Listeners};
use maintenance::WatchedCertificates;
use otlp::Export;
use portcullis_app::App;
use portcullis_app::audit::{self, AuditWriter};
use portcullis_app::{database, health, sessions};
use portcullis_controller_config::ControllerConfig;
use portcullis_domain::Env;
use portcullis_domain::change::Change;
use portcullis_event_sinks::{EventBus, EventSinks};
use portcullis_index::Projections;
use portcullis_listener::Listener;
use portcullis_storage::engine::Engine as _;
use portcullis_storage_redb::RedbEngine;
use serde_json::Value as Json;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;
use store_loader::StoreLoader;
use tokio::sync::Notify;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

pub use administrator::FirstAdministrator;
pub(crate) use core::open;
pub use reload::Reloader;
pub use start_report::StartReport;

/// How long the start waits for the check of the store; a large one is checked while it is served.
const LOAD_GRACE: Duration = Duration::from_millis(300);

/// Name of the health check of the log.
const LOG_CHECK: &str = "log.write";

/// Name of the health check of the audit trail.
const AUDIT_CHECK: &str = "audit.write";

/// How long the shutdown waits for the audit trail to be written. The rest is written after the next
/// start.
const AUDIT_DRAIN_TIMEOUT: Duration = Duration::from_secs(2);

/// How long the shutdown waits for events to be written; the rest is lost.
const EVENTS_DRAIN_TIMEOUT: Duration = Duration::from_secs(2);

/// Options for [`serve`].
pub struct ServeOptions {
    pub config: ControllerConfig,
    /// What the inspection `config` shows: the values of the file, nested like it, without secrets.
    pub shown_config: Option<Json>,
    /// Time and randomness.
    pub env: Env,
    /// Bound sockets; a bind point uses the one with its address and port.
    pub listeners: Vec<Listener>,
    /// Whether the store must exist; a missing one is then an error, and no new one is created.
    pub store_must_exist: bool,
    /// Whether a store that lost rows is served with what is left.
    pub accept_damage: bool,
    /// Whether the server certificate may be renewed, and its file rewritten, before it expires.
    pub renew_leaf: bool,
    pub audit: AuditDestination,
    /// Shuts down gracefully when it is cancelled.
    pub stop: CancellationToken,
}

impl ServeOptions {
    /// Default options for a configuration.
    pub fn new(config: ControllerConfig, env: Env) -> Self {
        Self {
            config,
            shown_config: None,
            env,
            listeners: Vec::new(),
            store_must_exist: false,
            accept_damage: false,
            renew_leaf: false,
            audit: AuditDestination::default(),
            stop: CancellationToken::new(),
        }
    }

    /// The same for a configuration from files, which inspections show.
    pub(crate) fn of_files(loaded: LoadedFiles, env: Env) -> Self {
        Self {
            shown_config: Some(loaded.shown()),
            ..Self::new(loaded.config, env)
        }
    }
}

impl std::fmt::Debug for ServeOptions {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter
            .debug_struct("ServeOptions")
            .field("config", &self.config)
            .finish_non_exhaustive()
    }
}

/// A running controller.
#[derive(Debug)]
pub struct RunningController {
    app: Arc<App>,
    audit_writer: AuditWriter,
    event_sinks: Arc<EventSinks>,
    export: Export,
    engine: Arc<RedbEngine<Change>>,
    reload_certificates: Arc<Notify>,
    addresses: Vec<SocketAddr>,
    control_address: Option<SocketAddr>,
    report: StartReport,
    stop: CancellationToken,
    tasks: TaskTracker,
    loading: StoreLoader,
}

/// Starts a controller, which answers clients when this returns.
///
/// # Errors
///
/// If a reference of the configuration is invalid, or the store cannot be opened or is damaged; the
/// message says what and where.
pub async fn serve(options: ServeOptions) -> anyhow::Result<RunningController> {
    let ServeOptions {
        config,
        shown_config,
        env,
        listeners,
        store_must_exist,
        accept_damage,
        renew_leaf,
        audit,
        stop,
    } = options;
    // The steps most likely to fail come first, so that a failure leaves no trace. Another controller on
    // the same store has the same addresses, and is the better explanation.
    store::require_unused(&config.store.store_path())?;
    let listening = Listeners::bind(&config, listeners).await?;
    events::refuse_audit_file(&config.events, &audit)?;
    let audit = audit.inspect()?;
    let core = open(&config, store_must_exist, &env)?;
    core.app
        .show_config(shown_config.map(|shown| shown.to_string()));
    let bus = EventBus::default();
    let event_sinks = events::start(&core.app, &bus, &config.events)?;
    portcullis_app::administrator::ensure_defaults(&core.app)
        .await
        .context("the store could not be prepared")?;
    let engine = Arc::clone(&core.engine);
    let loading = load(&engine, core.projections, accept_damage, &stop).await?;
    let addresses = listening.local_addresses();
    let control_address = listening.control_address();
    let certificates = ServerCertificates {
        app: Arc::clone(&core.app),
        network_id: core.network_id,
        tls: listening.tls(&core.pairs)?,
        may_renew: renew_leaf,
        config,
    };
    let app = core.app;
    let audit_writer = write_audit_trail(&app, audit)?;
    let tasks = TaskTracker::new();
    let certificate_watcher = watch(&certificates);
    let report = StartReport::new(
        &certificates.config,
        app.network(),
        &core.roots,
        addresses.clone(),
        control_address,
        engine.snapshot()?.revision()?,
    );
    let descriptors = Descriptors::raise(certificates.config.limits.router_connections);
    let options = control::options(&certificates.config.network, descriptors.for_routers);
    let routers = ControlChannel::start(&app, options, &stop);
    let export = Export::start(&app, certificates.config.otlp.as_ref())?;
    let beside = BesideApis {
        management_channel: management::channel(&app, bus.clone(), routers.plane()),
        tracer: export.tracer(),
    };
    listening.serve(&certificates, &routers, beside, descriptors, &tasks, &stop)?;
    let reload_certificates = Arc::new(Notify::new());
    let watched = WatchedCertificates {
        certificates,
        watcher: certificate_watcher,
        reload: Arc::clone(&reload_certificates),
    };
    maintenance::spawn(&tasks, &app, watched, &stop);
    tasks.spawn(events::count_entities(Arc::clone(&app), bus, stop.clone()));
    tasks.close();
    Ok(RunningController {
        app,
        audit_writer,
        event_sinks,
        export,
        engine,
        reload_certificates,
        addresses,
        control_address,
        report,
        stop,
        tasks,
        loading,
    })
}

/// Starts the thread of the audit trail, and has health checks tell of it and of the log.
fn write_audit_trail(app: &Arc<App>, audit: InspectedDestination) -> anyhow::Result<AuditWriter> {
    let writer = AuditWriter::start(Arc::clone(app), audit.open(app)?)
        .context("the thread that writes the audit trail cannot be started")?;
    add_log_checks(app);
    Ok(writer)
}

/// Begins to load the store, and waits a moment: a small one is served only when it was checked.
async fn load(
    engine: &Arc<RedbEngine<Change>>,
    projections: Arc<Projections>,
    accept_damage: bool,
    stop: &CancellationToken,
) -> anyhow::Result<StoreLoader> {
    let engine = Arc::clone(engine);
    let mut loading = StoreLoader::start(engine, projections, accept_damage, stop.clone())?;
    if let Ok(verdict) = tokio::time::timeout(LOAD_GRACE, loading.finished()).await {
        verdict?;
    }
    Ok(loading)
}

/// Watches the files of certificates for changes from now on.
fn watch(certificates: &ServerCertificates) -> certificates::CertificateWatcher {
    let mut watcher = certificates::CertificateWatcher::default();
    watcher.poll(certificates);
    watcher
}

/// Adds health checks of the log and the audit trail.
fn add_log_checks(app: &Arc<App>) {
    health::add_check(app, LOG_CHECK, Box::new(logging::dropped_lines_message));
    // The checks are owned by the controller, so a strong reference would be a cycle.
    let watched = Arc::downgrade(app);
    let fault = move || audit::find_problem(&*watched.upgrade()?);
    health::add_check(app, AUDIT_CHECK, Box::new(fault));
}

impl RunningController {
    /// First served address.
    pub fn addr(&self) -> Option<SocketAddr> {
        self.addresses.first().copied()
    }

    /// All served addresses of the APIs.
    pub fn addresses(&self) -> &[SocketAddr] {
        &self.addresses
    }

    /// Where routers connect.
    pub fn control_address(&self) -> Option<SocketAddr> {
        self.control_address
    }

    /// Facts about the controller, as of its start.
    pub fn start_report(&self) -> &StartReport {
        &self.report
    }

    pub fn app(&self) -> &Arc<App> {
        &self.app
    }

    /// Handle to reload what the controller reads from files.
    pub fn reloader(&self) -> Reloader {
        Reloader {
            app: Arc::clone(&self.app),
            certificates: Arc::clone(&self.reload_certificates),
            event_sinks: Arc::clone(&self.event_sinks),
        }
    }

    /// Starts the shutdown: running requests are answered, new ones refused.
    pub fn shutdown(&self) {
        self.stop.cancel();
    }

    /// Waits until the controller has stopped: requests answered, activity saved, store closed.
    ///
    /// # Errors
    /// If it stopped because the store is damaged.
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
        if !self.audit_writer.stop(AUDIT_DRAIN_TIMEOUT).await {
            tracing::warn!(
                "the last events of the audit trail could not be written; they will be written after the next start"
            );
        } else if let Err(error) = audit::trim_written(&self.app).await {
            tracing::warn!(%error, "some events of the audit trail are written again after the next start");
        }
        // Last, so that they tell of everything. What is not written is in the log.
        self.event_sinks.stop(EVENTS_DRAIN_TIMEOUT).await;
        self.export.stop().await;
        tracing::info!("stopped");
        verdict
    }
}
