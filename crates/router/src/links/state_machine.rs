//! State machine of links: events in, actions out.

mod polling;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::Duration;

use portcullis_domain::clock::Timestamp;
use portcullis_domain::entropy::Entropy;

use crate::links::backoff::{BackoffPolicy, collision_delay};
use crate::links::dial_target::{DialTarget, DialTicket};
use crate::links::dialer::Dialer;
use crate::links::names::{Link, LinkKey, RouterId};
use crate::links::open_links::{Arbitration, OpenLinks, Origin};
use crate::links::peer::{Announcement, ControllerContact, Peer};
use crate::links::scheduled_actions::{LinkCloseReason, ScheduledActions};
use crate::time::after;

/// The reason why a dial failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DialFailure {
    /// There is no link: no connection, a failed negotiation, or a full dial queue.
    Failed,
    /// The peer is there, but cannot take a link for a moment. The shortest pause follows, and up to half of it
    /// more, however many failures there were.
    Busy,
    /// The peer closed it before it was in use, most likely because it had dialed too. One to four
    /// seconds are added to the pause, so that the two do not collide again.
    Duplicate,
}

/// Whether a link may be used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[must_use = "a link that was not admitted must carry nothing"]
pub enum Admission {
    /// It may.
    Admitted,
    /// It may not, and [`Links::poll`] tells when to close it.
    Refused,
}

/// Status of a wanted link.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LinkStatus {
    /// It will be dialed at this time, unless something happens before.
    Waiting(Timestamp),
    /// It is being dialed.
    Dialing,
    /// It is open; the peer may have dialed it.
    Linked(Link),
}

/// The open and wanted links of a router.
///
/// Every event is passed with its time. After each event, and at [`deadline`](Self::deadline), the
/// program calls [`poll`](Self::poll) and performs the returned actions.
///
/// For each [`LinkKey`] there is at most one attempt at a time, so each [`DialTicket`] must be
/// returned, by [`dial_succeeded`](Self::dial_succeeded) or [`dial_failed`](Self::dial_failed);
/// attempts need a timeout (`connectTimeout`). The total number of concurrent attempts is up to the
/// program (`forwarder.linkDialWorkerCount`).
///
/// # Examples
///
/// ```
/// # use std::sync::Arc;
/// # use portcullis_domain::{clock::Timestamp, entropy::{Entropy, EntropyError}};
/// use portcullis_router::links::{Action, Announcement, DialFailure, GroupNames, Links, Listener, RouterId, dialers};
/// use portcullis_router_config::{CheckOptions, SourceFile, load};
/// # struct Random;
/// # impl Entropy for Random {
/// #     fn fill(&self, bytes: &mut [u8]) -> Result<(), EntropyError> { bytes.fill(7); Ok(()) }
/// # }
///
/// let file = SourceFile::new("router.yml", b"link: {dialers: [{binding: transport}]}");
/// let config = load(&file, &CheckOptions::new()).config;
/// let start = Timestamp::UNIX_EPOCH;
/// let mut links = Links::new(dialers(&config.link)?, Arc::new(Random), start);
///
/// let peer = Announcement {
///     router: RouterId::from_wire("r2"),
///     version: Some("v2.1.0".to_owned()),
///     listeners: vec![Listener {
///         address: "tls:r2.example.test:10080".to_owned(),
///         protocol: "tls".to_owned(),
///         interface: None,
///         groups: GroupNames::default(),
///     }],
/// };
/// links.router_connected(peer, start);
///
/// let first = links.deadline().expect("something to dial");
/// assert_eq!(first.as_second(), 3, "startupDelay");
/// let Some(Action::Dial(dial)) = links.poll(first).pop() else { panic!("a dial") };
/// assert_eq!(dial.ticket.address(), "tls:r2.example.test:10080");
///
/// links.dial_failed(dial.ticket, DialFailure::Failed, first);
/// assert_eq!(links.deadline().map(|next| next.as_second()), Some(8), "minRetryInterval");
/// # Ok::<(), portcullis_router::IncompleteConfigError>(())
/// ```
pub struct Links {
    dialers: Vec<Arc<Dialer>>,
    entropy: Arc<dyn Entropy>,
    started: Timestamp,
    peers: BTreeMap<RouterId, Peer>,
    /// Keys that are being dialed, whether or not they are still wanted.
    dialing: BTreeSet<LinkKey>,
    open: OpenLinks,
    scheduled_actions: ScheduledActions,
}

