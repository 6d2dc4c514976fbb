//! The machine: events in, actions out.

mod agenda;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::Duration;

use portcullis_domain::clock::Timestamp;
use portcullis_domain::entropy::Entropy;

use crate::links::chores::{Chores, Why};
use crate::links::dialer::Dialer;
use crate::links::names::{Link, LinkKey, RouterId};
use crate::links::open::{Arrival, OpenLinks, Origin};
use crate::links::peer::{Announcement, Contact, Peer};
use crate::links::policy::{Policy, sidestep};
use crate::links::target::{Target, Ticket};
use crate::time::after;

/// Why an attempt came to nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DialFailure {
    /// There is no link: no connection, no agreement, or no room in the queue of dials.
    Failed,
    /// The other side closed it before it was in use, most likely because it had dialed too. One to four
    /// seconds are added to the pause, so that the two do not meet again.
    Duplicate,
}

/// Whether a link may be used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[must_use = "a link that was not admitted must carry nothing"]
pub enum Admission {
    /// It may.
    Admitted,
    /// It may not, and [`Links::poll`] says when to close it.
    Refused,
}

/// How it stands with a link that ought to be there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Status {
    /// It is dialed then, unless something happens before.
    Waiting(Timestamp),
    /// It is being dialed.
    Dialing,
    /// It is there; the other side may have dialed it.
    Linked(Link),
}

