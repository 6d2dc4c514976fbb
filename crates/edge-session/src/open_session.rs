//! A session at a controller, until it is lost.

use crate::error::SessionError;
use crate::failure::Failure;
use crate::identity::RouterCredential;
use crate::oidc_tokens::{OidcTokens, SharedTokens};
use crate::service::Services;
use crate::service_session::{ServiceSession, ServiceSessionKey};
use crate::session::ServiceRouters;
use crate::state::{ApiSession, SessionKind};
use parking_lot::Mutex;
use portcullis_api::api_session::ApiSessionDetail;
use portcullis_api::session::{SessionCreate, SessionDetail};
use portcullis_api::session_certificate::{SessionCertificateCreate, SessionCertificateCreated};
use portcullis_client::{Api, Body, Client, ClientError, Endpoint, Url};
use portcullis_domain::clock::{SignedDuration, Timestamp, saturating_add};
use portcullis_domain::tags::Tags;
use portcullis_pki::{KeyType, SigningKey, Subject, certificates_from_pem, create_csr};
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::{self, OnceCell, watch};
use tokio::task;

/// Time after which controllers forget legacy sessions, if they do not say it.
const IDLE_TIMEOUT: Duration = Duration::from_mins(10);

/// Shortest such time that is believed, so that requests do not follow each other without a pause.
const SHORTEST_IDLE_TIMEOUT: Duration = Duration::from_secs(10);

/// The part of its life, in percent, after which a certificate for edge routers is replaced.
const REISSUED_AFTER: i64 = 60;

/// A session at a controller, and what was asked for in it.
#[derive(Debug)]
pub(crate) struct OpenSession {
    pub(crate) client: Client,
    pub(crate) protocol: OpenProtocol,
    pub(crate) service_routers: ServiceRouters,
    service_sessions: Mutex<BTreeMap<ServiceSessionKey, Arc<OnceCell<Arc<ServiceSession>>>>>,
    issued: sync::Mutex<Option<IssuedCredential>>,
}

/// A certificate for edge routers, which lives shorter than a session may.
#[derive(Debug)]
struct IssuedCredential {
    credential: Arc<RouterCredential>,
    /// When another one is asked for.
    reissued_at: Timestamp,
    not_after: Timestamp,
}

/// What keeps the session alive.
#[derive(Debug)]
pub(crate) enum OpenProtocol {
    /// Being used.
    Legacy {
        session: watch::Sender<Arc<ApiSession>>,
        idle_timeout: Duration,
    },
    /// Other tokens.
    Oidc(Arc<OidcTokens>),
}

impl OpenSession {
    pub(crate) fn legacy(client: Client, controller: &Url, session: ApiSessionDetail) -> Self {
        let idle_timeout = session.expiration_seconds.map(u64::try_from);
        let idle_timeout = idle_timeout.and_then(Result::ok).map(Duration::from_secs);
        let session = ApiSession {
            kind: SessionKind::Legacy,
            token: session.token,
            expires_at: None,
            identity: session.identity_id,
            controller: controller.clone(),
        };
        let protocol = OpenProtocol::Legacy {
            session: watch::Sender::new(Arc::new(session)),
            idle_timeout: idle_timeout
                .unwrap_or(IDLE_TIMEOUT)
                .max(SHORTEST_IDLE_TIMEOUT),
        };
        Self::new(client, protocol)
    }

    /// `client` has no session.
    pub(crate) fn oidc(client: &Client, tokens: OidcTokens) -> Self {
        let tokens = Arc::new(tokens);
        let client = client.with_access_tokens(SharedTokens(Arc::clone(&tokens)));
        Self::new(client, OpenProtocol::Oidc(tokens))
    }

    fn new(client: Client, protocol: OpenProtocol) -> Self {
        Self {
            client,
            protocol,
            service_routers: ServiceRouters::default(),
            service_sessions: Mutex::default(),
            issued: sync::Mutex::default(),
        }
    }

    /// The session with its present token, and those that come later.
    pub(crate) fn announced(&self) -> &watch::Sender<Arc<ApiSession>> {
        match &self.protocol {
            OpenProtocol::Legacy { session, .. } => session,
            OpenProtocol::Oidc(tokens) => tokens.announced(),
        }
    }

    /// Ends the session.
    pub(crate) async fn log_out(&self) -> Result<(), ClientError> {
        match &self.protocol {
            OpenProtocol::Legacy { .. } => self.client.log_out(Api::Client).await,
            OpenProtocol::Oidc(tokens) => tokens.revoke().await,
        }
    }