impl Links {
    /// Starts without links. A dialer does nothing until its startup delay has passed since `now`.
    pub fn new(dialers: Vec<Dialer>, entropy: Arc<dyn Entropy>, now: Timestamp) -> Self {
        Self {
            dialers: dialers.into_iter().map(Arc::new).collect(),
            entropy,
            started: now,
            peers: BTreeMap::new(),
            dialing: BTreeSet::new(),
            open: OpenLinks::default(),
            scheduled_actions: ScheduledActions::default(),
        }
    }

    /// Handles a report that a router is connected to a controller, or announces other listeners.
    ///
    /// If the router was not connected before, its listeners are dialed now unless they are linked.
    pub fn router_connected(&mut self, announcement: Announcement, now: Timestamp) {
        let peer = self.peers.entry(announcement.router.clone());
        let peer = peer.or_insert_with(|| Peer {
            version: None,
            contact: ControllerContact::Lost(now),
            targets: BTreeMap::new(),
        });
        let is_back = peer.contact != ControllerContact::Connected;
        peer.contact = ControllerContact::Connected;
        peer.version.clone_from(&announcement.version);

        let mut wanted = announcement.match_dialers(&self.dialers);
        for (key, _) in peer
            .targets
            .extract_if(.., |key, _| !wanted.contains_key(key))
        {
            close_dialed(
                &self.open,
                &mut self.scheduled_actions,
                &key,
                LinkCloseReason::NotWanted,
                now,
            );
        }
        for (key, target) in &mut peer.targets {
            let Some((dialer, listener)) = wanted.remove(key) else {
                continue;
            };
            let moved = target.listener.address != listener.address;
            target.dialer = dialer;
            target.listener = listener;
            if is_back {
                target.retry_now(now);
            } else if moved {
                target.reset_backoff(target.dialer.healthy, now);
            }
            if moved {
                close_dialed(
                    &self.open,
                    &mut self.scheduled_actions,
                    key,
                    LinkCloseReason::AddressChanged,
                    now,
                );
            }
        }
        for (key, (dialer, listener)) in wanted {
            let mut target = DialTarget::new(dialer, listener, now);
            if self.open.get(&key).is_some() {
                target.record_success();
            }
            peer.targets.insert(key, target);
        }
    }

    /// Handles a report that a router is no longer connected to a controller.
    ///
    /// Links stay, and missing ones are still dialed. After two days without a link the router is
    /// forgotten.
    pub fn router_disconnected(&mut self, router: &RouterId, now: Timestamp) {
        if let Some(peer) = self.peers.get_mut(router)
            && peer.contact == ControllerContact::Connected
        {
            peer.contact = ControllerContact::Lost(now);
        }
    }

    /// Handles a report that a router was removed from the network: its links are closed.
    pub fn router_removed(&mut self, router: &RouterId, now: Timestamp) {
        self.peers.remove(router);
        for (_, open) in self.open.iter().filter(|(key, _)| key.peer() == router) {
            let link = open.link.clone();
            self.scheduled_actions.schedule_close(
                link,
                LinkCloseReason::RouterRemoved,
                Duration::ZERO,
                now,
            );
        }
    }

    /// Handles a successful attempt, and decides whether the link stays.
    pub fn dial_succeeded(&mut self, ticket: DialTicket, now: Timestamp) -> Admission {
        let DialTicket { key, link, address } = ticket;
        self.dialing.remove(&key);
        let Some((policy, target)) = find_target(&mut self.peers, &key) else {
            self.scheduled_actions.schedule_close(
                link,
                LinkCloseReason::NotWanted,
                Duration::ZERO,
                now,
            );
            return Admission::Refused;
        };
        if target.listener.address != address {
            target.reset_backoff(policy, now);
            self.scheduled_actions.schedule_close(
                link,
                LinkCloseReason::AddressChanged,
                Duration::ZERO,
                now,
            );
            return Admission::Refused;
        }
        self.admit(&key, link, Origin::Dialed, now)
    }

