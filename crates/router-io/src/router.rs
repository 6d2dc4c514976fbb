//! A running router: its parts, put together.

use std::io;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::Arc;

use portcullis_channel::BuildVersion;
use portcullis_domain::entropy::{Entropy, EntropyError};
use portcullis_listener::Limits;
use portcullis_memory_budget::MemoryBudget;
use portcullis_pki::ServerNamesError;
use portcullis_router::circuits::ForwarderSettings;
use portcullis_router::control::{ControlSettings, EdgeOffer, Greeting, InterfaceSettings};
use portcullis_router::edge::{EdgeListenerSettings, EdgeSettings, PresenceReports};
use portcullis_router::health::HealthOptions;
use portcullis_router::ingress::{IngressError, ingress_settings};
use portcullis_router::links::LinkSettings;
use portcullis_router::metrics::{MetricRegistry, MetricSource, MetricsOptions};
use portcullis_router::tls::handshake_timeout;
use portcullis_router::web::web_servers;
use portcullis_router::{AdvertisedHost, IncompleteConfigError, advertised_hosts};
use portcullis_router_config::Binding;
use portcullis_router_config::model::RouterConfig;
use portcullis_transport::Observer;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use crate::access::ModelFile;
use crate::certificate_request::CertificateRequest;
use crate::clock::RouterClock;
use crate::control::{Control, ControlSetup, NoControllerError, RenewableIdentity};
use crate::controllers::Controllers;
use crate::dispatcher::Dispatcher;
use crate::edge::{Edge, EdgeParts};
use crate::egress;
use crate::ends::Ends;
use crate::file::RouterFile;
use crate::health::Health;
use crate::identity::{IdentityError, IdentityFiles, IdentityWatcher, Reload, RenewableFiles};
use crate::ingress::{Ingress, IngressOpenError};
use crate::inspect::{Basics, Circuits, EdgeView, Inspections, Links};
use crate::links::{LinkManager, LinkParts};
use crate::listeners::{BoundListeners, Listeners, ListenersError};
use crate::metrics::{LinkMetrics, MetricsReporter, RelayMetrics};
use crate::operator::{Operations, OperatorSocket};
use crate::profile::{self, ProfileError};
use crate::relay::Relay;
use crate::routes::Routes;
use crate::tls::Tls;
use crate::trace::{Protocol, Trace};
use crate::web::{WebContent, WebError, WebServers};

/// What a router is started with.
pub struct RouterOptions {
    pub file: RouterFile,
    pub identity: IdentityFiles,
    /// What controllers, other routers and SDKs are told of this program.
    pub version: BuildVersion,
    pub clock: RouterClock,
    pub entropy: Arc<dyn Entropy>,
    /// How many descriptors the process may have open, which SDKs get half of; `None` for no limit.
    pub max_descriptors: Option<u64>,
    /// Bytes of memory that messages may wait in, over all; `None` for no limit. The rest of the router takes some
    /// 20 MiB, and about 16 KiB for each connection of an SDK.
    pub buffer_memory: Option<usize>,
    /// Asks controllers for new certificates at once, and not only when theirs are about to expire.
    pub renews_at_once: bool,
    /// Asks for a shutdown.
    pub stop: CancellationToken,
}