/// The links of a router: those that are there, and those that ought to be.
///
/// Every event is told with the instant at which it happened. After each event, and at
/// [`deadline`](Self::deadline), the program calls [`poll`](Self::poll) and does what it says.
///
/// For each purpose ([`LinkKey`]) there is at most one attempt at a time, so each [`Ticket`] has to come
/// back, by [`dial_succeeded`](Self::dial_succeeded) or [`dial_failed`](Self::dial_failed); attempts need a
/// time limit (`connectTimeout`). How many attempts run at a time altogether is up to the program
/// (`forwarder.linkDialWorkerCount`).
///
/// # Examples
///
/// ```
/// # use std::sync::Arc;
/// # use portcullis_domain::{clock::Timestamp, entropy::{Entropy, EntropyError}};
/// use portcullis_router::links::{Action, Announcement, DialFailure, Groups, Links, Listener, RouterId, dialers};
/// use portcullis_router_config::{Options, Text, load};
/// # struct Random;
/// # impl Entropy for Random {
/// #     fn fill(&self, bytes: &mut [u8]) -> Result<(), EntropyError> { bytes.fill(7); Ok(()) }
/// # }
///
/// let file = Text::new("router.yml", b"link: {dialers: [{binding: transport}]}");
/// let config = load(&file, Options::default(), &|_| None).config;
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
///         groups: Groups::default(),
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
/// # Ok::<(), portcullis_router::Incomplete>(())
/// ```
pub struct Links {
    dialers: Vec<Arc<Dialer>>,
    entropy: Arc<dyn Entropy>,
    started: Timestamp,
    peers: BTreeMap<RouterId, Peer>,
    /// Purposes that are being dialed for, whether or not they are still wanted.
    dialing: BTreeSet<LinkKey>,
    open: OpenLinks,
    chores: Chores,
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
            chores: Chores::default(),
        }
    }

    /// Hears from a controller that a router is connected to it, or announces other listeners than before.
    ///
    /// If the router was not connected before, its listeners are dialed now unless they are linked.
    pub fn router_connected(&mut self, announcement: Announcement, now: Timestamp) {
        let peer = self.peers.entry(announcement.router.clone());
        let peer = peer.or_insert_with(|| Peer {
            version: None,
            contact: Contact::Lost(now),
            targets: BTreeMap::new(),
        });
        let is_back = peer.contact != Contact::Connected;
        peer.contact = Contact::Connected;
        peer.version.clone_from(&announcement.version);

        let mut wanted = announcement.matches(&self.dialers);
        for (key, _) in peer
            .targets
            .extract_if(.., |key, _| !wanted.contains_key(key))
        {
            close_dialed(&self.open, &mut self.chores, &key, Why::NotWanted, now);
        }
        for (key, target) in &mut peer.targets {
            let Some((dialer, listener)) = wanted.remove(key) else {
                continue;
            };
            let moved = target.listener.address != listener.address;
            target.dialer = dialer;
            target.listener = listener;
            if is_back {
                target.urge(now);
            } else if moved {
                target.renew(target.dialer.healthy, now);
            }
            if moved {
                close_dialed(&self.open, &mut self.chores, key, Why::AddressChanged, now);
            }
        }
        for (key, (dialer, listener)) in wanted {
            peer.targets.insert(key, Target::new(dialer, listener, now));
        }
    }

    /// Hears from a controller that a router is not connected any more.
    ///
    /// Links stay, and what is not linked goes on being dialed. After two days without a link the router is
    /// forgotten.
    pub fn router_disconnected(&mut self, router: &RouterId, now: Timestamp) {
        if let Some(peer) = self.peers.get_mut(router)
            && peer.contact == Contact::Connected
        {
            peer.contact = Contact::Lost(now);
        }
    }

    /// Hears from a controller that a router was removed from the network: its links are closed.
    pub fn router_removed(&mut self, router: &RouterId, now: Timestamp) {
        self.peers.remove(router);
        for (_, open) in self.open.iter().filter(|(key, _)| key.peer() == router) {
            let link = open.link.clone();
            self.chores
                .close(link, Why::RouterRemoved, Duration::ZERO, now);
        }
    }

    /// Hears that an attempt made a link, and decides whether it stays.
    pub fn dial_succeeded(&mut self, ticket: Ticket, now: Timestamp) -> Admission {
        let Ticket { key, link, address } = ticket;
        self.dialing.remove(&key);
        let Some((policy, target)) = target_of(&mut self.peers, &key) else {
            self.chores.close(link, Why::NotWanted, Duration::ZERO, now);
            return Admission::Refused;
        };
        if target.listener.address != address {
            target.renew(policy, now);
            self.chores
                .close(link, Why::AddressChanged, Duration::ZERO, now);
            return Admission::Refused;
        }
        self.admit(&key, link, Origin::Dialed, now)
    }

    /// Hears that an attempt made no link.
    pub fn dial_failed(&mut self, ticket: Ticket, failure: DialFailure, now: Timestamp) {
        let Ticket { key, address, .. } = ticket;
        self.dialing.remove(&key);
        let Some((policy, target)) = target_of(&mut self.peers, &key) else {
            return;
        };
        if target.listener.address != address {
            // That the old address does not answer says nothing about the new one.
            target.renew(policy, now);
            return;
        }
        target.failed(policy, self.entropy.as_ref(), now);
        if failure == DialFailure::Duplicate {
            target.due = after(target.due, sidestep(self.entropy.as_ref()));
        }
    }

    /// Hears that another router dialed this one, and decides whether the link stays.
    ///
    /// Whether the other router may do so was decided before, by its certificate.
    pub fn link_accepted(&mut self, key: &LinkKey, link: Link, now: Timestamp) -> Admission {
        self.admit(key, link, Origin::Accepted, now)
    }

    /// Hears that a link is closed, for whatever reason. If no other one has taken its place and it is still
    /// wanted, it is dialed again.
    pub fn link_closed(&mut self, key: &LinkKey, link: &Link, now: Timestamp) {
        self.chores.closed(link);
        if self.open.remove(key, link)
            && let Some(peer) = self.peers.get_mut(key.peer())
            && let Some(target) = peer.targets.get_mut(key)
        {
            target.renew(peer.contact.policy(&target.dialer), now);
            peer.contact.unlinked(now);
        }
    }

    /// Tells how it stands with a link; `None` if nothing asks for it.
    pub fn status(&self, key: &LinkKey) -> Option<Status> {
        if let Some(open) = self.open.get(key) {
            return Some(Status::Linked(open.link.clone()));
        }
        let target = self.peers.get(key.peer())?.targets.get(key)?;
        Some(if self.dialing.contains(key) {
            Status::Dialing
        } else {
            Status::Waiting(self.due(target))
        })
    }

    fn admit(&mut self, key: &LinkKey, link: Link, origin: Origin, now: Timestamp) -> Admission {
        match self.open.arrive(key, link.clone(), origin) {
            Arrival::Goes => {
                let delay = origin.patience_with_newcomer();
                self.chores.close(link, Why::Duplicate, delay, now);
                return Admission::Refused;
            },
            Arrival::Replaces(old) => {
                let delay = old.origin.patience_with_replaced();
                self.chores.report(old.link.clone(), now);
                self.chores.close(old.link, Why::Replaced, delay, now);
            },
            Arrival::Stays => {},
        }
        Admission::Admitted
    }
}

/// Closes the link for a purpose if this router dialed it. One that the other side dialed is its own affair.
fn close_dialed(open: &OpenLinks, chores: &mut Chores, key: &LinkKey, why: Why, now: Timestamp) {
    if let Some(open) = open.get(key)
        && open.origin == Origin::Dialed
    {
        chores.close(open.link.clone(), why, Duration::ZERO, now);
    }
}

/// Finds what a link is wanted for, and the pauses that hold for it now.
fn target_of<'peers>(
    peers: &'peers mut BTreeMap<RouterId, Peer>,
    key: &LinkKey,
) -> Option<(Policy, &'peers mut Target)> {
    let peer = peers.get_mut(key.peer())?;
    let target = peer.targets.get_mut(key)?;
    Some((peer.contact.policy(&target.dialer), target))
}