    /// Handles a failed attempt.
    pub fn dial_failed(&mut self, ticket: DialTicket, failure: DialFailure, now: Timestamp) {
        let DialTicket { key, address, .. } = ticket;
        self.dialing.remove(&key);
        let Some((policy, target)) = find_target(&mut self.peers, &key) else {
            return;
        };
        if target.listener.address != address {
            // Failures of the old address do not count for the new one.
            target.reset_backoff(policy, now);
            return;
        }
        match failure {
            DialFailure::Failed => target.record_failure(policy, self.entropy.as_ref(), now),
            DialFailure::Busy => target.retry_soon(policy, self.entropy.as_ref(), now),
            DialFailure::Duplicate => {
                target.record_failure(policy, self.entropy.as_ref(), now);
                target.due = after(target.due, collision_delay(self.entropy.as_ref()));
            },
        }
    }

    /// Handles a link that another router dialed, and decides whether it stays.
    ///
    /// The caller has authorized the other router by its certificate.
    pub fn link_accepted(&mut self, key: &LinkKey, link: Link, now: Timestamp) -> Admission {
        self.admit(key, link, Origin::Accepted, now)
    }

    /// Handles a closed link, whatever the reason. If it was not replaced and is still wanted, it
    /// is dialed again.
    pub fn link_closed(&mut self, key: &LinkKey, link: &Link, now: Timestamp) {
        self.scheduled_actions.cancel_close(link);
        if self.open.remove(key, link)
            && let Some(peer) = self.peers.get_mut(key.peer())
            && let Some(target) = peer.targets.get_mut(key)
        {
            target.reset_backoff(peer.contact.policy(&target.dialer), now);
            peer.contact.restart_retention(now);
        }
    }

    /// The status of a link; `None` if it is not wanted.
    pub fn status(&self, key: &LinkKey) -> Option<LinkStatus> {
        if let Some(open) = self.open.get(key) {
            return Some(LinkStatus::Linked(open.link.clone()));
        }
        let target = self.peers.get(key.peer())?.targets.get(key)?;
        Some(if self.dialing.contains(key) {
            LinkStatus::Dialing
        } else {
            LinkStatus::Waiting(self.dial_at(target))
        })
    }

    pub(super) const fn known_peers(&self) -> &BTreeMap<RouterId, Peer> {
        &self.peers
    }

    fn admit(&mut self, key: &LinkKey, link: Link, origin: Origin, now: Timestamp) -> Admission {
        match self.open.arbitrate(key, link.clone(), origin) {
            Arbitration::Reject => {
                let delay = origin.rejected_close_delay();
                self.scheduled_actions
                    .schedule_close(link, LinkCloseReason::Duplicate, delay, now);
                return Admission::Refused;
            },
            Arbitration::Replace(old) => {
                let delay = old.origin.replaced_close_delay();
                self.scheduled_actions
                    .schedule_report(old.link.clone(), now);
                self.scheduled_actions.schedule_close(
                    old.link,
                    LinkCloseReason::Replaced,
                    delay,
                    now,
                );
            },
            Arbitration::Accept => {},
        }
        if let Some((_, target)) = find_target(&mut self.peers, key) {
            target.record_success();
        }
        Admission::Admitted
    }
}

/// Closes the link with a key if this router dialed it. Links dialed by the peer are left to the
/// peer.
fn close_dialed(
    open: &OpenLinks,
    chores: &mut ScheduledActions,
    key: &LinkKey,
    why: LinkCloseReason,
    now: Timestamp,
) {
    if let Some(open) = open.get(key)
        && open.origin == Origin::Dialed
    {
        chores.schedule_close(open.link.clone(), why, Duration::ZERO, now);
    }
}

/// Finds a target and its current backoff policy.
fn find_target<'peers>(
    peers: &'peers mut BTreeMap<RouterId, Peer>,
    key: &LinkKey,
) -> Option<(BackoffPolicy, &'peers mut DialTarget)> {
    let peer = peers.get_mut(key.peer())?;
    let target = peer.targets.get_mut(key)?;
    Some((peer.contact.policy(&target.dialer), target))
}
