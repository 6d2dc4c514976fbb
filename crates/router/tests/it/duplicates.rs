//! Two routers that dial each other end up with one link for each pair of interfaces, whatever the delays between
//! them.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use portcullis_domain::clock::{SignedDuration, Timestamp};
use portcullis_router::links::{
    Action, Announcement, Dial, DialFailure, DialTicket, Link, LinkKey, LinkSettings, LinkStatus,
    Links, Listener, RouterId,
};
use proptest::prelude::*;
use proptest::test_runner::{Config, RngAlgorithm, RngSeed};

use crate::world::{NOON, Seeded, config};

/// Long enough for the last duplicate to be closed.
const SETTLED: SignedDuration = SignedDuration::from_mins(5);

/// Sections `link` that differ in where they listen, and so in the names of interfaces.
const SECTIONS: [&str; 4] = [
    "link: {dialers: [{binding: transport, startupDelay: 0s}], \
      listeners: [{binding: transport, bind: 'tls:0.0.0.0:1'}]}",
    "link: {dialers: [{binding: transport, startupDelay: 0s}], \
      listeners: [{binding: transport, bind: 'tls:127.0.0.1:1'}]}",
    "link: {dialers: [{binding: transport, startupDelay: 0s}], \
      listeners: [{binding: transport, bind: 'tls:0.0.0.0:1', bindInterface: eth7}]}",
    "link: {dialers: [{binding: transport, startupDelay: 0s, bind: eth3}], \
      listeners: [{binding: transport, bind: 'tls:0.0.0.0:1', bindInterface: eth3}]}",
];

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Side {
    First,
    Second,
}

impl Side {
    const BOTH: [Self; 2] = [Self::First, Self::Second];

    const fn other(self) -> Self {
        match self {
            Self::First => Self::Second,
            Self::Second => Self::First,
        }
    }

    fn id(self) -> RouterId {
        RouterId::from_wire(format!("{self:?}"))
    }
}

struct Router {
    links: Links,
    settings: LinkSettings,
    /// Keys and links of the connections that are open here.
    open: Vec<(LinkKey, Link)>,
}

enum Event {
    /// A router learns that the other one is there.
    Learns(Side),
    /// A connection has arrived at this router: whose it is, and the interface that it was dialed from.
    Arrives(Side, Link, Option<String>),
    /// This router gets its answer.
    Answered(Side, DialTicket),
    /// This router notices that a link was closed.
    Closed(Side, Link),
}

struct Pair {
    routers: [Router; 2],
    events: Vec<(Timestamp, Event)>,
    now: Timestamp,
    /// Delays of the network, in turn.
    delays: Vec<u64>,
    sent: usize,
    /// Links that somebody has closed.
    closed: Vec<Link>,
}

impl Pair {
    fn new(sections: [&str; 2], seeds: [u64; 2], delays: Vec<u64>) -> Self {
        let router = |section, seed| {
            let settings = LinkSettings::from_config(&config(section).link).expect("usable");
            let settings = settings.with_interfaces(|_| Some("lo".to_owned()));
            let dialers = settings.dialers.clone();
            Router {
                links: Links::new(dialers, Arc::new(Seeded::new(seed)), NOON),
                settings,
                open: Vec::new(),
            }
        };
        let [first, second] = sections;
        let mut pair = Self {
            routers: [router(first, seeds[0]), router(second, seeds[1])],
            events: Vec::new(),
            now: NOON,
            delays,
            sent: 0,
            closed: Vec::new(),
        };
        for side in Side::BOTH {
            pair.send(Event::Learns(side));
        }
        pair
    }

    fn at(&mut self, side: Side) -> &mut Router {
        &mut self.routers[side as usize]
    }

    /// Lets something happen after the next delay.
    fn send(&mut self, event: Event) {
        let delay = self.delays[self.sent % self.delays.len()];
        self.sent += 1;
        self.events
            .push((self.now + Duration::from_millis(delay), event));
    }

    fn run(&mut self) {
        let end = NOON + SETTLED;
        loop {
            for side in Side::BOTH {
                self.poll(side);
            }
            let events = self.events.iter().map(|(at, _)| *at);
            let deadlines = self.routers.iter().filter_map(|one| one.links.deadline());
            let Some(next) = events.chain(deadlines).min().filter(|next| *next <= end) else {
                return;
            };
            self.now = self.now.max(next);
            let due = self.events.iter().position(|(at, _)| *at <= self.now);
            if let Some(due) = due {
                let (_, event) = self.events.remove(due);
                self.happen(event);
            }
        }
    }

