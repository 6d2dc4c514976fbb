//! Control channels: the router's sessions with all controllers.
//!
//! ```text
//! KnownControllers -> Roster -> Session for each target -> channel, Controllers, ControlService
//!        ^                         |
//!        +---- who leads, where ---+
//! ```
//!
//! A session dials one controller as long as that is known, and replaces its channel when it ends. What
//! concerns the control channels themselves it handles itself; everything else is handed to the
//! [`ControlService`].

mod connector;
mod endpoints;
mod failures;
mod interfaces;
mod renewal;
mod roster;
mod session;
#[cfg(test)]
pub(crate) mod tests;

use std::sync::Arc;
use std::time::Duration;

use parking_lot::Mutex;
use portcullis_domain::entropy::{self, Entropy};
use portcullis_router::control::{ControlSettings, Greeting, InterfaceSettings, KnownControllers};
use portcullis_router::edge::ControllerId;
use portcullis_transport::{Observer, Transport, TransportLimits};
use portcullis_wire::control::certificate::ExtendedCertificates;
use tokio::sync::{Notify, mpsc, watch};
use tokio::time::timeout;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use crate::channel_traces::ChannelTraces;
use crate::clock::RouterClock;
use crate::controllers::{ControlService, Controllers};
use crate::name_lookups::NameLookups;
use crate::outgoing::Outgoing;
use crate::socket_mark::SocketMark;
use crate::tls::Tls;
use failures::Failures;
use interfaces::InterfaceReporter;
use renewal::{Renewal, renewals};
use roster::Roster;

pub(crate) use endpoints::known_controllers;
pub(crate) use renewal::{CertificateRequests, RenewableIdentity, RenewalTrigger};

#[cfg(test)]
pub(crate) use renewal::waiting_renewal;

/// New certificates that may wait; there is one request at a time.
const CERTIFICATES: usize = 4;

/// What control sessions are made of.
pub(crate) struct ControlSetup {
    pub(crate) settings: ControlSettings,
    pub(crate) greeting: Greeting,
    pub(crate) tls: Arc<Tls>,
    pub(crate) clock: RouterClock,
    pub(crate) entropy: Arc<dyn Entropy>,
    pub(crate) controllers: Arc<Controllers>,
    /// As [`known_controllers`] knows them at the start.
    pub(crate) known: Arc<Mutex<KnownControllers>>,
    pub(crate) service: Arc<dyn ControlService>,
    /// Is shown all messages, if there is one.
    pub(crate) observer: Option<Arc<dyn Observer>>,
    pub(crate) traces: Arc<ChannelTraces>,
    /// `None` if interfaces are not reported.
    pub(crate) interfaces: Option<InterfaceSettings>,
    /// `None` if controllers do not renew the router's certificates.
    pub(crate) identity: Option<Arc<dyn RenewableIdentity>>,
    /// Whether they are asked for that at once.
    pub(crate) renews_at_once: bool,
    pub(crate) mark: SocketMark,
}

/// The control sessions of a router.
#[derive(Debug, Clone)]
pub(crate) struct Control {
    context: Arc<Context>,
    renewal: Option<RenewalTrigger>,
}

/// No controller could be reached in time.
#[derive(Debug, thiserror::Error)]
#[error("no controller was reached within {limit:?} (ctrl.startupTimeout): {reasons}")]
pub struct NoControllerError {
    limit: Duration,
    reasons: String,
}

/// What the sessions share.
struct Context {
    settings: ControlSettings,
    greeting: Greeting,
    tls: Arc<Tls>,
    outgoing: Outgoing,
    clock: RouterClock,
    entropy: Arc<dyn Entropy>,
    controllers: Arc<Controllers>,
    service: Arc<dyn ControlService>,
    traces: Arc<ChannelTraces>,
    transport: Transport,
    known: Arc<Mutex<KnownControllers>>,
    /// Something is known that was not before.
    news: Notify,
    failures: Failures,
    /// Whether there was ever a controller.
    reached: watch::Sender<bool>,
    certificates: mpsc::Sender<(ControllerId, ExtendedCertificates)>,
    identity: Option<Arc<dyn RenewableIdentity>>,
}

impl ControlSetup {
    /// Starts to dial. Everything ends when `stop` is cancelled.
    pub(crate) fn start(self, tasks: &TaskTracker, stop: &CancellationToken) -> Control {
        let limits = TransportLimits::default();
        let limits = TransportLimits {
            stall: self.settings.write_timeout.unwrap_or(limits.stall),
            ..limits
        };
        let (certificates, issued) = mpsc::channel(CERTIFICATES);
        let context = Arc::new(Context {
            transport: Transport::new(self.clock.of_channels(), limits).observed(self.observer),
            settings: self.settings,
            greeting: self.greeting,
            tls: self.tls,
            outgoing: Outgoing {
                lookups: NameLookups::of_controllers(),
                mark: self.mark,
            },
            clock: self.clock,
            entropy: self.entropy,
            controllers: self.controllers,
            service: self.service,
            traces: self.traces,
            known: self.known,
            news: Notify::new(),
            failures: Failures::default(),
            reached: watch::Sender::new(false),
            certificates,
            identity: self.identity.clone(),
        });
        let roster = Roster::new(Arc::clone(&context), tasks.clone(), stop.clone());
        tasks.spawn(roster.run());
        if let Some(settings) = self.interfaces {
            let reporter = InterfaceReporter::new(Arc::clone(&context), settings);
            let stop = stop.clone();
            tasks.spawn(async move { stop.run_until_cancelled(reporter.run()).await });
        }
        let renewal = self.identity.map(|identity| {
            let (trigger, orders) = renewals();
            let is_forced = self.renews_at_once;
            let renewal = Renewal::new(Arc::clone(&context), identity, (issued, orders), is_forced);
            let stop = stop.clone();
            tasks.spawn(async move { stop.run_until_cancelled(renewal.run()).await });
            trigger
        });
        Control { context, renewal }
    }
}

impl Control {
    /// Has certificates renewed before it is time; `None` if controllers do not renew them.
    pub(crate) const fn renewal(&self) -> Option<&RenewalTrigger> {
        self.renewal.as_ref()
    }

    /// Waits for the first controller, as long as the configuration says.
    pub(crate) async fn first_contact(&self) -> Result<(), NoControllerError> {
        let contact = self.context.first_contact();
        let Some(limit) = self.context.settings.startup_timeout else {
            contact.await;
            return Ok(());
        };
        let reached = timeout(limit, contact).await;
        reached.map_err(|_elapsed| NoControllerError {
            limit,
            reasons: self.context.failures.summary(),
        })
    }
}

impl Context {
    /// Waits until there was a controller.
    async fn first_contact(&self) {
        let mut reached = self.reached.subscribe();
        // The sender lives as long as this.
        let _reached = reached.wait_for(|reached| *reached).await.is_ok();
    }

    fn random(&self) -> u32 {
        entropy::bytes(&*self.entropy).map_or(0, u32::from_le_bytes)
    }
}

impl std::fmt::Debug for Context {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter
            .debug_struct("Context")
            .field("known", &self.known)
            .finish_non_exhaustive()
    }
}
