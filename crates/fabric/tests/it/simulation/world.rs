//! Everything that is, and what happens to it.

mod agreement;
mod links;
mod trouble;

use super::Trace;
use super::controller::{Controller, Records, router_id, terminator};
use super::message::{ToController, ToRouter};
use super::router::{Hop, Router};
use portcullis_domain::service::TerminatorStrategy;
use portcullis_fabric::{
    Address, CircuitFault, CircuitId, LinkId, Moment, Route, RouteId, RouterSession,
};
use portcullis_seeded_random::Random;
use std::collections::BTreeMap;
use std::time::Duration;

const CLIENTS: u64 = 4;

#[derive(Debug)]
pub(crate) struct World {
    now: Moment,
    random: Random,
    delays: Random,
    is_calm: bool,
    controller: Option<Controller>,
    /// Counts restarts of the controller.
    generation: u64,
    strategy: TerminatorStrategy,
    records: Records,
    routers: Vec<Router>,
    /// The control channel that each router believes to have.
    channels: Vec<Option<u64>>,
    all_channels: BTreeMap<u64, Channel>,
    cables: Vec<Cable>,
    events: BTreeMap<(Moment, u64), Event>,
    numbers: u64,
    pub(crate) trace: Trace,
}

/// A control channel.
#[derive(Debug)]
struct Channel {
    router: usize,
    generation: u64,
    session: RouterSession,
    is_whole: bool,
    /// When the last message of each lane arrives, per direction.
    last: [[Moment; 2]; 2],
}

/// What one router dials to get a link to another.
#[derive(Debug)]
struct Cable {
    ends: [usize; 2],
    id: LinkId,
    iteration: u32,
    is_up: bool,
}

#[derive(Debug)]
enum Event {
    ToRouter(u64, ToRouter),
    ToController(u64, ToController),
    /// A router sets up a route.
    Work(u64, u64, RouteId, Route),
    RouterNotices(u64),
    ControllerNotices(u64),
    Connect(usize, u64),
    RouterStart(usize),
    ControllerStart,
    /// One end of a cable notices that it broke.
    CableNotice {
        cable: usize,
        end: usize,
        id: LinkId,
        iteration: u32,
    },
    Redial(usize, u64),
    Unroute(usize, u64, CircuitId),
    Host(usize, u64),
    Data,
    IdleScan,
}

impl World {
    pub(crate) fn new(seed: u64) -> Self {
        let mut random = Random::new(seed, "faults");
        let routers = 2 + random.index(4);
        let mut cables = Vec::new();
        for from in 0..routers {
            for to in 0..routers {
                if from != to && (to == from + 1 || random.one_in(3)) {
                    cables.push(Cable {
                        ends: [from, to],
                        id: LinkId::new("link").unwrap(),
                        iteration: 0,
                        is_up: false,
                    });
                }
            }
        }
        let strategy = TerminatorStrategy::ALL[random.index(4)];
        let mut world = Self {
            now: Moment::ZERO,
            random,
            delays: Random::new(seed, "delays"),
            is_calm: false,
            controller: None,
            generation: 0,
            strategy,
            records: Records {
                routers,
                terminators: BTreeMap::new(),
                allowed: (0..4).collect(),
            },
            routers: (0..routers).map(|_| Router::default()).collect(),
            channels: vec![None; routers],
            all_channels: BTreeMap::new(),
            cables,
            events: BTreeMap::new(),
            numbers: 0,
            trace: Trace::default(),
        };
        world.later(0, Event::ControllerStart);
        for router in 0..routers {
            world.later(0, Event::RouterStart(router));
        }
        world.later(5000, Event::Data);
        world.later(20_000, Event::IdleScan);
        world.pass(Duration::from_secs(20));
        world
    }

    fn number(&mut self) -> u64 {
        self.numbers += 1;
        self.numbers
    }

    fn later(&mut self, milliseconds: u64, event: Event) {
        let at = self.now + Duration::from_millis(milliseconds);
        let number = self.number();
        self.events.insert((at, number), event);
    }

    fn delay(&mut self, usual: u64, long: u64) -> u64 {
        let is_long = !self.is_calm && self.delays.one_in(12);
        1 + self.delays.below(if is_long { long } else { usual })
    }

    fn tell_controller(&mut self, router: usize, messages: impl IntoIterator<Item = ToController>) {
        let Some(number) = self.channels[router] else {
            return;
        };
        for message in messages {
            let at = self.arrival(number, 0, message.lane());
            let order = self.number();
            let event = Event::ToController(number, message);
            self.events.insert((at, order), event);
        }
    }

    fn arrival(&mut self, channel: u64, direction: usize, lane: usize) -> Moment {
        let delay = self.delay(30, 3000);
        let channel = self.all_channels.get_mut(&channel).unwrap();
        let last = &mut channel.last[direction][lane];
        *last = (*last).max(self.now + Duration::from_millis(delay));
        *last
    }

