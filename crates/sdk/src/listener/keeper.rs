//! Keeping the terminators of a listener.

use super::hosting::{Hosting, Terms, on_wire};
use super::options::ListenOptions;
use super::progress::Progress;
use crate::channel::OfferSink;
use crate::context::Shared;
use crate::error::ListenError;
use bytes::Bytes;
use futures_util::StreamExt as _;
use futures_util::stream::FuturesUnordered;
use portcullis_channel::group::{Backoff, Jitter};
use portcullis_domain::ids::ServiceId;
use portcullis_domain::policies::ServiceGrant;
use portcullis_e2e_encryption::KeyPair;
use portcullis_edge_session::{EdgeRouter, Service, ServiceSession, Services};
use portcullis_sdk_proto::{BindEnd, BindRequest, Refusal, Retry};
use portcullis_wire::{Secret, Token};
use secrecy::ExposeSecret as _;
use std::collections::{HashMap, HashSet};
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::watch;
use tokio::time::{Instant, sleep_until};

/// Pauses after failures in a row, at one router or of the whole.
const BACKOFF: Backoff = Backoff {
    initial: Duration::from_millis(500),
    max: Duration::from_mins(1),
    jitter: Jitter::Half,
};

/// How often is looked for more routers if there are too few.
const SEARCH_INTERVAL: Duration = Duration::from_secs(30);

/// How long routers may take to learn what the controller has granted.
const LAG: Duration = Duration::from_secs(1);

/// Failures of a router in a row after which the list of routers may be out of date.
const STALE_AFTER: u32 = 3;

/// A terminator, until it is over.
type Terminator = Pin<Box<dyn Future<Output = Ended> + Send>>;

/// Keeps the terminators of a listener.
pub(super) struct Keeper {
    context: Arc<Shared>,
    options: ListenOptions,
    offers: OfferSink,
    terms: watch::Receiver<Terms>,
    progress: watch::Sender<Progress>,
    listener_id: Bytes,
    keys: Arc<KeyPair>,
    running: FuturesUnordered<Terminator>,
    /// Routers that have a terminator, or will.
    active: HashSet<String>,
    pauses: HashMap<String, Pause>,
    /// The edge routers of the identity, as they come and go.
    routers: watch::Receiver<Arc<[EdgeRouter]>>,
    services: watch::Receiver<Option<Arc<Services>>>,
    /// What there are terminators for.
    hosted: Option<Hosted>,
    /// In a row, to find out where to host.
    failures: u32,
    next_search: Instant,
}

/// What terminators depend on: where it changes, they are created anew.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Hosted {
    service: ServiceId,
    is_encrypted: bool,
}

/// Where a service may be hosted.
struct Candidates {
    service: Arc<Service>,
    session: Arc<ServiceSession>,
    routers: Arc<[EdgeRouter]>,
}

/// A router that is not used for a while.
#[derive(Debug, Clone, Copy)]
struct Pause {
    failures: u32,
    until: Instant,
}

/// Why a terminator is over.
struct Ended {
    router: String,
    why: ListenError,
    was_bound: bool,
    session: Arc<ServiceSession>,
}

impl Keeper {
    pub(super) fn new(
        context: &Arc<Shared>,
        options: ListenOptions,
        offers: OfferSink,
        terms: watch::Receiver<Terms>,
        progress: watch::Sender<Progress>,
    ) -> Result<Self, ListenError> {
        Ok(Self {
            context: Arc::clone(context),
            options,
            offers,
            terms,
            progress,
            listener_id: context.randomness.listener_id()?,
            keys: Arc::new(context.randomness.key_pair()?),
            running: FuturesUnordered::new(),
            active: HashSet::new(),
            pauses: HashMap::new(),
            routers: context.session.edge_routers(),
            services: context.session.services(),
            hosted: None,
            failures: 0,
            next_search: Instant::now(),
        })
    }

    pub(super) async fn run(mut self) {
        loop {
            let wants_more = self.active.len() < self.options.max_connections.max(1);
            if wants_more && self.next_search <= Instant::now() {
                self.search().await;
                continue;
            }
            tokio::select! {
                Some(ended) = self.running.next() => self.ended(ended),
                Ok(()) = self.routers.changed(), if wants_more => {
                    self.next_search = Instant::now();
                },
                Ok(()) = self.services.changed() => self.services_changed(),
                () = sleep_until(self.next_search), if wants_more => {},
            }
        }
    }

