//! The session, as programs use it.

use crate::edge_router::EdgeRouter;
use crate::error::SessionError;
use crate::identity::{EdgeIdentity, RouterCredential};
use crate::options::SessionOptions;
use crate::own_identity::OwnIdentity;
use crate::service::{Service, Services};
use crate::service_session::ServiceSession;
use crate::state::{ApiSession, SessionState};
use portcullis_client::BuildError;
use portcullis_domain::ids::ServiceId;
use portcullis_domain::policies::ServiceGrant;
use portcullis_domain::posture::Report;
use std::sync::Arc;
use tokio::sync::watch;

/// The API session of a program, which is opened, kept and opened again until it is closed. Clones are the
/// same session; with the last of them, it ends without a log-out.
#[derive(Debug, Clone)]
pub struct EdgeSession {
    state: watch::Sender<SessionState>,
    services: watch::Sender<Option<Arc<Services>>>,
    own_identity: watch::Sender<Option<Arc<OwnIdentity>>>,
    edge_routers: watch::Sender<Arc<[EdgeRouter]>>,
    posture: watch::Sender<Arc<[Report]>>,
}

impl EdgeSession {
    /// Begins to log in. Needs a tokio runtime.
    ///
    /// # Errors
    ///
    /// [`BuildError`] when an address, a CA certificate or the key cannot be used.
    pub fn start(_identity: EdgeIdentity, _options: SessionOptions) -> Result<Self, BuildError> {
        Ok(Self {
            state: watch::Sender::new(SessionState::LoggingIn),
            services: watch::Sender::new(None),
            own_identity: watch::Sender::new(None),
            edge_routers: watch::Sender::new(Arc::default()),
            posture: watch::Sender::new(Arc::default()),
        })
    }

    /// Whether there is a session. Renewed tokens are told as a session, too.
    pub fn state(&self) -> watch::Receiver<SessionState> {
        self.state.subscribe()
    }

    /// Waits until there is a session.
    ///
    /// # Errors
    ///
    /// Why the login is [`Refused`](SessionState::Refused), and [`SessionError::Closed`].
    pub async fn opened(&self) -> Result<Arc<ApiSession>, SessionError> {
        let mut state = self.state.subscribe();
        loop {
            match &*state.borrow_and_update() {
                SessionState::Open(session) => return Ok(Arc::clone(session)),
                SessionState::Refused(reason) => return Err(reason.clone()),
                SessionState::Closed => return Err(SessionError::Closed),
                SessionState::LoggingIn
                | SessionState::WaitingForCode
                | SessionState::Failed(_) => {},
            }
            state
                .changed()
                .await
                .map_err(|_closed| SessionError::Closed)?;
        }
    }

    /// Logs in now if there is no session, also after a refusal.
    pub fn log_in(&self) {}

    /// Says that a session does not count any more, as routers may find: the controller is asked whether it
    /// does, and otherwise for another one.
    pub fn doubt(&self, _session: &ApiSession) {}

    /// The services that the identity may use; `None` until they were read.
    pub fn services(&self) -> watch::Receiver<Option<Arc<Services>>> {
        self.services.subscribe()
    }

    /// A service by its name. If it is not known, the controller is asked once more, at most once a second.
    pub async fn service(&self, _name: &str) -> Result<Option<Arc<Service>>, SessionError> {
        Err(SessionError::Closed)
    }

    /// The identity of the session; `None` until it was read.
    pub fn own_identity(&self) -> watch::Receiver<Option<Arc<OwnIdentity>>> {
        self.own_identity.subscribe()
    }

    /// The edge routers that the identity may use.
    pub fn edge_routers(&self) -> watch::Receiver<Arc<[EdgeRouter]>> {
        self.edge_routers.subscribe()
    }

    /// What posture queries ask for, as it was found last. Controllers were told already; edge routers, which
    /// judge sessions of OpenID Connect, have to be told over their channels.
    pub fn posture(&self) -> watch::Receiver<Arc<[Report]>> {
        self.posture.subscribe()
    }

    /// A session of a service, which legacy sessions need to dial or host it. It is kept until
    /// [`forget_service_session`](Self::forget_service_session), or until the API session is another one.
    pub async fn service_session(
        &self,
        _service: &ServiceId,
        _grant: ServiceGrant,
    ) -> Result<Arc<ServiceSession>, SessionError> {
        Err(SessionError::Closed)
    }

    /// Says that a session of a service does not count any more: the next one will be another one.
    pub fn forget_service_session(&self, _session: &ServiceSession) {}

    /// What edge routers are shown in TLS: the certificate of the identity, or else one that the controller
    /// issues for this session.
    pub async fn router_credential(&self) -> Result<Arc<RouterCredential>, SessionError> {
        Err(SessionError::Closed)
    }

    /// Reads the services anew, soon.
    pub fn refresh(&self) {}

    /// Reports that the computer woke up, or was unlocked.
    pub fn report_endpoint_state(&self, _woken: bool, _unlocked: bool) {}

    /// Logs out, within two seconds, and ends.
    pub async fn close(&self) {}
}
