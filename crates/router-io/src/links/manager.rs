//! The links of a router.

mod actions;
mod carrying;
mod opening;
mod reports;

use std::collections::BTreeMap;
use std::sync::Arc;

use parking_lot::Mutex;
use portcullis_channel::group::GroupLimits;
use portcullis_domain::entropy::Entropy;
use portcullis_forwarding::WorkQueue;
use portcullis_metrics::{Meter, MetricName, MetricRegistry};
use portcullis_pki::Fingerprint;
use portcullis_router::circuits::QueueSize;
use portcullis_router::links::{
    Dial, Link, LinkKey, LinkListener, LinkSettings, LinkStatus, Links, PeerView, RouterId,
};
use portcullis_transport::{Groups, Observer, Transport, TransportLimits};
use portcullis_wire::control::link::{Fault, FaultSubject};
use portcullis_wire::control::peer::{self, PeerState, PeerStateChanges};
use portcullis_yaml::syntax::HostPort;
use tokio::sync::Notify;
use tokio::time::sleep_until;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use crate::channel_traces::ChannelTraces;
use crate::clock::RouterClock;
use crate::controllers::Controllers;
use crate::links::accept::MAX_ACCEPTED;
use crate::links::announcement::{announce, announced, interface_of};
use crate::links::counters::{Counters, LinkSizes};
use crate::links::dial::Dialing;
use crate::links::halves::Halves;
use crate::links::open_link::OpenLink;
use crate::links::service::LinkService;
use crate::links::verification::Verification;
use crate::links::view::LinkView;
use crate::listeners::Protocol;
use crate::name_lookups::NameLookups;
use crate::outgoing::Outgoing;
use crate::refusal_log::RefusalLog;
use crate::relay::Relay;
use crate::socket_mark::SocketMark;
use crate::tls::Tls;

/// What links need of a router.
pub(crate) struct LinkParts {
    /// Id of this router.
    pub(crate) router: Arc<str>,
    /// Of this software, such as `v2.1.0`.
    pub(crate) version: String,
    pub(crate) settings: LinkSettings,
    pub(crate) dials: QueueSize,
    pub(crate) relay: Arc<Relay>,
    pub(crate) metrics: Arc<MetricRegistry>,
    pub(crate) controllers: Arc<Controllers>,
    pub(crate) tls: Arc<Tls>,
    pub(crate) clock: RouterClock,
    pub(crate) entropy: Arc<dyn Entropy>,
    /// Is shown all messages, if there is one.
    pub(crate) observer: Option<Arc<dyn Observer>>,
    pub(crate) traces: Arc<ChannelTraces>,
    pub(crate) mark: SocketMark,
}

/// Dials, accepts and closes links, and tells controllers of them.
pub(crate) struct LinkManager {
    clock: RouterClock,
    traces: Arc<ChannelTraces>,
    relay: Arc<Relay>,
    sizes: LinkSizes,
    faults: Arc<Meter>,
    controllers: Arc<Controllers>,
    dialing: Dialing,
    listeners: Vec<Arc<LinkListener>>,
    pub(super) groups: Groups<Fingerprint>,
    pub(super) halves: Halves,
    pub(super) verification: Verification,
    pub(super) refusals: RefusalLog,
    /// Held for one event, never while waiting.
    state: Mutex<State>,
    /// Wakes [`run`](Self::run) for another deadline.
    changed: Notify,
    /// Cancelled under the lock of the state, after which nothing is dialed, and what opens is closed.
    stopping: CancellationToken,
    tasks: TaskTracker,
}

struct State {
    links: Links,
    dials: WorkQueue<Dial>,
    open: BTreeMap<Link, Arc<OpenLink>>,
    /// Links that are lost and dialed again. Controllers are only told if that takes long: circuits go on
    /// over the new one, while those of a link that is reported as lost are moved.
    lost: BTreeMap<LinkKey, Link>,
}

impl State {
    /// Whether a link may carry anything. Duplicates must not, while they wait to be closed.
    fn is_used(&self, link: &OpenLink) -> bool {
        self.links.status(&link.key) == Some(LinkStatus::Linked(link.link.clone()))
    }
}

impl LinkManager {
    pub(crate) fn new(parts: LinkParts) -> Arc<Self> {
        let clock = parts.clock;
        let settings = parts.settings.with_interfaces(interface_of);
        let listeners = settings.listeners.iter().cloned().map(Arc::new).collect();
        let dialers = settings.dialers.clone();
        let links = Links::new(dialers, Arc::clone(&parts.entropy), clock.timestamp());
        let transport = Transport::new(clock.of_channels(), TransportLimits::default())
            .observed(parts.observer)
            .within(Arc::clone(parts.relay.memory()));
        let limits = GroupLimits {
            groups_per_peer: MAX_ACCEPTED,
            ..GroupLimits::default()
        };
        Arc::new(Self {
            clock,
            traces: parts.traces,
            relay: parts.relay,
            sizes: LinkSizes::of_all(&parts.metrics),
            faults: parts.metrics.meter(MetricName::plain("faults.link")),
            listeners,
            groups: Groups::new(clock.of_channels(), limits),
            halves: Halves::default(),
            verification: Verification::new(Arc::clone(&parts.controllers)),
            refusals: RefusalLog::of_routers(clock),
            controllers: parts.controllers,
            dialing: Dialing {
                router: parts.router,
                version: parts.version,
                settings: Arc::new(settings),
                tls: parts.tls,
                outgoing: Outgoing {
                    lookups: NameLookups::of_routers(),
                    mark: parts.mark,
                },
                transport,
                entropy: parts.entropy,
            },
            state: Mutex::new(State {
                links,
                dials: parts.dials.queue(),
                open: BTreeMap::new(),
                lost: BTreeMap::new(),
            }),
            changed: Notify::new(),
            stopping: CancellationToken::new(),
            tasks: TaskTracker::new(),
        })
    }

