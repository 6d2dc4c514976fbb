//! Hosting a service.

mod hosting;
mod keeper;
mod options;
mod progress;

pub use options::ListenOptions;

use crate::channel::{OfferQueue, offer_queue};
use crate::context::Shared;
use crate::error::ListenError;
use crate::incoming::Incoming;
use crate::randomness::Randomness;
use crate::stream::ServiceStream;
use hosting::Terms;
use keeper::Keeper;
use portcullis_domain::identity::Precedence;
use portcullis_domain::ids::ServiceId;
use portcullis_domain::policies::ServiceGrant;
use progress::Progress;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::watch;
use tokio::time::timeout;
use tokio_util::sync::{CancellationToken, DropGuard};

/// How long is waited for what administrators have said of the identity.
const IDENTITY_TIMEOUT: Duration = Duration::from_secs(5);

/// A service that is hosted.
///
/// It has terminators at several routers, under which others reach it; where one is lost, it is created again, or
/// at another router, with growing pauses. Dropping the listener removes them all; its streams go on.
///
/// What nobody accepts within 4.5 s is refused, and so is what does not fit into the queue any more
/// ([`ListenOptions::backlog`]).
#[derive(Debug)]
pub struct Listener {
    service: Arc<str>,
    offers: OfferQueue,
    terms: watch::Sender<Terms>,
    progress: watch::Receiver<Progress>,
    randomness: Randomness,
    context: Arc<Shared>,
    _stop: DropGuard,
}

impl Listener {
    pub(crate) async fn start(
        context: &Arc<Shared>,
        options: ListenOptions,
    ) -> Result<Self, ListenError> {
        let name = || options.service.clone();
        let found = context.session.service(&options.service).await;
        let found = found.map_err(ListenError::Session)?;
        let service = found.ok_or_else(|| ListenError::NoService { service: name() })?;
        if !service.allows(ServiceGrant::Bind) {
            return Err(ListenError::NotPermitted { service: name() });
        }
        let (sink, offers) = offer_queue(options.backlog);
        let (precedence, cost) = usual_terms(context, &service.id).await;
        let terms = watch::Sender::new(Terms {
            cost: options.cost.unwrap_or(cost),
            precedence: options.precedence.unwrap_or(precedence),
            is_healthy: None,
        });
        let (progress, seen) = watch::channel(Progress::default());
        let stop = context.closed.child_token();
        let keeper = Keeper::new(context, options, sink, terms.subscribe(), progress)?;
        context.tasks.spawn(keep(keeper, stop.clone()));
        Ok(Self {
            service: Arc::from(service.name.as_str()),
            offers,
            terms,
            progress: seen,
            randomness: context.randomness.clone(),
            context: Arc::clone(context),
            _stop: stop.drop_guard(),
        })
    }

    /// The name of the service.
    pub fn service(&self) -> &str {
        &self.service
    }

    /// Waits until others can dial the service, without limit while it may help: as long as routers are offline
    /// or posture checks fail, for instance. Use a timeout, and [`last_error`](Self::last_error) after it.
    ///
    /// # Errors
    ///
    /// Why the listener has no terminator, if waiting does not help. It goes on trying all the same.
    pub async fn established(&self) -> Result<(), ListenError> {
        let mut progress = self.progress.clone();
        let seen = progress.wait_for(Progress::is_decided).await;
        match &seen.map_err(|_ended| ListenError::Closed)?.failure {
            Some(failure) => Err(failure.error.clone()),
            None => Ok(()),
        }
    }

    /// Why there is no terminator, as far as that is known; also if waiting may help.
    pub fn last_error(&self) -> Option<ListenError> {
        let progress = self.progress.borrow();
        progress
            .failure
            .as_ref()
            .map(|failure| failure.error.clone())
    }

    /// At how many routers others reach the service now.
    pub fn terminators(&self) -> usize {
        self.progress.borrow().terminators
    }

    /// The next stream that somebody has opened. Dropping the future loses nothing.
    ///
    /// # Errors
    ///
    /// [`ListenError::Closed`], if the network was closed.
    pub async fn accept(&mut self) -> Result<ServiceStream, ListenError> {
        loop {
            let incoming = self.next().await.ok_or(ListenError::Closed)?;
            match incoming.accept() {
                Ok(stream) => return Ok(stream),
                Err(error) => tracing::debug!(service = &*self.service, %error, "not accepted"),
            }
        }
    }

    /// The next connection that somebody dials, to be accepted or refused; `None` if the network was closed.
    /// Dropping the future loses nothing.
    pub async fn next(&mut self) -> Option<Incoming> {
        let stopped = self.context.closed.cancelled();
        let offered = tokio::select! {
            offered = self.offers.next() => offered?,
            () = stopped => return None,
        };
        Some(Incoming::new(
            offered,
            Arc::clone(&self.service),
            self.randomness.clone(),
            Arc::<Shared>::clone(&self.context),
        ))
    }

    /// Changes cost and precedence of all terminators.
    pub fn update(&self, cost: u16, precedence: Precedence) {
        self.terms.send_if_modified(|terms| {
            let before = *terms;
            terms.cost = cost;
            terms.precedence = precedence;
            before != *terms
        });
    }

    /// Tells controllers whether the server behind the listener is healthy.
    pub fn report_health(&self, is_healthy: bool) {
        self.terms
            .send_modify(|terms| terms.is_healthy = Some(is_healthy));
    }
}

/// What administrators have said of how the identity hosts a service. It is read right after the services.
async fn usual_terms(context: &Shared, service: &ServiceId) -> (Precedence, u16) {
    let mut own = context.session.own_identity();
    let read = timeout(IDENTITY_TIMEOUT, own.wait_for(Option::is_some)).await;
    let own = read.ok().and_then(Result::ok);
    let own = own.as_ref().and_then(|own| own.as_deref());
    own.map_or_else(Default::default, |own| own.hosting(service))
}

async fn keep(keeper: Keeper, stop: CancellationToken) {
    stop.run_until_cancelled(Box::pin(keeper.run())).await;
}
