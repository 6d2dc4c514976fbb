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
use portcullis_domain::policies::ServiceGrant;
use portcullis_e2e_encryption::KeyPair;
use portcullis_edge_session::{EdgeRouter, Service, ServiceSession, SessionState};
use portcullis_sdk_proto::{BindEnd, BindRequest, Retry};
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
const LOOK_INTERVAL: Duration = Duration::from_secs(30);

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
    rests: HashMap<String, Rest>,
    /// The edge routers of the identity, as they come and go.
    routers: watch::Receiver<Arc<[EdgeRouter]>>,
    /// Those that sessions have not listed, though there may be newer sessions that do.
    unlisted: HashSet<String>,
    /// In a row, to find out where to host.
    failures: u32,
    next_look: Instant,
}

/// A router that is not used for a while.
#[derive(Debug, Clone, Copy)]
struct Rest {
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
            rests: HashMap::new(),
            routers: context.session.edge_routers(),
            unlisted: HashSet::new(),
            failures: 0,
            next_look: Instant::now(),
        })
    }

    pub(super) async fn run(mut self) {
        loop {
            let wants_more = self.active.len() < self.options.max_connections.max(1);
            if wants_more && self.next_look <= Instant::now() {
                self.look().await;
                continue;
            }
            tokio::select! {
                Some(ended) = self.running.next() => self.ended(ended),
                Ok(()) = self.routers.changed(), if wants_more => {
                    self.next_look = Instant::now();
                },
                () = sleep_until(self.next_look), if wants_more => {},
            }
        }
    }

    /// Begins to host where there is no terminator yet.
    async fn look(&mut self) {
        match place(&self.context, &self.options.service).await {
            Ok((service, session)) => {
                self.failures = 0;
                if self.is_outdated(&session) {
                    self.context.session.forget_service_session(&session);
                } else {
                    self.begin(&service, &session);
                }
            },
            Err(error) => {
                let service = &self.options.service;
                tracing::debug!(service, %error, "no terminators are created");
                let session = &self.context.session;
                if matches!(&*session.state().borrow(), SessionState::Refused(_)) {
                    session.log_in();
                }
                self.failures = self.failures.saturating_add(1);
                self.next_look = Instant::now() + self.pause(self.failures);
                self.progress.send_modify(|progress| progress.failed(error));
            },
        }
    }

    /// Whether there are routers that the session does not list, and that were not there when it was opened.
    fn is_outdated(&mut self, session: &ServiceSession) -> bool {
        let routers = self.routers.borrow_and_update();
        let listed = &session.edge_routers;
        let is_listed = |name: &str| listed.iter().any(|one| one.name == name);
        let unlisted = routers.iter().filter(|router| !is_listed(&router.name));
        let before = self.unlisted.len();
        self.unlisted
            .extend(unlisted.map(|router| router.name.clone()));
        self.unlisted.len() > before
    }

    /// The routers of a session, with the addresses that they have now.
    fn present(&self, session: &ServiceSession) -> Vec<EdgeRouter> {
        let now = self.routers.borrow();
        let current = |router: &EdgeRouter| {
            let current = now.iter().find(|one| one.name == router.name);
            current.filter(|one| one.tls().is_some()).cloned()
        };
        let routers = session.edge_routers.iter();
        routers
            .map(|router| current(router).unwrap_or_else(|| router.clone()))
            .collect()
    }

    fn begin(&mut self, service: &Service, session: &Arc<ServiceSession>) {
        let now = Instant::now();
        let mut next_look = now + LOOK_INTERVAL;
        let routers = self.present(session);
        for router in self.context.routers.ranked(&routers) {
            if self.active.len() >= self.options.max_connections.max(1) {
                break;
            }
            if self.active.contains(&router.name) {
                continue;
            }
            match self.rests.get(&router.name) {
                Some(rest) if rest.until > now => next_look = next_look.min(rest.until),
                _ => {
                    self.active.insert(router.name.clone());
                    let terminator = self.terminator(router, service, session);
                    self.running.push(terminator);
                },
            }
        }
        self.next_look = next_look;
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
        let before = self.rests.get(&router).filter(|_| !was_bound);
        let failures = before.map_or(1, |rest| rest.failures.saturating_add(1));
        let until = Instant::now() + self.pause(failures);
        self.rests.insert(router, Rest { failures, until });
        match advice(&why) {
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
        self.rests
            .retain(|_, rest| rest.until + LOOK_INTERVAL > Instant::now());
        self.next_look = Instant::now();
        if self.active.is_empty() {
            self.progress.send_modify(|progress| progress.failed(why));
        }
    }

    fn pause(&self, failures: u32) -> Duration {
        BACKOFF.delay(failures, self.context.randomness.number())
    }
}

/// What the router advises, if it has refused the terminator.
fn advice(why: &ListenError) -> Option<Retry> {
    match why {
        ListenError::Ended { why, .. } => match &**why {
            BindEnd::Refused(refusal) => Some(refusal.retry),
            BindEnd::TimedOut | BindEnd::ChannelEnded => None,
        },
        _ => None,
    }
}

/// The service, and a session for it.
async fn place(
    context: &Shared,
    name: &str,
) -> Result<(Arc<Service>, Arc<ServiceSession>), ListenError> {
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
    if granted.edge_routers.is_empty() {
        session.forget_service_session(&granted);
        return Err(ListenError::NoRouter { service: name() });
    }
    Ok((service, granted))
}
