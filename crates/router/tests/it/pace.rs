//! Properties of dialing, under any order of events.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::Duration;

use portcullis_domain::clock::{SignedDuration, Timestamp};
use portcullis_router::links::{
    Action, Admission, Announcement, BackoffPolicy, ConnectionLayout, DialFailure, DialTicket,
    Dialer, GroupNames, Link, LinkId, LinkKey, LinkStatus, Links, Listener, RouterId,
};
use proptest::prelude::*;
use proptest::sample::subsequence;
use proptest::test_runner::{Config, RngAlgorithm, RngSeed};

use crate::world::{NOON, Seeded};

fn config() -> Config {
    Config {
        cases: 1500,
        failure_persistence: None,
        rng_algorithm: RngAlgorithm::ChaCha,
        rng_seed: RngSeed::Fixed(0x7061_6365),
        ..Config::default()
    }
}

/// What happens. Numbers choose among what is there.
#[derive(Clone, Debug)]
enum Event {
    Connect(u8, Vec<Spec>),
    Disconnect(u8),
    Remove(u8),
    Wait(u64),
    NextDeadline,
    Succeed(usize),
    Fail(usize, bool),
    Accept(u8, u8, String),
    Close(usize),
}

/// A listener: interface, variant of the address, groups.
type Spec = (u8, u8, Vec<&'static str>);

const GROUPS: [&str; 3] = ["red", "green", "blue"];
const STARTUP: Duration = Duration::from_secs(2);
/// What duplicates may add to a pause.
const SIDESTEP: Duration = Duration::from_secs(4);

fn event() -> impl Strategy<Value = Event> {
    let specs = prop::collection::vec((0u8..2, 0u8..2, subsequence(&GROUPS[..], 0..=3)), 0..3);
    prop_oneof![
        3 => (0u8..3, specs).prop_map(|(router, specs)| Event::Connect(router, specs)),
        2 => (0u8..3).prop_map(Event::Disconnect),
        1 => (0u8..3).prop_map(Event::Remove),
        2 => (0u64..400_000).prop_map(Event::Wait),
        4 => Just(Event::NextDeadline),
        3 => any::<usize>().prop_map(Event::Succeed),
        4 => (any::<usize>(), any::<bool>()).prop_map(|(which, twice)| Event::Fail(which, twice)),
        1 => (0u8..3, 0u8..2, "[0-9a-f]").prop_map(|(r, i, id)| Event::Accept(r, i, id)),
        2 => any::<usize>().prop_map(Event::Close),
    ]
}

fn policy() -> impl Strategy<Value = BackoffPolicy> {
    (10u64..20_000, 0u64..200_000, 1.0..12.0f64).prop_map(|(min, more, factor)| {
        let (min, max) = (
            Duration::from_millis(min),
            Duration::from_millis(min + more),
        );
        BackoffPolicy::new(min, max, factor).expect("within bounds")
    })
}

fn router(number: u8) -> RouterId {
    RouterId::from_wire(format!("r{number}"))
}

fn interface(number: u8) -> Option<String> {
    (number > 0).then(|| format!("eth{number}"))
}

fn key(router_number: u8, interface_number: u8) -> LinkKey {
    let theirs = interface(interface_number);
    LinkKey::new(router(router_number), "tls", None, theirs.as_deref())
}

/// What a bystander has seen, and what must hold by it.
struct Bystander {
    links: Links,
    policies: [BackoffPolicy; 2],
    groups: GroupNames,
    now: Timestamp,
    /// Listeners by what they are for: the announcement of the router that counts.
    announced: BTreeMap<LinkKey, Listener>,
    connected: BTreeSet<RouterId>,
    attempts: Vec<DialTicket>,
    open: Vec<(LinkKey, Link)>,
    /// When the last dial for a purpose began; forgotten when its router connects.
    begun: BTreeMap<LinkKey, Timestamp>,
    /// When the next dial may begin and when it has to, as the last failure has it.
    window: BTreeMap<LinkKey, (Timestamp, Timestamp)>,
}

impl Bystander {
    fn new(policies: [BackoffPolicy; 2], groups: GroupNames, seed: u64) -> Self {
        let [healthy, unhealthy] = policies;
        let dialer = Dialer {
            from: None,
            interface: None,
            groups: groups.clone(),
            healthy,
            unhealthy,
            startup_delay: STARTUP,
            connections: ConnectionLayout::Single,
            split: true,
            connect_timeout: STARTUP,
        };
        Self {
            links: Links::new(vec![dialer], Arc::new(Seeded::new(seed)), NOON),
            policies,
            groups,
            now: NOON,
            announced: BTreeMap::new(),
            connected: BTreeSet::new(),
            attempts: Vec::new(),
            open: Vec::new(),
            begun: BTreeMap::new(),
            window: BTreeMap::new(),
        }
    }

    fn policy(&self, key: &LinkKey) -> BackoffPolicy {
        let [healthy, unhealthy] = self.policies;
        if self.connected.contains(key.peer()) {
            healthy
        } else {
            unhealthy
        }
    }

    fn is_up(&self) -> bool {
        self.now >= NOON + SignedDuration::try_from(STARTUP).unwrap()
    }

    fn is_busy(&self, key: &LinkKey) -> bool {
        self.attempts.iter().any(|ticket| ticket.key() == key)
            || self.open.iter().any(|(open, _)| open == key)
    }

    fn happen(&mut self, event: Event) -> Result<(), TestCaseError> {
        match event {
            Event::Connect(number, specs) => return self.connect(number, specs),
            Event::Disconnect(number) => {
                self.links.router_disconnected(&router(number), self.now);
                self.connected.remove(&router(number));
            },
            Event::Remove(number) => {
                self.links.router_removed(&router(number), self.now);
                self.forget(number, |_| false);
            },
            Event::Wait(milliseconds) => self.now += Duration::from_millis(milliseconds),
            Event::NextDeadline => {
                // Routers that are forgotten are the subject of another test.
                let soon = self.now + SignedDuration::from_hours(1);
                let next = self.links.deadline().filter(|next| *next < soon);
                self.now = next.unwrap_or(self.now).max(self.now);
            },
            Event::Succeed(which) => self.succeed(which),
            Event::Fail(which, twice) => self.fail(which, twice)?,
            Event::Accept(router, interface, id) => {
                let (key, id) = (key(router, interface), LinkId::from_wire(id));
                self.arrive(key, Link { id, iteration: 1 }, false);
            },
            Event::Close(which) => {
                if !self.open.is_empty() {
                    let (key, link) = self.open.remove(which % self.open.len());
                    self.links.link_closed(&key, &link, self.now);
                    self.window.remove(&key);
                }
            },
        }
        self.poll().map(|_| ())
    }

    /// Drops what a router announced, apart from what is kept.
    fn forget(&mut self, number: u8, keep: impl Fn(&LinkKey) -> bool) {
        let gone = |key: &LinkKey| *key.peer() == router(number) && !keep(key);
        self.announced.retain(|key, _| !gone(key));
        self.window.retain(|key, _| !gone(key));
        self.begun.retain(|key, _| !gone(key));
        if !keep(&key(number, 0)) && !keep(&key(number, 1)) {
            self.connected.remove(&router(number));
        }
    }

    fn connect(&mut self, number: u8, specs: Vec<Spec>) -> Result<(), TestCaseError> {
        let listeners: Vec<Listener> = specs
            .into_iter()
            .map(|(interface_number, variant, groups)| Listener {
                address: format!("tls:r{number}-{interface_number}-{variant}:1"),
                protocol: "tls".to_owned(),
                interface: interface(interface_number),
                groups: GroupNames::new(groups),
            })
            .collect();
        let is_back = !self.connected.contains(&router(number));
        let mut announced = BTreeMap::new();
        for listener in listeners
            .iter()
            .filter(|one| self.groups.intersects(&one.groups))
        {
            let theirs = listener.interface.as_deref();
            let key = LinkKey::new(router(number), "tls", None, theirs);
            announced.entry(key).or_insert_with(|| listener.clone());
        }
        self.forget(number, |key| announced.contains_key(key));
        for (key, listener) in &announced {
            let before = self.announced.insert(key.clone(), listener.clone());
            if is_back || before.is_some_and(|before| before.address != listener.address) {
                self.window.remove(key);
            }
            if is_back {
                self.begun.remove(key);
            }
        }
        self.connected.insert(router(number));
        let announcement = Announcement {
            router: router(number),
            version: None,
            listeners,
        };
        self.links.router_connected(announcement, self.now);

        let idle: BTreeSet<LinkKey> = announced
            .into_keys()
            .filter(|key| !self.is_busy(key))
            .collect();
        let dialed = self.poll()?;
        if is_back && self.is_up() {
            prop_assert!(
                idle.is_subset(&dialed),
                "not dialed at once: {idle:?}, {dialed:?}"
            );
        }
        Ok(())
    }

    fn succeed(&mut self, which: usize) {
        if !self.attempts.is_empty() {
            let ticket = self.attempts.remove(which % self.attempts.len());
            let (key, link) = (ticket.key().clone(), ticket.link().clone());
            self.window.remove(&key);
            if self.links.dial_succeeded(ticket, self.now) == Admission::Admitted {
                self.arrive(key, link, true);
            }
        }
    }

    /// A link has arrived; one that was admitted takes the place of the one before.
    fn arrive(&mut self, key: LinkKey, link: Link, admitted: bool) {
        if admitted || self.links.link_accepted(&key, link.clone(), self.now) == Admission::Admitted
        {
            self.open.retain(|(open, _)| *open != key);
            self.window.remove(&key);
            self.open.push((key, link));
        }
    }

    fn fail(&mut self, which: usize, twice: bool) -> Result<(), TestCaseError> {
        if self.attempts.is_empty() {
            return Ok(());
        }
        let ticket = self.attempts.remove(which % self.attempts.len());
        let key = ticket.key().clone();
        let is_current = self
            .announced
            .get(&key)
            .is_some_and(|one| one.address == ticket.address());
        let failure = if twice {
            DialFailure::Duplicate
        } else {
            DialFailure::Failed
        };
        self.links.dial_failed(ticket, failure, self.now);
        if is_current {
            let policy = self.policy(&key);
            let more = if twice { SIDESTEP } else { Duration::ZERO };
            let window = (self.now + policy.min(), self.now + policy.max() + more);
            if let Some(LinkStatus::Waiting(until)) = self.links.status(&key) {
                prop_assert!(
                    window.0 <= until && until <= window.1,
                    "{until} not in {window:?}"
                );
            }
            self.window.insert(key, window);
        }
        Ok(())
    }

    /// Does what there is to do, and holds each dial against the rules.
    fn poll(&mut self) -> Result<BTreeSet<LinkKey>, TestCaseError> {
        let mut dialed = BTreeSet::new();
        for action in self.links.poll(self.now) {
            match action {
                Action::Dial(dial) => {
                    let key = dial.ticket.key().clone();
                    self.judge(&key, dial.ticket.address())?;
                    self.begun.insert(key.clone(), self.now);
                    self.window.remove(&key);
                    self.attempts.push(dial.ticket);
                    dialed.insert(key);
                },
                Action::Close(link, _) => {
                    let place = self.open.iter().position(|(_, open)| *open == link);
                    if let Some((key, _)) = place.map(|place| self.open.remove(place)) {
                        self.links.link_closed(&key, &link, self.now);
                        self.window.remove(&key);
                    }
                },
                Action::ReportDuplicate(_) => {},
            }
        }
        let overdue = self
            .window
            .iter()
            .find(|(key, (_, latest))| *latest < self.now && !self.is_busy(key));
        prop_assert!(overdue.is_none(), "not dialed again: {overdue:?}");
        Ok(dialed)
    }

    fn judge(&self, key: &LinkKey, address: &str) -> Result<(), TestCaseError> {
        let listener = self.announced.get(key);
        prop_assert!(listener.is_some(), "{key} shares no group");
        prop_assert_eq!(
            listener.map(|listener| listener.address.as_str()),
            Some(address)
        );
        prop_assert!(!self.is_busy(key), "{key} is linked or being dialed");
        prop_assert!(
            self.is_up(),
            "{key} is dialed before the startup delay is over"
        );
        let [healthy, unhealthy] = self.policies;
        if let Some(begun) = self.begun.get(key) {
            let least = *begun + healthy.min().min(unhealthy.min());
            prop_assert!(
                least <= self.now,
                "{key} was dialed at {begun}, and again at {}",
                self.now
            );
        }
        if let Some((earliest, _)) = self.window.get(key) {
            prop_assert!(*earliest <= self.now, "{key} may be dialed from {earliest}");
        }
        Ok(())
    }

    /// From now on every attempt fails. Each purpose without a link is dialed within its longest pause.
    fn settle(&mut self) -> Result<(), TestCaseError> {
        while !self.attempts.is_empty() {
            self.fail(0, false)?;
        }
        let [healthy, unhealthy] = self.policies;
        let end = self.now + healthy.max().max(unhealthy.max()) + SIDESTEP + STARTUP;
        let mut waiting: BTreeSet<LinkKey> = self.announced.keys().cloned().collect();
        waiting.retain(|key| !self.is_busy(key));
        while let Some(next) = self.links.deadline().filter(|next| *next <= end) {
            self.now = next.max(self.now);
            for key in self.poll()? {
                waiting.remove(&key);
            }
            while !self.attempts.is_empty() {
                self.fail(0, false)?;
            }
        }
        waiting.retain(|key| !self.is_busy(key));
        prop_assert!(waiting.is_empty(), "never dialed again: {waiting:?}");
        Ok(())
    }
}

proptest! {
    #![proptest_config(config())]

    /// No listener is dialed without a common group, sooner than the policy allows, later than the longest
    /// pause, or twice at a time; a router that connects is dialed at once; none is given up.
    #[test]
    fn dialing_keeps_to_the_rules(
        policies in [policy(), policy()],
        groups in subsequence(&GROUPS[..], 1..=3),
        seed: u64,
        events in prop::collection::vec(event(), 0..80),
    ) {
        let mut bystander = Bystander::new(policies, GroupNames::new(groups), seed);
        for event in events {
            bystander.happen(event)?;
        }
        bystander.settle()?;
    }

    /// While every attempt fails, pauses stay within the policy and never get shorter by more than they
    /// may: each is at least the one before, up to the longest.
    #[test]
    fn pauses_grow_within_their_bounds(policy in policy(), seed: u64, failures in 1usize..40) {
        let mut bystander = Bystander::new([policy, policy], GroupNames::default(), seed);
        bystander.now += STARTUP;
        bystander.announced.clear();
        let listener = Listener {
            address: "tls:r0:1".to_owned(),
            protocol: "tls".to_owned(),
            interface: None,
            groups: GroupNames::default(),
        };
        let announcement = Announcement { router: router(0), version: None, listeners: vec![listener] };
        let mut links = bystander.links;
        let mut now = bystander.now;
        links.router_connected(announcement, now);
        let mut before = Duration::ZERO;
        for number in 0..failures {
            let mut actions = links.poll(now);
            let Some(Action::Dial(dial)) = actions.pop() else {
                return Err(TestCaseError::fail(format!("dial {number} did not come")));
            };
            links.dial_failed(dial.ticket, DialFailure::Failed, now);
            let next = links.deadline().expect("a next dial");
            let pause = Duration::try_from(next.duration_since(now)).expect("later");
            prop_assert!((policy.min()..=policy.max()).contains(&pause), "{pause:?}");
            prop_assert!(pause >= before, "{pause:?} after {before:?}");
            (before, now) = (pause, next);
        }
    }
}
