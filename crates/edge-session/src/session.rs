//! The session, as programs use it.

mod service_routers;

pub(crate) use service_routers::ServiceRouters;

use crate::controller::controllers;
use crate::edge_router::EdgeRouter;
use crate::error::SessionError;
use crate::identity::{EdgeIdentity, RouterCredential};
use crate::open_session::OpenSession;
use crate::options::SessionOptions;
use crate::own_identity::OwnIdentity;
use crate::service::{Service, Services};
use crate::service_session::{ServiceSession, ServiceSessionKey};
use crate::shared::{Attempts, Shared};
use crate::state::{ApiSession, SessionState};
use crate::worker::Worker;
use portcullis_client::{BuildError, Url};
use portcullis_domain::ids::ServiceId;
use portcullis_domain::policies::ServiceGrant;
use portcullis_domain::posture::Report;
use secrecy::ExposeSecret as _;
use std::fmt;
use std::sync::Arc;
use tokio::sync::{Notify, watch};
use tokio_util::sync::{CancellationToken, DropGuard};

/// The API session of a program, which is opened, kept and opened again until it is closed. Clones are the
/// same session; it ends with the last of them.
#[derive(Clone)]
pub struct EdgeSession {
    shared: Arc<Shared>,
    stop: Arc<DropGuard>,
}

impl EdgeSession {
    /// Begins to log in. Needs a tokio runtime.
    ///
    /// # Errors
    ///
    /// [`BuildError`] when an address, a CA certificate or the key cannot be used.
    pub fn start(identity: EdgeIdentity, options: SessionOptions) -> Result<Self, BuildError> {
        let controllers = controllers(&identity, &options)?;
        let shared = Arc::new(Shared::new(identity, options));
        let stop = CancellationToken::new();
        let worker = Worker::new(Arc::clone(&shared), controllers);
        tokio::spawn(worker.run(stop.clone()));
        Ok(Self {
            shared,
            stop: Arc::new(stop.drop_guard()),
        })
    }

    /// The controllers of the identity, in the order in which they are tried.
    pub fn controllers(&self) -> &[Url] {
        &self.shared.identity.controllers
    }

    /// Whether there is a session. Renewed tokens are told as a session, too.
    pub fn state(&self) -> watch::Receiver<SessionState> {
        self.shared.state.subscribe()
    }

    /// Waits until there is a session.
    ///
    /// # Errors
    ///
    /// Why the login is [`Refused`](SessionState::Refused), and [`SessionError::Closed`].
    pub async fn opened(&self) -> Result<Arc<ApiSession>, SessionError> {
        let mut states = self.shared.state.subscribe();
        let state = states.wait_for(|state| {
            matches!(
                state,
                SessionState::Open(_) | SessionState::Refused(_) | SessionState::Closed
            )
        });
        match &*state.await.map_err(|_closed| SessionError::Closed)? {
            SessionState::Open(session) => Ok(Arc::clone(session)),
            SessionState::Refused(reason) => Err(reason.clone()),
            _ => Err(SessionError::Closed),
        }
    }

    /// Logs in now if there is no session, also after a refusal.
    pub fn log_in(&self) {
        self.shared.requests.log_in.notify_one();
    }

    /// Says that a session does not seem to count any more, as routers may find. The controller is asked whether
    /// it does, and otherwise for another one.
    pub fn doubt(&self, session: &ApiSession) {
        let state = self.shared.state.borrow();
        let current = state.open().map(|current| current.token.expose_secret());
        if current == Some(session.token.expose_secret()) {
            self.shared.requests.check.notify_one();
        }
    }

    /// The services that the identity may use; `None` until they were read.
    pub fn services(&self) -> watch::Receiver<Option<Arc<Services>>> {
        self.shared.services.subscribe()
    }

    /// A service by its name. If it is not known, the controller is asked once more, at most once a second. Waits
    /// for a session.
    ///
    /// # Errors
    ///
    /// Those of [`opened`](Self::opened), and of the request.
    pub async fn service(&self, name: &str) -> Result<Option<Arc<Service>>, SessionError> {
        if let Some(known) = self.known_service(name) {
            return Ok(Some(known));
        }
        self.open_session().await?;
        let requests = &self.shared.requests;
        self.request(&requests.read_services, &self.shared.reads)
            .await?;
        Ok(self.known_service(name))
    }

    fn known_service(&self, name: &str) -> Option<Arc<Service>> {
        let services = self.shared.services.borrow();
        services.as_ref()?.get(name).cloned()
    }

    /// The identity of the session; `None` until it was read.
    pub fn own_identity(&self) -> watch::Receiver<Option<Arc<OwnIdentity>>> {
        self.shared.own_identity.subscribe()
    }

