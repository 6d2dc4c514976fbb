//! The attempts of a dial, at one router after the other.

use super::DialOptions;
use crate::channel::RouterChannel;
use crate::context::Shared;
use crate::error::DialError;
use crate::routers::RaceError;
use crate::stream::{ServiceStream, StreamInfo};
use portcullis_channel::group::{Backoff, Jitter};
use portcullis_domain::policies::ServiceGrant;
use portcullis_edge_session::{ApiSession, EdgeRouter, Service, ServiceSession, SessionKind};
use portcullis_sdk_proto::{DialFailure, DialRequest, Refusal, Retry, ServiceReference};
use portcullis_wire::{ErrorCode, Secret, Token};
use secrecy::ExposeSecret as _;
use std::collections::HashSet;
use std::sync::Arc;
use std::time::Duration;
use tokio::time::{Instant, sleep};

/// Refusals that are taken before a dial is given up.
const MAX_REFUSALS: u32 = 3;

/// Routers that are connected to at the same time.
const WIDTH: usize = 3;

/// How long one router is waited for.
const ATTEMPT_TIMEOUT: Duration = Duration::from_secs(5);

/// How long routers may take to learn what the controller has granted.
const LAG: Duration = Duration::from_secs(1);

/// Pauses between attempts.
const BACKOFF: Backoff = Backoff {
    initial: Duration::from_millis(100),
    max: Duration::from_secs(2),
    jitter: Jitter::Half,
};

/// The attempts of a dial.
pub(super) struct Attempts<'d> {
    context: &'d Arc<Shared>,
    options: &'d DialOptions,
    deadline: Instant,
    /// Routers that have refused.
    tried: HashSet<String>,
    failures: u32,
    refusals: u32,
    /// Whether it was waited for a router to learn what the controller knows.
    has_lagged: bool,
    /// What the last attempt has used.
    used: Used,
}

#[derive(Default)]
struct Used {
    api: Option<Arc<ApiSession>>,
    service: Option<Arc<Service>>,
    session: Option<Arc<ServiceSession>>,
    router: Option<String>,
    channel: Option<RouterChannel>,
}

impl<'d> Attempts<'d> {
    pub(super) fn new(
        context: &'d Arc<Shared>,
        options: &'d DialOptions,
        deadline: Instant,
    ) -> Self {
        Self {
            context,
            options,
            deadline,
            tried: HashSet::new(),
            failures: 0,
            refusals: 0,
            has_lagged: false,
            used: Used::default(),
        }
    }

    /// `last` is what the last attempt has met with.
    pub(super) async fn run(
        &mut self,
        last: &mut Option<DialError>,
    ) -> Result<ServiceStream, DialError> {
        loop {
            self.used = Used::default();
            let error = match self.attempt().await {
                Ok(stream) => return Ok(stream),
                Err(error) => error,
            };
            let service = &self.options.service;
            tracing::debug!(service, router = self.used.router, %error, "dial failed");
            self.follow(&error);
            let lags = !self.has_lagged && lags(&error);
            if !lags && (!error.is_temporary() || self.refusals >= MAX_REFUSALS) {
                return Err(error);
            }
            *last = Some(error);
            self.failures += 1;
            let random = self.context.randomness.number();
            let pause = BACKOFF.delay(self.failures, random);
            sleep(if lags { LAG } else { pause }).await;
            self.has_lagged |= lags;
        }
    }

    /// Does what the refusal advises before another attempt.
    fn follow(&mut self, error: &DialError) {
        let session = &self.context.session;
        self.tried.extend(self.used.router.take());
        match error {
            DialError::Failed { why, .. } => match &**why {
                DialFailure::Refused(refusal) => self.follow_refusal(refusal),
                DialFailure::ChannelEnded => {},
                DialFailure::TimedOut => {
                    self.refusals += 1;
                    self.router_was_silent();
                },
                // The service may be another one by now.
                _ => session.refresh(),
            },
            DialError::NoRouter { .. } | DialError::Unreachable { .. } => self.forget_routers(),
            _ => {},
        }
    }

    fn follow_refusal(&mut self, refusal: &Refusal) {
        let session = &self.context.session;
        // That says nothing of the service.
        if refusal.code == Some(ErrorCode::InvalidEdgeRouterForSession) {
            self.forget_routers();
            return;
        }
        self.refusals += 1;
        match (refusal.retry, &self.used.session, &self.used.api) {
            (Retry::NewSession, Some(used), _) => session.forget_service_session(used),
            (Retry::NewLogin, _, Some(used)) => session.doubt(used),
            // It may be another service by now.
            (Retry::GiveUp, ..) => session.refresh(),
            _ => {},
        }
    }

