//! Everything that is, and what happens to it.

use super::Trace;
use super::controller::{Controller, Records, router_id, terminator};
use super::message::{ToController, ToRouter};
use super::router::{Hop, LinkEnd, Router};
use crate::random::Random;
use portcullis_domain::service::TerminatorStrategy;
use portcullis_fabric::{
    Address, CircuitFault, CircuitId, LinkId, Moment, Route, RouteId, RouterSession,
};
use std::collections::{BTreeMap, BTreeSet};
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

    /// A short time, sometimes a longer one.
    fn delay(&mut self, usual: u64, long: u64) -> u64 {
        let is_long = !self.is_calm && self.delays.one_in(12);
        1 + self.delays.below(if is_long { long } else { usual })
    }

    /// Something happens, and some time passes.
    pub(crate) fn step(&mut self) {
        let router = self.random.index(self.routers.len());
        match self.random.below(30) {
            0 => self.crash_router(router),
            1 if self.random.one_in(2) => self.crash_controller(),
            2 | 3 => self.break_channel(router),
            4..=6 => {
                let cable = self.random.index(self.cables.len());
                self.break_cable(cable);
            },
            7 => self.change_rights(),
            8 => self.unhost(router),
            9 => self.remove_circuit(),
            10..=13 => self.close_end(router),
            14 => self.change_link(),
            _ => self.dial(router),
        }
        let milliseconds = if self.random.one_in(20) {
            self.random.below(90_000)
        } else {
            self.random.below(3000)
        };
        self.pass(Duration::from_millis(milliseconds));
    }

    fn crash_router(&mut self, router: usize) {
        if !self.routers[router].is_up {
            return;
        }
        self.trace.add(format!("{:?} r{router} crashes", self.now));
        self.routers[router].restart();
        if let Some(channel) = self.channels[router].take() {
            self.lose_channel(channel);
        }
        for cable in 0..self.cables.len() {
            if self.cables[cable].ends.contains(&router) {
                self.break_cable(cable);
            }
        }
        let delay = self.delay(3000, 30_000);
        self.later(delay, Event::RouterStart(router));
    }

    fn crash_controller(&mut self) {
        self.trace
            .add(format!("{:?} the controller crashes", self.now));
        if self.controller.take().is_none() {
            return;
        }
        self.generation += 1;
        let whole: Vec<_> = self
            .all_channels
            .iter()
            .filter(|(_, channel)| channel.is_whole)
            .map(|(number, _)| *number)
            .collect();
        for channel in whole {
            self.lose_channel(channel);
        }
        let delay = self.delay(2000, 20_000);
        self.later(delay, Event::ControllerStart);
    }

    fn break_channel(&mut self, router: usize) {
        self.trace
            .add(format!("{:?} the channel of r{router} breaks", self.now));
        if let Some(channel) = self.channels[router] {
            self.lose_channel(channel);
        }
    }

    fn lose_channel(&mut self, number: u64) {
        let channel = self.all_channels.get_mut(&number).unwrap();
        if std::mem::replace(&mut channel.is_whole, false) {
            let delay = self.delay(2000, 30_000);
            self.later(delay, Event::RouterNotices(number));
            let delay = self.delay(2000, 30_000);
            self.later(delay, Event::ControllerNotices(number));
        }
    }

    fn break_cable(&mut self, cable: usize) {
        self.trace
            .add(format!("{:?} {:?} breaks", self.now, self.cables[cable].id));
        self.cables[cable].is_up = false;
        for end in self.cables[cable].ends {
            self.notice_later(cable, end);
        }
    }

    fn notice_later(&mut self, cable: usize, end: usize) {
        let Cable { id, iteration, .. } = &self.cables[cable];
        let event = Event::CableNotice {
            cable,
            end,
            id: id.clone(),
            iteration: *iteration,
        };
        let delay = self.delay(500, 30_000);
        self.later(delay, event);
    }

    fn change_rights(&mut self) {
        let client = self.random.index(4);
        self.trace
            .add(format!("{:?} other rights for {client}", self.now));
        if !self.records.allowed.remove(&client) {
            self.records.allowed.insert(client);
        }
        if let Some(controller) = &mut self.controller {
            controller.judge(&self.records);
        }
    }

    fn unhost(&mut self, router: usize) {
        let hosted = std::mem::take(&mut self.routers[router].hosted);
        for name in hosted {
            // Sometimes nobody tells the controller.
            if self.random.one_in(2) {
                self.records.terminators.remove(&name);
                if let Some(controller) = &mut self.controller {
                    controller
                        .fabric
                        .remove_terminator(&terminator(&name, 0).id);
                }
            }
        }
        let run = self.routers[router].run;
        self.later(8000, Event::Host(router, run));
    }

    fn remove_circuit(&mut self) {
        let is_now = self.random.one_in(2);
        let Some(controller) = &mut self.controller else {
            return;
        };
        let all: Vec<_> = controller.fabric.circuits().collect();
        if all.is_empty() {
            return;
        }
        let id = all[self.random.index(all.len())].names.circuit.clone();
        controller.fabric.remove_circuit(&id, is_now);
    }

    fn close_end(&mut self, router: usize) {
        let circuits: Vec<_> = self.routers[router].circuits.keys().cloned().collect();
        if circuits.is_empty() {
            return;
        }
        let circuit = &circuits[self.random.index(circuits.len())];
        let fault = if self.random.one_in(2) {
            CircuitFault::Ingress
        } else {
            CircuitFault::Egress
        };
        let said = self.routers[router].close(circuit, fault);
        self.tell_controller(router, said);
    }

    fn change_link(&mut self) {
        let cost = u32::try_from(self.random.below(200_000)).unwrap();
        let is_down = self.random.one_in(4);
        let cable = &self.cables[self.random.index(self.cables.len())];
        if let Some(controller) = &mut self.controller {
            controller.fabric.set_link_cost(&cable.id, cost);
            controller
                .fabric
                .set_link_down(&cable.id, is_down, self.now);
        }
    }

    fn dial(&mut self, router: usize) {
        let client = usize::try_from(self.random.below(CLIENTS)).unwrap();
        let dial = self.number();
        if self.channels[router].is_some() {
            self.routers[router].dials.insert(dial, client);
            self.tell_controller(router, [ToController::Dial { dial, client }]);
        }
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

    /// When a message arrives: after those before it in its lane.
    fn arrival(&mut self, channel: u64, direction: usize, lane: usize) -> Moment {
        let delay = self.delay(30, 3000);
        let channel = self.all_channels.get_mut(&channel).unwrap();
        let last = &mut channel.last[direction][lane];
        *last = (*last).max(self.now + Duration::from_millis(delay));
        *last
    }

    /// Delivers what the controller has to say, and checks what is true at any time.
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

    /// Lets time pass, from one event to the next.
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

    fn notice_cable(&mut self, cable: usize, end: usize, id: &LinkId, iteration: u32) {
        let router = &mut self.routers[end];
        if router
            .links
            .get(id)
            .is_none_or(|link| link.iteration != iteration)
        {
            return;
        }
        self.drop_link(cable, end, id, iteration);
    }

    /// A router gives a link up, and tells.
    fn drop_link(&mut self, cable: usize, end: usize, id: &LinkId, iteration: u32) {
        let Some(link) = self.routers[end].links.remove(id) else {
            return;
        };
        let message = ToController::LinkFault {
            link: id.clone(),
            iteration,
        };
        self.tell_controller(end, [message]);
        if link.is_source {
            let run = self.routers[end].run;
            let delay = self.delay(1000, 10_000);
            self.later(delay, Event::Redial(cable, run));
        }
    }

    fn redial(&mut self, cable: usize, run: u64) {
        let [source, destination] = self.cables[cable].ends;
        let id = self.cables[cable].id.clone();
        let is_wanted = self.routers[source].is_up
            && self.routers[source].run == run
            && !self.routers[source].links.contains_key(&id);
        if !is_wanted {
            return;
        }
        if !self.routers[destination].is_up {
            self.later(5000, Event::Redial(cable, run));
            return;
        }
        let state = &mut self.cables[cable];
        state.iteration += 1;
        state.is_up = true;
        let iteration = state.iteration;
        for (end, peer) in [(source, destination), (destination, source)] {
            let link = LinkEnd {
                peer,
                iteration,
                is_source: end == source,
            };
            self.routers[end].links.insert(id.clone(), link);
        }
        let links = self.routers[source].dialed();
        let links = links.into_iter().filter(|link| link.id == id).collect();
        let message = ToController::Links {
            links,
            is_full: false,
        };
        self.tell_controller(source, [message]);
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

    fn close_link(&mut self, router: usize, id: &LinkId, iteration: u32) {
        let link = self.routers[router].links.get(id);
        let Some(known) = link.map(|link| link.iteration) else {
            return;
        };
        if iteration != 0 && known > iteration {
            return;
        }
        let cable = self.cables.iter().position(|cable| cable.id == *id);
        let Some(cable) = cable else {
            // Of a router that was restarted: the end is noticed soon.
            self.routers[router].links.remove(id);
            return;
        };
        self.cables[cable].is_up = false;
        for end in self.cables[cable].ends {
            if end != router {
                self.notice_later(cable, end);
            }
        }
        self.drop_link(cable, router, id, known);
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

    /// Both ends of each circuit send.
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

    /// Tells whether the data arrives.
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

    /// Nothing goes wrong any more; after some time both sides agree on everything.
    pub(crate) fn calm_down(&mut self) {
        self.is_calm = true;
        self.pass(Duration::from_mins(15));
        self.check_links();
        self.check_circuits();
        let controller = self.controller.as_ref().unwrap();
        assert_eq!(controller.fabric.unclaimed(), 0);
        for session in controller.waiting.values() {
            assert!(!controller.fabric.network().is_current(*session));
        }
    }

    fn check_links(&self) {
        let network = self.controller.as_ref().unwrap().fabric.network();
        let believed: BTreeSet<_> = network
            .links()
            .map(|link| (link.id.clone(), link.iteration))
            .collect();
        let real: BTreeSet<_> = self
            .cables
            .iter()
            .filter(|cable| cable.is_up)
            .map(|cable| (cable.id.clone(), cable.iteration))
            .collect();
        assert_eq!(believed, real, "{}", self.trace.about("\"link"));
        assert_eq!(real.len(), self.cables.len(), "all links are there again");
        for router in &self.routers {
            for (id, link) in &router.links {
                assert!(real.contains(&(id.clone(), link.iteration)), "{id:?}");
            }
        }
    }

    fn check_circuits(&mut self) {
        let fabric = &self.controller.as_ref().unwrap().fabric;
        let mut real = BTreeSet::new();
        for (router, state) in self.routers.iter().enumerate() {
            real.extend(state.circuits.keys().map(|id| (id.clone(), router)));
        }
        let mut believed = BTreeSet::new();
        let mut ends = Vec::new();
        for view in fabric.circuits() {
            let id = view.names.circuit.clone();
            let about = || self.trace.about(&format!("{:?}", id.as_str()));
            assert!(view.is_open, "{id:?} {}", about());
            let routers: Vec<_> = view
                .path
                .routers()
                .iter()
                .map(|router| {
                    let name = fabric.network().router_id(*router).unwrap();
                    name.as_str()[1..].parse::<usize>().unwrap()
                })
                .collect();
            believed.extend(routers.iter().map(|router| (id.clone(), *router)));
            ends.push((routers[0], id.clone(), view.names.ingress.clone()));
            let last = *routers.last().unwrap();
            ends.push((last, id.clone(), view.names.egress.clone()));
        }
        if let Some((id, router)) = real.symmetric_difference(&believed).next() {
            let about = self.trace.about(&format!("{:?}", id.as_str()));
            let is_real = real.contains(&(id.clone(), *router));
            panic!("{id:?} at r{router}: {is_real} {about}");
        }
        for (router, id, address) in ends {
            let entry = &self.routers[router].circuits[&id];
            let ingress = entry.ingress.as_ref().map(|(address, _)| address);
            let is_there = ingress == Some(&address) || entry.egress.as_ref() == Some(&address);
            let arrives = is_there && self.send(router, &id, address.clone());
            let about = self.trace.about(&format!("{:?}", id.as_str()));
            assert!(arrives, "{id:?} from {address:?} at r{router} {about}");
        }
    }

    /// Circuits that are left.
    pub(crate) fn circuits(&self) -> usize {
        self.controller.as_ref().unwrap().fabric.circuits().count()
    }
}