    /// The edge routers that the identity may use.
    pub fn edge_routers(&self) -> watch::Receiver<Arc<[EdgeRouter]>> {
        self.shared.edge_routers.subscribe()
    }

    /// What posture queries ask for, as it was found last. The controller is told of it; edge routers, which judge
    /// sessions of OpenID Connect, have to be told over their channels.
    pub fn posture(&self) -> watch::Receiver<Arc<[Report]>> {
        self.shared.posture.subscribe()
    }

    /// A session of a service, which legacy sessions need to dial or host it. It is kept until
    /// [`forget_service_session`](Self::forget_service_session), or until the API session is another one. Waits
    /// for a session.
    ///
    /// # Errors
    ///
    /// Those of [`opened`](Self::opened), and why the controller does not give one.
    pub async fn service_session(
        &self,
        service: &ServiceId,
        grant: ServiceGrant,
    ) -> Result<Arc<ServiceSession>, SessionError> {
        let key = ServiceSessionKey {
            service: service.clone(),
            grant,
        };
        let (open, requests) = (self.open_session().await?, &self.shared.requests);
        match Box::pin(open.service_session(&key)).await {
            // The next session may have begun meanwhile, which is checked in vain then.
            Err(SessionError::SessionLost) => {
                let checked = self.request(&requests.check, &self.shared.checks).await;
                if !matches!(checked, Ok(()) | Err(SessionError::SessionLost)) {
                    checked?;
                }
                let open = self.open_session().await?;
                Box::pin(open.service_session(&key)).await
            },
            // The controller may have forgotten what it was told.
            Err(SessionError::Posture(_)) => {
                let told = &self.shared.posture_told;
                self.request(&requests.tell_posture, told).await?;
                Box::pin(open.service_session(&key)).await
            },
            answer => answer,
        }
    }

    /// Says that a session of a service does not count any more: the next one will be another one.
    pub fn forget_service_session(&self, session: &ServiceSession) {
        if let Some(open) = &*self.shared.open.borrow() {
            open.forget_service_session(session);
        }
    }

    /// What edge routers are shown in TLS: the certificate of the identity, or else one that the controller
    /// issues for this session. The latter lives some hours, and is another one before it expires: ask for each
    /// connection.
    ///
    /// # Errors
    ///
    /// Those of [`opened`](Self::opened), and why the controller issues none.
    pub async fn router_credential(&self) -> Result<Arc<RouterCredential>, SessionError> {
        if let Some(credential) = &self.shared.identity.certificate {
            return Ok(Arc::clone(credential));
        }
        let open = self.open_session().await?;
        Box::pin(open.credential(self.shared.options.env.now())).await
    }

    /// Reads the services anew, soon.
    pub fn refresh(&self) {
        self.shared.requests.read_services.notify_one();
    }

    /// Reports that the computer woke up, or was unlocked.
    pub fn report_endpoint_state(&self, woken: bool, unlocked: bool) {
        self.shared.requests.endpoint.add(woken, unlocked);
        self.shared.requests.tell_posture.notify_one();
    }

    /// Logs out, within two seconds, and ends.
    pub async fn close(&self) {
        self.stop.token().cancel();
        let mut states = self.shared.state.subscribe();
        let closed = states.wait_for(|state| matches!(state, SessionState::Closed));
        // An error would say that the session is gone, too.
        drop(closed.await);
    }

    async fn open_session(&self) -> Result<Arc<OpenSession>, SessionError> {
        loop {
            self.opened().await?;
            // If it is lost again by now, the state says so already.
            if let Some(open) = &*self.shared.open.borrow() {
                return Ok(Arc::clone(open));
            }
        }
    }

    /// Has the task do something, and waits until it has: what had begun before does not count.
    async fn request(
        &self,
        request: &Notify,
        attempts: &watch::Sender<Attempts>,
    ) -> Result<(), SessionError> {
        let mut attempts = attempts.subscribe();
        let before = attempts.borrow_and_update().begun;
        request.notify_one();
        let mut states = self.shared.state.subscribe();
        let is_refused =
            |state: &SessionState| matches!(state, SessionState::Refused(_) | SessionState::Closed);
        tokio::select! {
            attempt = attempts.wait_for(|attempts| attempts.ended > before) => {
                let attempt = attempt.map_err(|_closed| SessionError::Closed)?;
                attempt.failure.clone().map_or(Ok(()), Err)
            },
            _ = states.wait_for(is_refused) => Err(SessionError::SessionLost),
        }
    }
}

impl fmt::Debug for EdgeSession {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("EdgeSession")
            .field("state", &*self.shared.state.borrow())
            .finish_non_exhaustive()
    }
}
