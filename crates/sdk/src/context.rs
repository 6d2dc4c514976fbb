//! The network, as a program has joined it.

mod builder;

pub use builder::ContextBuilder;

use crate::dial::{self, DialOptions};
use crate::error::{DialError, ListenError, OpenError};
use crate::listener::{ListenOptions, Listener};
use crate::randomness::Randomness;
use crate::routers::Routers;
use crate::stream::ServiceStream;
use portcullis_edge_session::{
    EdgeIdentity, EdgeSession, OwnIdentity, Service, Services, SessionState,
};
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::watch;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

/// How long [`Context::close`] waits for what was written to be delivered.
const CLOSE_GRACE: Duration = Duration::from_secs(5);

/// The network, as a program has joined it with an identity. Clones are the same.
///
/// It keeps the session: tokens are renewed, lost sessions are opened again, services and edge routers are
/// followed as they change. [`close`](Self::close) logs out; without that, the session ends when neither a clone
/// nor a stream nor a listener is left.
#[derive(Debug, Clone)]
pub struct Context {
    shared: Arc<Shared>,
}

/// What a context and its listeners share.
#[derive(Debug)]
pub(crate) struct Shared {
    pub(crate) session: EdgeSession,
    pub(crate) routers: Routers,
    pub(crate) randomness: Randomness,
    /// Of listeners.
    pub(crate) tasks: TaskTracker,
    pub(crate) closed: CancellationToken,
}

impl Context {
    /// Joins the network with an identity file, such as `portcullis enroll` and other programs write it:
    /// logs in by the certificate in it.
    ///
    /// # Errors
    ///
    /// [`OpenError`], if the file cannot be used, the login is refused, or no controller answers within 30 s.
    pub async fn open(identity_file: impl AsRef<Path>) -> Result<Self, OpenError> {
        let path = identity_file.as_ref().to_owned();
        let reading = tokio::task::spawn_blocking(move || EdgeIdentity::read(&path));
        let identity = reading.await.map_err(|_ended| OpenError::Runtime)??;
        Self::builder(identity).open().await
    }

    /// For all other ways to log in, and for other options.
    pub fn builder(identity: EdgeIdentity) -> ContextBuilder {
        ContextBuilder::new(identity)
    }

    pub(crate) fn new(shared: Shared) -> Self {
        Self {
            shared: Arc::new(shared),
        }
    }

    /// Connects to whoever hosts a service, as [`dial`](Self::dial) with the usual options.
    ///
    /// # Errors
    ///
    /// [`DialError`].
    pub async fn connect(&self, service: &str) -> Result<ServiceStream, DialError> {
        self.dial(DialOptions::new(service)).await
    }

    /// Connects to whoever hosts a service.
    ///
    /// If a router is not reached, or refuses for a reason that may pass, others and new sessions are tried until
    /// the time is up, but no more than three refusals are taken. Dropping the future takes the dial back.
    ///
    /// # Errors
    ///
    /// [`DialError`].
    pub async fn dial(&self, options: DialOptions) -> Result<ServiceStream, DialError> {
        Box::pin(dial::dial(&self.shared, options)).await
    }

    /// Hosts a service, as [`listen_with`](Self::listen_with) with the usual options, and waits until others can
    /// dial it, as [`Listener::established`] does.
    ///
    /// # Errors
    ///
    /// [`ListenError`], if nothing changes by waiting.
    pub async fn listen(&self, service: &str) -> Result<Listener, ListenError> {
        let listener = self.listen_with(ListenOptions::new(service)).await?;
        listener.established().await?;
        Ok(listener)
    }

    /// Hosts a service: at several routers at the same time, and again where it is lost, until the listener is
    /// dropped. [`Listener::established`] waits until others can dial it.
    ///
    /// # Errors
    ///
    /// [`ListenError`], if there is no such service for this identity.
    pub async fn listen_with(&self, options: ListenOptions) -> Result<Listener, ListenError> {
        Box::pin(Listener::start(&self.shared, options)).await
    }

    /// The services that the identity may use, as they change; `None` until they were read.
    pub fn services(&self) -> watch::Receiver<Option<Arc<Services>>> {
        self.shared.session.services()
    }

    /// A service by its name.
    ///
    /// # Errors
    ///
    /// If it is not known, and the controller cannot be asked.
    pub async fn service(
        &self,
        name: &str,
    ) -> Result<Option<Arc<Service>>, portcullis_edge_session::SessionError> {
        self.shared.session.service(name).await
    }

    /// The identity; `None` until it was read.
    pub fn identity(&self) -> Option<Arc<OwnIdentity>> {
        self.shared.session.own_identity().borrow().clone()
    }

    /// Whether there is a session, as it changes.
    pub fn session_state(&self) -> watch::Receiver<SessionState> {
        self.shared.session.state()
    }

    /// The session itself: for what has to do with controllers, posture and the login.
    pub fn session(&self) -> &EdgeSession {
        &self.shared.session
    }

    /// Leaves the network: ends listeners, closes streams once what was written is delivered (at most 5 s), logs
    /// out, and waits until all that was started has ended. Streams that are still there read and write nothing
    /// more.
    pub async fn close(&self) {
        self.shared.closed.cancel();
        self.shared.tasks.close();
        self.shared.tasks.wait().await;
        self.shared.routers.shut_down(CLOSE_GRACE).await;
        self.shared.session.close().await;
    }
}