    /// Begins to host where there is no terminator yet.
    async fn search(&mut self) {
        match candidates(&self.context, &self.options.service).await {
            Ok(candidates) => {
                self.failures = 0;
                let hosted = Hosted::from(&*candidates.service);
                if self.hosted.as_ref() != Some(&hosted) {
                    self.end_terminators();
                    self.hosted = Some(hosted);
                }
                self.begin(&candidates);
            },
            Err(error) => {
                self.failures = self.failures.saturating_add(1);
                self.next_search = Instant::now() + self.pause(self.failures);
                let is_final = !error.is_temporary();
                self.failed(error, is_final);
            },
        }
    }

    /// The service may be gone, another one by the same name, or encrypted from now on.
    fn services_changed(&mut self) {
        let service = match &*self.services.borrow_and_update() {
            Some(services) => services.get(&self.options.service).cloned(),
            None => return,
        };
        let service = service.filter(|service| service.allows(ServiceGrant::Bind));
        let hosted = service.as_deref().map(Hosted::from);
        if self.hosted != hosted {
            self.end_terminators();
            self.hosted = None;
            self.next_search = Instant::now();
        }
    }

    /// Their streams go on.
    fn end_terminators(&mut self) {
        self.running.clear();
        self.active.clear();
        self.pauses.clear();
    }

    fn failed(&self, error: ListenError, is_final: bool) {
        let service = &self.options.service;
        let mut text = Some(error.to_string());
        self.progress.send_if_modified(|progress| {
            if !progress.failed(error, is_final) {
                text = None;
            }
            true
        });
        if let Some(error) = text {
            tracing::warn!(service, error, "the service is not hosted");
        }
    }

    fn begin(&mut self, candidates: &Candidates) {
        let now = Instant::now();
        let present = self.context.routers.ranked(&candidates.routers);
        let mut next_search = self.look_for_lost(&present, now);
        for router in present {
            if self.active.len() >= self.options.max_connections.max(1) {
                break;
            }
            if self.active.contains(&router.name) {
                continue;
            }
            match self.pauses.get(&router.name) {
                Some(pause) if pause.until > now => next_search = next_search.min(pause.until),
                _ => {
                    self.active.insert(router.name.clone());
                    let terminator =
                        self.terminator(router, &candidates.service, &candidates.session);
                    self.running.push(terminator);
                },
            }
        }
        self.next_search = next_search;
    }

    /// Routers that have ended and are away come back soon where they are restarted: they are looked for more often, and
    /// ever more seldom. Answers when the next search is due.
    fn look_for_lost(&mut self, present: &[EdgeRouter], now: Instant) -> Instant {
        let mut next_search = now + SEARCH_INTERVAL;
        let number = self.context.randomness.number();
        self.pauses.retain(|name, pause| {
            if present.iter().any(|router| router.name == *name) {
                return true;
            }
            if pause.until <= now {
                pause.failures = pause.failures.saturating_add(1);
                pause.until = now + BACKOFF.delay(pause.failures, number);
            }
            let is_soon = pause.until < now + SEARCH_INTERVAL;
            if is_soon {
                next_search = next_search.min(pause.until);
            }
            is_soon
        });
        next_search
    }

    fn terminator(
        &self,
        router: EdgeRouter,
        service: &Service,
        session: &Arc<ServiceSession>,
    ) -> Terminator {
        let mut hosting = Hosting {
            service: self.options.service.clone(),
            router: router.name.clone(),
            offers: self.offers.clone(),
            terms: self.terms.clone(),
            progress: self.progress.clone(),
        };
        // What changes from now on is told later.
        let terms = *hosting.terms.borrow_and_update();
        let request = BindRequest {
            session: Token::new(session.token.expose_secret().to_owned()),
            listener_id: Some(self.listener_id.clone()),
            instance_id: self.options.identity.clone(),
            instance_secret: self.options.identity_secret.clone().map(Secret::new),
            keys: service.encryption_required.then(|| Arc::clone(&self.keys)),
            cost: Some(terms.cost),
            precedence: Some(on_wire(terms.precedence)),
            prefers_xgress: true,
        };
        let connecting = self.context.routers.channel(&router);
        let session = Arc::clone(session);
        Box::pin(async move {
            let router = router.name;
            let (why, was_bound) = match connecting.await {
                Ok(channel) => hosting.run(&channel, request).await,
                Err(why) => {
                    let router = router.clone();
                    (ListenError::Unreachable { router, why }, false)
                },
            };
            Ended {
                router,
                why,
                was_bound,
                session,
            }
        })
    }