    /// Dials what is due, until `stop`; then closes all links and waits for them.
    pub(crate) async fn run(self: Arc<Self>, stop: CancellationToken) {
        let _stopped = stop.run_until_cancelled(self.keep_deadlines()).await;
        for link in self.stop() {
            link.close();
        }
        self.tasks.close();
        self.transport().tasks().close();
        self.tasks.wait().await;
        self.transport().tasks().wait().await;
    }

    /// Returns the links that are open.
    fn stop(&self) -> Vec<Arc<OpenLink>> {
        let state = self.state.lock();
        self.stopping.cancel();
        state.open.values().cloned().collect()
    }

    async fn keep_deadlines(self: &Arc<Self>) {
        loop {
            let deadline = self.state.lock().links.deadline();
            let due = async {
                match deadline {
                    Some(at) => sleep_until(self.clock.instant_of(at)).await,
                    None => std::future::pending().await,
                }
            };
            tokio::select! {
                () = due => self.act(|_, _| ()),
                () = self.changed.notified() => {},
            }
        }
    }

    /// What listens for links, and where.
    pub(crate) fn protocols(self: &Arc<Self>) -> Vec<(HostPort, Protocol)> {
        let protocol = |listener: &Arc<LinkListener>| {
            let service = LinkService::protocol(Arc::clone(self), Arc::clone(listener));
            (listener.bind.clone(), service)
        };
        self.listeners.iter().map(protocol).collect()
    }

    /// What controllers are told of the listeners, in the hello.
    pub(crate) fn announcements(&self) -> Vec<peer::Listener> {
        let listeners = self.listeners.iter();
        listeners.map(|listener| announce(listener)).collect()
    }

    /// The links that are open.
    pub(crate) fn views(&self) -> Vec<LinkView> {
        let state = self.state.lock();
        let open = state.open.values();
        open.map(|link| link.view(state.is_used(link))).collect()
    }

    /// The routers that are known, and the links to them that are wanted.
    pub(crate) fn peers(&self) -> Vec<PeerView> {
        self.state.lock().links.peers()
    }

    /// Handles what a controller tells of other routers.
    pub(crate) fn peers_changed(self: &Arc<Self>, changes: &PeerStateChanges) {
        self.act(|state, now| {
            for change in &changes.changes {
                if *change.id == *self.dialing.router {
                    continue;
                }
                let router = RouterId::from_wire(change.id.as_str());
                match change.state {
                    PeerState::Healthy => state.links.router_connected(announced(change), now),
                    PeerState::Unhealthy => state.links.router_disconnected(&router, now),
                    PeerState::Removed => state.links.router_removed(&router, now),
                    PeerState::Unrecognized(state) => {
                        tracing::debug!(router = %router, state, "unknown state of a router");
                    },
                }
            }
        });
    }

    /// Handles a fault from a controller: if it is that of a link, the link is closed, unless it is newer.
    pub(crate) fn faulted(&self, fault: &Fault) {
        if fault.subject != FaultSubject::Link {
            return;
        }
        let state = self.state.lock();
        let is_meant = |link: &Link| {
            link.id.as_str() == fault.id
                && (fault.iteration == 0 || link.iteration <= fault.iteration)
        };
        let meant: Vec<_> = state
            .open
            .iter()
            .filter(|(link, _)| is_meant(link))
            .collect();
        for (link, open) in meant {
            tracing::info!(link = %link.id, router = %open.key.peer(), "a controller has a link closed");
            open.close();
        }
    }

    /// Counts for a new link.
    pub(super) fn counters(&self) -> Counters {
        Counters::new(&self.sizes)
    }

    pub(super) fn router(&self) -> &str {
        &self.dialing.router
    }

    pub(super) const fn clock(&self) -> &RouterClock {
        &self.clock
    }

    pub(super) fn tls(&self) -> &Tls {
        &self.dialing.tls
    }

    pub(super) fn settings(&self) -> &LinkSettings {
        &self.dialing.settings
    }

    pub(super) const fn transport(&self) -> &Transport {
        &self.dialing.transport
    }

    pub(super) fn entropy(&self) -> &dyn Entropy {
        &*self.dialing.entropy
    }
}

#[cfg(test)]
impl LinkManager {
    /// Sends what no part of a router sends.
    pub(super) fn send_raw(&self, id: &str, message: portcullis_channel::Message) {
        let state = self.state.lock();
        let mut links = state.open.values();
        let link = links.find(|link| link.link.id.as_str() == id).unwrap();
        let priority = portcullis_channel::Priority::Default;
        link.channels.data.send(priority, message).unwrap();
    }
}