/// A router cannot be started.
#[derive(Debug, thiserror::Error)]
pub enum StartError {
    #[error(transparent)]
    Identity(#[from] IdentityError),
    #[error(transparent)]
    Incomplete(#[from] IncompleteConfigError),
    #[error(transparent)]
    Ingress(#[from] IngressError),
    #[error(transparent)]
    Listen(#[from] IngressOpenError),
    #[error(transparent)]
    Listeners(#[from] ListenersError),
    #[error("`{address}` is no address that SDKs can be let in at; it has to be `tls:HOST:PORT`")]
    EdgeAddress { address: String },
    #[error(transparent)]
    Web(#[from] WebError),
    #[error("`csr.sans`")]
    CertificateRequest(#[from] ServerNamesError),
    #[error("the file of the trace, {}, cannot be opened", path.display())]
    Trace {
        path: PathBuf,
        #[source]
        source: io::Error,
    },
    #[error(transparent)]
    Profile(#[from] ProfileError),
    #[error("the system gives no randomness")]
    Entropy(#[from] EntropyError),
}

/// A router that runs.
pub struct Router {
    id: Arc<str>,
    addresses: Vec<SocketAddr>,
    control: Control,
    reload: Reload,
    stop: CancellationToken,
    tasks: TaskTracker,
    /// They are asked as long as somebody has them.
    _sources: [Arc<dyn MetricSource>; 2],
}

/// What all parts of a router need.
struct Base {
    id: Arc<str>,
    file: RouterFile,
    version: BuildVersion,
    identity: IdentityFiles,
    tls: Arc<Tls>,
    control: ControlSettings,
    controllers: Arc<Controllers>,
    metrics: Arc<MetricRegistry>,
    ends: Ends,
    forwarder: ForwarderSettings,
    trace: Option<Arc<Trace>>,
    clock: RouterClock,
    entropy: Arc<dyn Entropy>,
    tasks: TaskTracker,
    renews_at_once: bool,
    max_descriptors: Option<u64>,
    stop: CancellationToken,
}

impl Router {
    /// Starts a router: opens its listeners, then dials controllers. It goes on until its token is cancelled.
    ///
    /// # Errors
    ///
    /// What the configuration asks for cannot be had. Nothing of the router runs on then.
    pub async fn start(options: RouterOptions) -> Result<Self, StartError> {
        let stop = options.stop.child_token();
        let (base, watcher) = Base::new(options, stop.clone())?;
        let (reload, tasks) = (Reload::default(), base.tasks.clone());
        tasks.spawn(watcher.run(reload.clone(), stop.clone()));
        match Box::pin(base.run(reload)).await {
            Ok(router) => Ok(router),
            Err(error) => {
                stop.cancel();
                tasks.close();
                tasks.wait().await;
                Err(error)
            },
        }
    }

    /// Its id: the common name of its certificate.
    pub fn id(&self) -> &str {
        &self.id
    }

    /// Where it listens, with the ports that the system has chosen.
    pub fn addresses(&self) -> &[SocketAddr] {
        &self.addresses
    }

    /// Asks for its certificates to be read again.
    pub fn reload(&self) -> Reload {
        self.reload.clone()
    }

    /// Waits for the first controller.
    ///
    /// # Errors
    ///
    /// There was none within `ctrl.startupTimeout`.
    pub fn first_contact(
        &self,
    ) -> impl Future<Output = Result<(), NoControllerError>> + Send + use<> {
        let control = self.control.clone();
        async move { control.first_contact().await }
    }

    /// Waits until it has stopped.
    pub async fn wait(self) {
        self.stop.cancelled().await;
        self.tasks.wait().await;
    }
}

impl Base {
    fn new(
        options: RouterOptions,
        stop: CancellationToken,
    ) -> Result<(Self, IdentityWatcher), StartError> {
        let identity = options.identity.clone();
        let (watcher, tls, id) = IdentityWatcher::begin(options.identity)?;
        let id: Arc<str> = id.into();
        let (file, tasks) = (options.file, TaskTracker::new());
        let config = &file.config;
        let control = ControlSettings::from_config(&config.ctrl, &file.path)?;
        let controllers = Controllers::new(control.request_timeout)
            .with_unresponsive_after(control.unresponsive_after);
        let controllers = Arc::new(controllers);
        if let Some(path) = &config.profile.cpu_path {
            profile::start(PathBuf::from(&path.value), &tasks, stop.clone())?;
        }
        let forwarder = ForwarderSettings::from_config(&config.forwarder)?;
        let metrics = Arc::new(MetricRegistry::default());
        let relay = Relay::new(
            Arc::clone(&id),
            forwarder.forwarding,
            Arc::clone(&controllers),
            options.clock,
        );
        let memory = options
            .buffer_memory
            .map_or_else(MemoryBudget::unlimited, MemoryBudget::new);
        let relay = Arc::new(relay.within(Arc::new(memory)));
        tasks.spawn(Arc::clone(&relay).run(stop.clone()));
        let base = Self {
            trace: trace(config, options.clock)?,
            ends: Ends::new(relay, &metrics, tasks.clone()),
            metrics,
            id,
            file,
            version: options.version,
            identity,
            tls,
            control,
            controllers,
            forwarder,
            clock: options.clock,
            entropy: options.entropy,
            tasks,
            renews_at_once: options.renews_at_once,
            max_descriptors: options.max_descriptors,
            stop,
        };
        base.say_what_is_missing();
        base.warn_of_missing_names();
        Ok((base, watcher))
    }

    async fn run(self, reload: Reload) -> Result<Router, StartError> {
        let links = self.links()?;
        let edge = self.edge()?;
        let bound = self.bind(&links, edge.as_ref()).await?;
        let ingress = self.ingress().await?;
        let metrics = Arc::clone(&self.metrics);
        let sources: [Arc<dyn MetricSource>; 2] = [
            LinkMetrics::register(Arc::clone(&links) as _, &metrics),
            RelayMetrics::register(Arc::clone(self.ends.relay()), &metrics),
        ];
        let web = self.web(&metrics, &links).await?;
        let addresses = bound.addresses().chain(ingress.addresses());
        let addresses = addresses.chain(web.0.local_addresses()).collect();
        let control = self.control(&links, edge.as_ref(), &metrics)?;

        bound.serve(&self.tls, &self.tasks, &self.stop);
        ingress.serve(&self.tasks, &self.stop);
        web.0.serve(&web.1, &self.tasks, &self.stop);
        self.tasks.spawn(links.run(self.stop.clone()));
        let control = control.start(&self.tasks, &self.stop);
        self.take_orders(&control);
        self.tasks.close();
        Ok(Router {
            id: self.id,
            addresses,
            control,
            reload,
            stop: self.stop,
            tasks: self.tasks,
            _sources: sources,
        })
    }

    /// What other routers have, and which section would bring it.
    fn say_what_is_missing(&self) {
        if !self.file.has_edge {
            tracing::info!(
                "there is no section `edge`: the router lets no SDKs in, and hosts nothing for them"
            );
        }
        if self.file.config.link.listeners.is_empty() && self.file.config.link.dialers.is_empty() {
            tracing::info!("there is no section `link`: the router has no links with others");
        }
        if self.file.config.dialers.is_empty() {
            tracing::info!(
                "there is no section `dialers`: the router connects to no servers for services"
            );
        }
        if self.file.config.listeners.is_empty() {
            tracing::info!("there is no section `listeners`: nothing enters the network here");
        }
    }

    /// Those who dial a host that no certificate names refuse the router.
    fn warn_of_missing_names(&self) {
        for AdvertisedHost { key, host } in advertised_hosts(&self.file.config) {
            if !self.identity.covers_host(&host) {
                tracing::warn!(
                    key,
                    host = %host.escape_debug(),
                    "an advertised host is in no server certificate, so nobody will connect there: add it to \
                     `csr.sans`, and start the router once with `--extend`"
                );
            }
        }
    }

    /// What the channels of a protocol show their messages to.
    fn observer(&self, protocol: Protocol) -> Option<Arc<dyn Observer>> {
        let trace = self.trace.as_ref()?;
        Some(trace.observer(protocol))
    }

    fn links(&self) -> Result<Arc<LinkManager>, StartError> {
        Ok(LinkManager::new(LinkParts {
            router: Arc::clone(&self.id),
            version: self.version.version.clone(),
            settings: LinkSettings::from_config(&self.file.config.link)?,
            dials: self.forwarder.link_dials,
            relay: Arc::clone(self.ends.relay()),
            metrics: Arc::clone(&self.metrics),
            controllers: Arc::clone(&self.controllers),
            tls: Arc::clone(&self.tls),
            clock: self.clock,
            entropy: Arc::clone(&self.entropy),
            observer: self.observer(Protocol::Link),
        }))
    }

    /// The edge, unless the router is of the fabric only.
    fn edge(&self) -> Result<Option<Edge>, StartError> {
        if !self.file.has_edge {
            return Ok(None);
        }
        let mut settings = EdgeSettings::from_config(&self.file.config.edge)?;
        settings.limits.creations = self.forwarder.rate_limited;
        if let Some(descriptors) = self.max_descriptors {
            let descriptors = usize::try_from(descriptors).unwrap_or(usize::MAX);
            settings.limits = settings.limits.within_descriptors(descriptors);
        }
        let edge = Edge::start(EdgeParts {
            version: self.version.clone(),
            model_file: ModelFile::new(self.file.model_file(), settings.save_interval),
            settings,
            reports: PresenceReports::from_config(&self.file.config.connect_events)?,
            tls: Arc::clone(&self.tls),
            controllers: Arc::clone(&self.controllers),
            ends: self.ends.clone(),
            metrics: Arc::clone(&self.metrics),
            entropy: Arc::clone(&self.entropy),
            observer: self.observer(Protocol::Edge),
            tasks: self.tasks.clone(),
            stop: self.stop.clone(),
        })?;
        Ok(Some(edge))
    }

    /// Of all listeners with TLS.
    fn listener_limits(&self) -> Result<Limits, IncompleteConfigError> {
        let usual = Limits::default();
        let handshake = handshake_timeout(&self.file.config.tls)?;
        Ok(Limits {
            handshake: handshake.unwrap_or(usual.handshake),
            ..usual
        })
    }

    /// Binds the listeners for routers and SDKs, which may share ports.
    async fn bind(
        &self,
        links: &Arc<LinkManager>,
        edge: Option<&Edge>,
    ) -> Result<BoundListeners, StartError> {
        let mut listeners = Listeners::new(self.listener_limits()?);
        for (place, protocol) in links.protocols() {
            listeners.add(&place, protocol).await?;
        }
        if let Some(edge) = edge {
            let web_sockets = &self.file.config.transport.wss;
            for settings in
                EdgeListenerSettings::from_config(&self.file.config.listeners, web_sockets)?
            {
                let place = settings.place().ok_or_else(|| StartError::EdgeAddress {
                    address: settings.address.clone(),
                })?;
                listeners.add(&place, edge.protocol(&settings)).await?;
            }
        }
        Ok(listeners.bind()?)
    }

    /// Opens listeners for whoever speaks no SDK.
    async fn ingress(&self) -> Result<Ingress, StartError> {
        let settings = ingress_settings(&self.file.config.listeners)?;
        let (controllers, tls) = (&self.controllers, &self.tls);
        let limits = self.listener_limits()?;
        Ok(Ingress::open(settings, &self.ends, controllers, tls, &limits).await?)
    }

    /// Measures, and binds what serves the figures.
    async fn web(
        &self,
        metrics: &Arc<MetricRegistry>,
        links: &Arc<LinkManager>,
    ) -> Result<(WebServers, WebContent), StartError> {
        let options = MetricsOptions::from_config(&self.file.config.metrics)?;
        let reporter = MetricsReporter {
            registry: Arc::clone(metrics),
            relay: Arc::clone(self.ends.relay()),
            options,
            router: Arc::clone(&self.id),
            controllers: Arc::clone(&self.controllers),
            clock: self.clock,
            entropy: Arc::clone(&self.entropy),
        };
        self.tasks.spawn(reporter.run(self.stop.clone()));
        let health = Arc::new(Health::new(
            HealthOptions::from_config(&self.file.config.health_checks)?,
            self.clock,
            Arc::clone(&self.controllers),
            Arc::clone(links) as _,
        ));
        self.tasks.spawn(Arc::clone(&health).run(self.stop.clone()));
        let own_identity = |section: &_| -> Result<_, StartError> {
            let credentials = IdentityFiles::from_config(section)?.load()?.credentials;
            Ok(Arc::new(
                Tls::new(credentials).map_err(IdentityError::from)?,
            ))
        };
        let servers = web_servers(&self.file.config.web)?;
        let servers =
            WebServers::bind(servers, &self.tls, &self.listener_limits()?, own_identity).await?;
        let content = WebContent {
            health,
            metrics: Arc::clone(metrics),
            router: Arc::clone(&self.id),
        };
        Ok((servers, content))
    }

    fn control(
        &self,
        links: &Arc<LinkManager>,
        edge: Option<&Edge>,
        metrics: &Arc<MetricRegistry>,
    ) -> Result<ControlSetup, StartError> {
        let offer = edge.map(|_| EdgeOffer::from_config(&self.file.config.listeners));
        let service = Dispatcher {
            routes: self.routes(edge)?,
            links: Arc::clone(links),
            edge: edge.cloned(),
            controllers: Arc::clone(&self.controllers),
            inspections: self.inspections(links, edge, metrics),
        };
        let announced = links.announcements();
        Ok(ControlSetup {
            settings: self.control.clone(),
            greeting: Greeting::new(self.id.to_string(), self.version.clone(), announced, offer),
            tls: Arc::clone(&self.tls),
            clock: self.clock,
            entropy: Arc::clone(&self.entropy),
            controllers: Arc::clone(&self.controllers),
            service: Arc::new(service),
            observer: self.observer(Protocol::Control),
            interfaces: InterfaceSettings::from_config(&self.file.config.interface_discovery)?,
            identity: self.renewable_identity()?,
            renews_at_once: self.renews_at_once,
        })
    }

    /// Lets the operator of the computer reach the router, which runs as well without.
    fn take_orders(&self, control: &Control) {
        let socket = match OperatorSocket::bind(&self.file.path) {
            Ok(socket) => socket,
            Err(error) => {
                tracing::warn!(%error, file = %self.file.path.display(), "no socket for orders beside the file");
                return;
            },
        };
        let operations = Operations {
            controllers: Arc::clone(&self.controllers),
            renewal: control.renewal().cloned(),
            stop: self.stop.clone(),
        };
        self.tasks
            .spawn(socket.serve(operations, self.stop.clone()));
    }

    fn routes(&self, edge: Option<&Edge>) -> Result<Arc<Routes>, StartError> {
        let entries = &self.file.config.dialers;
        let mut dialers = egress::dialers(entries, &self.ends, &self.tls, &self.entropy)?;
        if let Some(edge) = edge {
            dialers.insert(Binding::Edge.name().to_owned(), edge.dialer());
        }
        Ok(Routes::new(
            Arc::clone(self.ends.relay()),
            Arc::clone(&self.controllers),
            dialers,
            &self.forwarder,
            self.tasks.clone(),
        ))
    }

    fn inspections(
        &self,
        links: &Arc<LinkManager>,
        edge: Option<&Edge>,
        metrics: &Arc<MetricRegistry>,
    ) -> Arc<Inspections> {
        let controllers = Arc::clone(&self.controllers);
        let inspections = Inspections::new(controllers, self.tasks.clone());
        let basics = Arc::new(Basics {
            router: Arc::clone(&self.id),
            clock: self.clock,
            metrics: Arc::clone(metrics),
            controllers: Arc::clone(&self.controllers),
            config: Basics::shown_config(&self.file.effective, &self.file.path),
        });
        inspections.register(Basics::KINDS, &basics);
        let circuits = Arc::new(Circuits::new(Arc::clone(self.ends.relay())));
        inspections.register(Circuits::KINDS, &circuits);
        let links = Arc::new(Links::new(Arc::clone(links) as _));
        inspections.register(Links::KINDS, &links);
        if let Some(edge) = edge {
            let edge = EdgeView::new(edge.clone(), Arc::clone(self.ends.relay()));
            inspections.register(EdgeView::KINDS, &Arc::new(edge));
        }
        Arc::new(inspections)
    }

    /// The identity whose certificates controllers renew: that of an edge router.
    fn renewable_identity(&self) -> Result<Option<Arc<dyn RenewableIdentity>>, StartError> {
        if !self.file.has_edge {
            return Ok(None);
        }
        let request = CertificateRequest::from_config(&self.file.config)?;
        let files = self.identity.clone();
        let id = self.id.to_string();
        let renewable = RenewableFiles::new(files, request, id, Arc::clone(&self.tls));
        Ok(Some(Arc::new(renewable)))
    }
}

fn trace(config: &RouterConfig, clock: RouterClock) -> Result<Option<Arc<Trace>>, StartError> {
    let Some(path) = &config.trace.path else {
        return Ok(None);
    };
    let path = PathBuf::from(&path.value);
    match Trace::open(&path, clock) {
        Ok(trace) => Ok(Some(trace)),
        Err(source) => Err(StartError::Trace { path, source }),
    }
}

#[cfg(test)]
mod tests;