    /// Follows up after a terminator that is over: another one takes its place.
    fn ended(&mut self, ended: Ended) {
        let Ended {
            router,
            why,
            was_bound,
            session,
        } = ended;
        let service = &self.options.service;
        tracing::debug!(service, router, error = %why, was_bound, "service not hosted any more");
        self.active.remove(&router);
        let before = self.pauses.get(&router).filter(|_| !was_bound);
        let failures = before.map_or(1, |pause| pause.failures.saturating_add(1));
        // Controllers grant what routers learn of a moment later.
        let lags = failures == 1 && refusal(&why).is_some_and(Refusal::may_be_early);
        let pause = self
            .pause(failures)
            .max(if lags { LAG } else { Duration::ZERO });
        let until = Instant::now() + pause;
        self.pauses.insert(router, Pause { failures, until });
        match refusal(&why).map(|refusal| refusal.retry) {
            Some(Retry::NewSession) => self.context.session.forget_service_session(&session),
            Some(Retry::NewLogin) => {
                let api = self.context.session.state().borrow().open().map(Arc::clone);
                if let Some(api) = api {
                    self.context.session.doubt(&api);
                }
            },
            // It may be another service by now, or have other routers.
            Some(Retry::GiveUp) => {
                self.context.session.refresh();
                self.context.session.forget_service_session(&session);
            },
            _ if self.active.is_empty() && failures.is_multiple_of(STALE_AFTER) => {
                self.context.session.forget_service_session(&session);
            },
            _ => {},
        }
        self.pauses
            .retain(|_, pause| pause.until + SEARCH_INTERVAL > Instant::now());
        self.next_search = Instant::now();
        if self.active.is_empty() {
            let is_final = !lags && !why.is_temporary();
            self.failed(why, is_final);
        }
    }

    fn pause(&self, failures: u32) -> Duration {
        BACKOFF.delay(failures, self.context.randomness.number())
    }
}

impl From<&Service> for Hosted {
    fn from(service: &Service) -> Self {
        Self {
            service: service.id.clone(),
            is_encrypted: service.encryption_required,
        }
    }
}

/// What the router has refused the terminator with.
fn refusal(why: &ListenError) -> Option<&Refusal> {
    match why {
        ListenError::Ended { why, .. } => match &**why {
            BindEnd::Refused(refusal) => Some(refusal),
            BindEnd::TimedOut | BindEnd::ChannelEnded => None,
        },
        _ => None,
    }
}

/// Where the service may be hosted now.
async fn candidates(context: &Shared, name: &str) -> Result<Candidates, ListenError> {
    let session = &context.session;
    let name = || name.to_owned();
    let service = session
        .service(&name())
        .await
        .map_err(ListenError::Session)?;
    let service = service.ok_or_else(|| ListenError::NoService { service: name() })?;
    if !service.allows(ServiceGrant::Bind) {
        return Err(ListenError::NotPermitted { service: name() });
    }
    let granted = session.service_session(&service.id, ServiceGrant::Bind);
    let granted = granted.await.map_err(ListenError::Session)?;
    // Policies may have changed since the last time.
    session.forget_service_routers(&service.id);
    let routers = session.service_routers(&service.id, ServiceGrant::Bind);
    let routers = routers.await.map_err(ListenError::Session)?;
    if routers.iter().all(|router| router.tls().is_none()) {
        session.forget_service_session(&granted);
        return Err(ListenError::NoRouter { service: name() });
    }
    Ok(Candidates {
        service,
        session: granted,
        routers,
    })
}