    fn settle(&mut self) {
        let Some(controller) = &mut self.controller else {
            return;
        };
        let deadline = controller.fabric.poll_timeout();
        if deadline.is_some_and(|at| at <= self.now) {
            controller.fabric.handle_timeout(self.now);
        }
        let messages = controller.drain(&mut self.records, &mut self.trace, self.now);
        controller.check(&self.records, self.now);
        controller.fabric.handle_timeout(self.now);
        assert_eq!(controller.fabric.poll_action(), None, "too early");
        for (to, message) in messages {
            let generation = self.generation;
            let channel = self.all_channels.iter().find(|(_, channel)| {
                channel.session == to && channel.generation == generation && channel.is_whole
            });
            let Some((&number, _)) = channel else {
                continue;
            };
            let at = self.arrival(number, 1, message.lane());
            let order = self.number();
            self.events
                .insert((at, order), Event::ToRouter(number, message));
        }
    }

    pub(crate) fn pass(&mut self, duration: Duration) {
        let end = self.now + duration;
        loop {
            self.settle();
            let controller = self.controller.as_ref();
            let deadline = controller.and_then(|controller| controller.fabric.poll_timeout());
            let event = self.events.first_key_value().map(|((at, _), _)| *at);
            let next = event.into_iter().chain(deadline).min();
            let Some(next) = next.filter(|at| *at <= end) else {
                break;
            };
            self.now = self.now.max(next);
            if event == Some(next) {
                let (_, event) = self.events.pop_first().unwrap();
                self.handle(event);
            }
        }
        self.now = end;
        self.settle();
    }

    fn handle(&mut self, event: Event) {
        match event {
            Event::Data => {
                self.send_data();
                self.later(5000, Event::Data);
            },
            Event::IdleScan => {
                for router in 0..self.routers.len() {
                    let idle = self.routers[router].idle(Duration::from_mins(1), self.now);
                    let message = (!idle.is_empty()).then_some(ToController::Idle(idle));
                    self.tell_controller(router, message);
                }
                self.later(20_000, Event::IdleScan);
            },
            event => {
                self.trace.add(format!("{:?} {event:?}", self.now));
                self.handle_rare(event);
            },
        }
    }

    fn handle_rare(&mut self, event: Event) {
        match event {
            Event::ToRouter(channel, message) => {
                if self.all_channels[&channel].is_whole {
                    self.handle_at_router(channel, message);
                }
            },
            Event::ToController(channel, message) => {
                let random = self.random_for_dial();
                let channel = &self.all_channels[&channel];
                if channel.is_whole
                    && let Some(controller) = &mut self.controller
                {
                    let session = channel.session;
                    controller.handle(session, message, &self.records, random, self.now);
                }
            },
            Event::Work(channel, run, id, route) => self.work(channel, run, id, &route),
            Event::RouterNotices(channel) => {
                let router = self.all_channels[&channel].router;
                if self.channels[router] == Some(channel) {
                    self.channels[router] = None;
                    self.routers[router].dials.clear();
                    let run = self.routers[router].run;
                    let delay = self.delay(3000, 15_000);
                    self.later(delay, Event::Connect(router, run));
                }
            },
            Event::ControllerNotices(channel) => {
                let channel = &self.all_channels[&channel];
                if channel.generation == self.generation
                    && let Some(controller) = &mut self.controller
                {
                    controller.fabric.disconnect(channel.session, self.now);
                }
            },
            Event::Connect(router, run) => self.connect(router, run),
            Event::RouterStart(router) => self.start_router(router),
            Event::ControllerStart => {
                if self.controller.is_none() {
                    let controller = Controller::start(&self.records, self.strategy, self.now);
                    self.controller = Some(controller);
                }
            },
            Event::CableNotice {
                cable,
                end,
                id,
                iteration,
            } => self.notice_cable(cable, end, &id, iteration),
            Event::Redial(cable, run) => self.redial(cable, run),
            Event::Unroute(router, run, circuit) => {
                if self.routers[router].run == run {
                    let said = self.routers[router].unroute(&circuit);
                    self.tell_controller(router, said);
                }
            },
            Event::Host(router, run) => self.host(router, run),
            Event::Data | Event::IdleScan => (),
        }
    }

    fn random_for_dial(&mut self) -> u64 {
        self.delays.next()
    }

    fn connect(&mut self, router: usize, run: u64) {
        let is_wanted = self.routers[router].is_up
            && self.routers[router].run == run
            && self.channels[router].is_none();
        if !is_wanted {
            return;
        }
        let Some(controller) = &mut self.controller else {
            self.later(1000, Event::Connect(router, run));
            return;
        };
        let session = controller.fabric.connect(&router_id(router), self.now);
        let channel = Channel {
            router,
            generation: self.generation,
            session: session.unwrap(),
            is_whole: true,
            last: [[Moment::ZERO; 2]; 2],
        };
        let number = self.number();
        self.all_channels.insert(number, channel);
        self.channels[router] = Some(number);
        let links = self.routers[router].dialed();
        let message = ToController::Links {
            links,
            is_full: true,
        };
        self.tell_controller(router, [message]);
    }