    /// The routers that are known may not be those that there are.
    fn forget_routers(&self) {
        let session = &self.context.session;
        if let Some(service) = &self.used.service {
            session.forget_service_routers(&service.id);
        }
        if let Some(used) = &self.used.session {
            session.forget_service_session(used);
        }
    }

    /// The router has not answered: its connection may be dead, or the session, which routers do not say.
    pub(super) fn router_was_silent(&self) {
        let Some(channel) = &self.used.channel else {
            return;
        };
        channel.suspect();
        if let Some(api) = self.used.api.as_ref().filter(|_| !channel.is_proven()) {
            self.context.session.doubt(api);
        }
    }

    async fn attempt(&mut self) -> Result<ServiceStream, DialError> {
        let service = self.service().await?;
        self.used.service = Some(Arc::clone(&service));
        let session = &self.context.session;
        let api = session.opened().await.map_err(DialError::Session)?;
        self.used.api = Some(Arc::clone(&api));
        let routers = self.routers(&service, api.kind).await?;
        let found = self.context.routers.any(&routers, WIDTH).await;
        let name = || self.options.service.clone();
        let found = found.ok_or_else(|| DialError::NoRouter { service: name() })?;
        let (router, channel) =
            found.map_err(|RaceError { router, why }| DialError::Unreachable { router, why })?;
        self.used.router = Some(router);
        self.used.channel = Some(channel.clone());
        let request = self.request(&service, &channel).await?;
        let marker = request.marker.clone();
        let dialing = channel.dial(request);
        let dialing = dialing.map_err(|why| DialError::NotDialed {
            service: name(),
            why,
        })?;
        let dialed = dialing.outcome().await;
        let (connection, connected) = dialed.map_err(|why| DialError::Failed {
            service: name(),
            why: Box::new(why),
        })?;
        let info = StreamInfo {
            service: Arc::from(service.name.as_str()),
            circuit_id: connected.circuit_id,
            is_encrypted: connected.is_encrypted,
            stickiness_token: connected.stickiness_token,
            caller: None,
            marker,
        };
        let context = Arc::clone(self.context);
        Ok(ServiceStream::new(connection, info, context))
    }

    async fn service(&self) -> Result<Arc<Service>, DialError> {
        let name = &self.options.service;
        let found = self.context.session.service(name).await;
        let found = found.map_err(DialError::Session)?;
        let service = found.ok_or_else(|| DialError::NoService {
            service: name.clone(),
        })?;
        if service.allows(ServiceGrant::Dial) {
            Ok(service)
        } else {
            Err(DialError::NotPermitted {
                service: name.clone(),
            })
        }
    }

    /// Where the service may be dialed: first at routers that were not tried.
    async fn routers(
        &mut self,
        service: &Service,
        kind: SessionKind,
    ) -> Result<Vec<EdgeRouter>, DialError> {
        // Why there is none, as posture checks, is said at once.
        if kind == SessionKind::Legacy {
            self.session(service).await?;
        }
        let session = &self.context.session;
        let routers = session.service_routers(&service.id, ServiceGrant::Dial);
        let mut routers = routers.await.map_err(DialError::Session)?.to_vec();
        if routers
            .iter()
            .all(|router| self.tried.contains(&router.name))
        {
            self.tried.clear();
        }
        routers.retain(|router| !self.tried.contains(&router.name));
        Ok(routers)
    }

    async fn session(&mut self, service: &Service) -> Result<Arc<ServiceSession>, DialError> {
        let session = &self.context.session;
        let session = session.service_session(&service.id, ServiceGrant::Dial);
        let session = session.await.map_err(DialError::Session)?;
        self.used.session = Some(Arc::clone(&session));
        Ok(session)
    }

    async fn request(
        &mut self,
        service: &Service,
        channel: &RouterChannel,
    ) -> Result<DialRequest, DialError> {
        let token = if channel.needs_sessions() {
            let session = self.session(service).await?;
            Some(Token::new(session.token.expose_secret().to_owned()))
        } else {
            None
        };
        let randomness = &self.context.randomness;
        let keys = service.encryption_required.then(|| randomness.dial_keys());
        let own = self.context.session.own_identity().borrow().clone();
        let left = self.deadline.saturating_duration_since(Instant::now());
        Ok(DialRequest {
            session: token,
            instance_id: self.options.identity.clone(),
            caller_id: own.map(|own| own.name.clone()),
            app_data: self.options.app_data.clone().map(Secret::new),
            marker: Some(randomness.marker()?),
            stickiness_token: self.options.stickiness_token.clone(),
            keys: keys.transpose()?,
            timeout: left.min(ATTEMPT_TIMEOUT),
            ..DialRequest::new(ServiceReference::Id(service.id.to_string()))
        })
    }
}

/// Whether the router may not know yet what the controller has granted.
fn lags(error: &DialError) -> bool {
    error.refusal().is_some_and(Refusal::may_be_early)
}
