//! A running router: its parts, put together.

mod base;
mod listening;
mod parts;

use std::io;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use portcullis_channel::BuildVersion;
use portcullis_domain::entropy::{Entropy, EntropyError};
use portcullis_metrics::MetricSource;
use portcullis_router::IncompleteConfigError;
use portcullis_router::ingress::IngressError;
use portcullis_router::tunnel::TunnelError;
use tokio::time::timeout;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use self::base::Base;
use crate::clock::RouterClock;
use crate::control::{Control, NoControllerError};
use crate::file::RouterFile;
use crate::identity::{IdentityError, IdentityFiles, Reload};
use crate::ingress::IngressOpenError;
use crate::listeners::ListenersError;
use crate::metrics::{LinkMetrics, RelayMetrics};
use crate::operator::{Operations, OperatorSocket};
use crate::profile::{MemoryProfiler, ProfileError};
use crate::tunnel::{IdleTunnel, InterceptionError};
use crate::web::WebError;

/// How long a router that stops waits for its parts: clients and circuits have a few seconds to end, and the
/// file of the data model is written after that.
const STOP_TIME: Duration = Duration::from_secs(8);

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
    /// What takes the profiles for `profile.memory`; without it, that has no effect.
    pub memory_profiler: Option<MemoryProfiler>,
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
    Tunnel(#[from] TunnelError),
    #[error(transparent)]
    Interception(#[from] InterceptionError),
    #[error(transparent)]
    Listeners(#[from] ListenersError),
    #[error("`{address}` is no address that SDKs can be let in at; it has to be `tls:HOST:PORT`")]
    EdgeAddress { address: String },
    #[error(transparent)]
    Web(#[from] WebError),
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

    /// Waits until it is asked to stop and has done so, which takes 8 s at most: a server or client that takes
    /// nothing more does not keep it.
    pub async fn wait(self) {
        self.stop.cancelled().await;
        if timeout(STOP_TIME, self.tasks.wait()).await.is_err() {
            tracing::warn!(
                tasks = self.tasks.len(),
                "not all parts of the router have ended in time; it stops without them"
            );
        }
    }
}

impl Base {
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
        let tunnel = self.tunnel(edge.as_ref()).await?;
        let reached = tunnel.as_ref().map(IdleTunnel::tunnel);
        let control = self.control(&links, (edge.as_ref(), reached), &metrics)?;
        // What this sets up in the kernel is not undone at once if something fails after it.
        let tunnel = match tunnel {
            Some(tunnel) => Some(Box::pin(tunnel.intercepting()).await?),
            None => None,
        };

        bound.serve(&self.tls, &self.tasks, &self.stop);
        ingress.serve(&self.tasks, &self.stop);
        if let Some(tunnel) = tunnel {
            tunnel.start(&self.tasks, &self.stop);
        }
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
}

#[cfg(test)]
mod tests;