    fn start_router(&mut self, router: usize) {
        self.routers[router].is_up = true;
        let run = self.routers[router].run;
        self.later(100, Event::Connect(router, run));
        self.later(500, Event::Host(router, run));
        for cable in 0..self.cables.len() {
            if self.cables[cable].ends[0] == router {
                let id = format!("link{}", self.number());
                self.cables[cable].id = LinkId::new(&id).unwrap();
                self.cables[cable].iteration = 0;
                let delay = self.delay(2000, 5000);
                self.later(delay, Event::Redial(cable, run));
            }
        }
    }

    fn host(&mut self, router: usize, run: u64) {
        if self.routers[router].run != run || !self.routers[router].hosted.is_empty() {
            return;
        }
        if self.controller.is_none() || self.channels[router].is_none() {
            self.later(2000, Event::Host(router, run));
            return;
        }
        let name = format!("t{}", self.number());
        self.routers[router].hosted.insert(name.clone());
        self.records.terminators.insert(name.clone(), router);
        if let Some(controller) = &mut self.controller {
            controller.fabric.set_terminator(terminator(&name, router));
        }
    }

    fn handle_at_router(&mut self, channel: u64, message: ToRouter) {
        let router = self.all_channels[&channel].router;
        let run = self.routers[router].run;
        match message {
            ToRouter::Route(id, route) => {
                if self.is_calm || !self.delays.one_in(25) {
                    let delay = self.delay(20, 15_000);
                    self.later(delay, Event::Work(channel, run, id, route));
                }
            },
            ToRouter::Unroute { circuit, now: true } => {
                let said = self.routers[router].unroute(&circuit);
                self.tell_controller(router, said);
            },
            ToRouter::Unroute {
                circuit,
                now: false,
            } => {
                self.later(5000, Event::Unroute(router, run, circuit));
            },
            ToRouter::CloseLink { link, iteration } => self.close_link(router, &link, iteration),
            ToRouter::Answer {
                dial,
                circuit,
                ingress,
            } => self.take_answer(router, dial, &circuit, ingress),
            ToRouter::Ask { asked } => {
                let circuits = self.routers[router].carried();
                self.tell_controller(router, [ToController::Carried { asked, circuits }]);
            },
        }
    }

    fn take_answer(
        &mut self,
        router: usize,
        dial: u64,
        circuit: &CircuitId,
        ingress: Option<Address>,
    ) {
        let Some(client) = self.routers[router].dials.remove(&dial) else {
            return;
        };
        let Some(ingress) = ingress else {
            return;
        };
        let entry = self.routers[router].circuits.entry(circuit.clone());
        let entry = entry.or_default();
        entry.ingress = Some((ingress, client));
        entry.used = self.now;
        if !self.is_calm && self.delays.one_in(10) {
            let said = self.routers[router].close(circuit, CircuitFault::Ingress);
            self.tell_controller(router, said);
        }
    }

    fn work(&mut self, channel: u64, run: u64, id: RouteId, route: &Route) {
        let router = self.all_channels[&channel].router;
        if self.routers[router].run != run {
            return;
        }
        let may_dial = self.is_calm || !self.delays.one_in(10);
        let said = self.routers[router].route(id, route, self.now, may_dial);
        // The answer goes where the question came from.
        if self.channels[router] == Some(channel) {
            self.tell_controller(router, said);
        }
    }

    fn send_data(&mut self) {
        for router in 0..self.routers.len() {
            let circuits = self.routers[router].circuits.iter();
            let ends: Vec<_> = circuits
                .flat_map(|(id, entry)| {
                    let ingress = entry.ingress.as_ref().map(|(address, _)| address);
                    let ends = ingress.into_iter().chain(&entry.egress);
                    ends.map(|address| (id.clone(), address.clone()))
                })
                .collect();
            for (circuit, address) in ends {
                self.send(router, &circuit, address);
            }
        }
    }

    fn send(&mut self, from: usize, circuit: &CircuitId, from_address: Address) -> bool {
        let (mut router, mut address) = (from, from_address);
        for _ in 0..20 {
            match self.routers[router].forward(circuit, &address, self.now) {
                Hop::Arrived => return true,
                Hop::Fault => {
                    let message = ToController::ForwardFault(circuit.clone());
                    self.tell_controller(router, [message]);
                    return false;
                },
                Hop::Link(link, peer) => {
                    let is_up = |cable: &Cable| cable.id == link && cable.is_up;
                    if !self.cables.iter().any(is_up) {
                        return false;
                    }
                    router = peer;
                    address = (&link).into();
                },
            }
        }
        false
    }
}