    /// The session of a service, which is asked for once.
    pub(crate) async fn service_session(
        &self,
        key: &ServiceSessionKey,
    ) -> Result<Arc<ServiceSession>, SessionError> {
        let cell = {
            let mut sessions = self.service_sessions.lock();
            Arc::clone(sessions.entry(key.clone()).or_default())
        };
        let session = cell
            .get_or_try_init(|| self.create_service_session(key))
            .await;
        if session.is_err() {
            self.remove_service_session(key, |other| Arc::ptr_eq(other, &cell));
        }
        session.cloned()
    }

    async fn create_service_session(
        &self,
        key: &ServiceSessionKey,
    ) -> Result<Arc<ServiceSession>, SessionError> {
        let body = SessionCreate {
            service_id: key.service.clone(),
            tags: Tags::default(),
            grant: key.grant,
        };
        let of_service = |error: ClientError| Failure::from(error).of_service(&key.service);
        let body = Body::json(&body).map_err(of_service)?;
        let endpoint = Endpoint::new(Api::Client, "sessions");
        let detail: SessionDetail = self
            .client
            .post(&endpoint, body)
            .await
            .map_err(of_service)?;
        let routers = detail.edge_routers.into_iter().flatten();
        Ok(Arc::new(ServiceSession {
            id: detail.base.id,
            key: key.clone(),
            token: detail.token,
            edge_routers: routers.map(Into::into).collect(),
        }))
    }

    /// Asks for another session of the service the next time.
    pub(crate) fn forget_service_session(&self, session: &ServiceSession) {
        self.remove_service_session(&session.key, |cell| {
            cell.get().is_some_and(|known| known.id == session.id)
        });
    }

    /// Forgets the sessions of services that are not there any more.
    pub(crate) fn retain_services(&self, services: &Services) {
        let mut sessions = self.service_sessions.lock();
        sessions.retain(|key, _| services.by_id(&key.service).is_some());
    }

    fn remove_service_session(
        &self,
        key: &ServiceSessionKey,
        is_meant: impl FnOnce(&Arc<OnceCell<Arc<ServiceSession>>>) -> bool,
    ) {
        let mut sessions = self.service_sessions.lock();
        if sessions.get(key).is_some_and(is_meant) {
            sessions.remove(key);
        }
    }

    /// A certificate for edge routers, which the controller issues for this session.
    pub(crate) async fn credential(
        &self,
        now: Timestamp,
    ) -> Result<Arc<RouterCredential>, SessionError> {
        let mut issued = self.issued.lock().await;
        if let Some(present) = &*issued
            && now < present.reissued_at
        {
            return Ok(Arc::clone(&present.credential));
        }
        match (Box::pin(self.create_credential(now)).await, &mut *issued) {
            (Ok(new), issued) => Ok(Arc::clone(&issued.insert(new).credential)),
            (Err(error), Some(present)) if now < present.not_after => {
                tracing::debug!(%error, "the certificate for edge routers is not replaced yet");
                Ok(Arc::clone(&present.credential))
            },
            (Err(error), _) => Err(error),
        }
    }

    async fn create_credential(&self, now: Timestamp) -> Result<IssuedCredential, SessionError> {
        let name = self.announced().borrow().identity.to_string();
        let made = task::spawn_blocking(move || {
            let key = SigningKey::generate(KeyType::P256).map_err(not_made)?;
            let csr = create_csr(&key, &Subject::new().common_name(&name)).map_err(not_made)?;
            Ok::<_, SessionError>((key.to_rustls().map_err(not_made)?, csr))
        });
        let (key, csr) = made.await.map_err(not_made)??;
        let body = Body::json(&SessionCertificateCreate { csr }).map_err(Failure::from)?;
        let endpoint = Endpoint::new(Api::Client, "current-api-session").join("certificates");
        let issued: Result<SessionCertificateCreated, _> = self.client.post(&endpoint, body).await;
        let issued = issued.map_err(Failure::from)?;
        let chain = certificates_from_pem(&issued.certificate).map_err(not_made)?;
        let leaf = chain.first().ok_or(SessionError::NoCertificate)?;
        Ok(IssuedCredential {
            credential: Arc::new(RouterCredential {
                chain: chain.iter().map(|one| one.as_rustls().clone()).collect(),
                key,
            }),
            reissued_at: reissued_at(now, leaf.not_after()),
            not_after: leaf.not_after(),
        })
    }
}

/// When a certificate that is issued now is to be replaced.
fn reissued_at(now: Timestamp, not_after: Timestamp) -> Timestamp {
    let life = now.duration_until(not_after).as_secs().max(0);
    saturating_add(now, SignedDuration::from_secs(life / 100 * REISSUED_AFTER))
}

fn not_made(error: impl std::error::Error + Send + Sync + 'static) -> SessionError {
    SessionError::Certificate(Arc::new(error))
}