    fn poll(&mut self, side: Side) {
        let now = self.now;
        for action in self.at(side).links.poll(now) {
            match action {
                Action::Dial(dial) => self.dial(side, dial),
                Action::Close(link, _) => {
                    self.closed(side, &link);
                    self.send(Event::Closed(side.other(), link));
                },
                Action::ReportDuplicate(_) => {},
            }
        }
    }

    fn dial(&mut self, side: Side, dial: Dial) {
        let link = dial.ticket.link().clone();
        let interface = dial.dialer.interface.clone();
        self.send(Event::Arrives(side.other(), link, interface));
        // The answer leaves when the connection has arrived.
        let (arrival, _) = self.events.last().expect("sent");
        let answered = *arrival + Duration::from_millis(self.delays[0]);
        self.events
            .push((answered, Event::Answered(side, dial.ticket)));
    }

    fn happen(&mut self, event: Event) {
        let now = self.now;
        match event {
            Event::Learns(side) => {
                let peer = self.announcement(side.other());
                self.at(side).links.router_connected(peer, now);
            },
            Event::Arrives(side, link, dialed_from) => {
                let router = self.at(side);
                let ours = router.settings.listeners[0].interface.clone();
                let key = LinkKey::new(
                    side.other().id(),
                    "tls",
                    dialed_from.as_deref(),
                    ours.as_deref(),
                );
                let _admission = router.links.link_accepted(&key, link.clone(), now);
                router.open.push((key, link));
            },
            Event::Answered(side, ticket) => {
                let is_closed = self.closed.contains(ticket.link());
                let router = self.at(side);
                if is_closed {
                    router
                        .links
                        .dial_failed(ticket, DialFailure::Duplicate, now);
                    return;
                }
                let (key, link) = (ticket.key().clone(), ticket.link().clone());
                let _admission = router.links.dial_succeeded(ticket, now);
                router.open.push((key, link));
            },
            Event::Closed(side, link) => self.closed(side, &link),
        }
    }

    fn closed(&mut self, side: Side, link: &Link) {
        let now = self.now;
        self.closed.push(link.clone());
        let router = self.at(side);
        let place = router.open.iter().position(|(_, open)| open == link);
        if let Some((key, link)) = place.map(|place| router.open.remove(place)) {
            router.links.link_closed(&key, &link, now);
        }
    }

    /// Of the dialer and of the listener, whichever of the two dials.
    fn pairs_of_interfaces(&self) -> usize {
        let interfaces = self.routers.each_ref().map(|router| {
            let settings = &router.settings;
            let (dialer, listener) = (&settings.dialers[0], &settings.listeners[0]);
            [&dialer.interface, &listener.interface].map(|one| {
                let name = one.as_deref().filter(|name| !name.is_empty());
                name.unwrap_or("default").to_owned()
            })
        });
        let [[from, to], [other_from, other_to]] = interfaces;
        BTreeSet::from([(from, other_to), (other_from, to)]).len()
    }

    fn announcement(&self, side: Side) -> Announcement {
        let listener = &self.routers[side as usize].settings.listeners[0];
        Announcement {
            router: side.id(),
            version: Some("v2.1.0".to_owned()),
            listeners: vec![Listener {
                address: format!("tls:{side:?}:1"),
                protocol: "tls".to_owned(),
                interface: listener.interface.clone(),
                groups: listener.groups.clone(),
            }],
        }
    }
}

fn cases() -> Config {
    Config {
        cases: 1500,
        failure_persistence: None,
        rng_algorithm: RngAlgorithm::ChaCha,
        rng_seed: RngSeed::Fixed(0x6475_706c),
        ..Config::default()
    }
}

proptest! {
    #![proptest_config(cases())]

    #[test]
    fn routers_that_dial_each_other_end_up_with_a_link_for_each_pair_of_interfaces(
        sections in [prop::sample::select(&SECTIONS[..]), prop::sample::select(&SECTIONS[..])],
        seeds: [u64; 2],
        delays in prop::collection::vec(0u64..2_000, 1..12),
    ) {
        prop_assume!(seeds[0] != seeds[1]);
        let mut pair = Pair::new(sections, seeds, delays);
        pair.run();
        let [first, second] = &pair.routers;
        // Each dials from its interface to the one at which the other listens.
        let pairs = pair.pairs_of_interfaces();
        for router in [first, second] {
            prop_assert_eq!(router.open.len(), pairs, "{:?}", router.open);
            for (key, link) in &router.open {
                prop_assert_eq!(router.links.status(key), Some(LinkStatus::Linked(link.clone())));
            }
        }
        let links = [first, second].map(|router| -> BTreeSet<_> {
            router.open.iter().map(|(_, link)| link.id.as_str()).collect()
        });
        prop_assert_eq!(&links[0], &links[1]);
    }
}
