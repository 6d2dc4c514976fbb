//! The routers, the links between them, the ends of a circuit, and what goes wrong.

use super::router::{Destination, Router};
use super::wire::{Packet, Wire};
use crate::support::{end, link, route, start};
use bytes::Bytes;
use portcullis_channel::{Moment, Now, UnixNanos};
use portcullis_forwarding::Activity;
use portcullis_seeded_random::Random;
use portcullis_wire::control::route::{Forward, RouteFailure};
use portcullis_wire::xgress::PayloadFlags;
use portcullis_xgress::{EndReason, Endpoint, EndpointEvent, Options, Received, Segment, Side};
use std::sync::Arc;
use std::time::Duration;

const CIRCUIT: &str = "circuit";
/// The routers at both sides of each link.
const LINKS: [(&str, [usize; 2]); 3] = [("l01", [0, 1]), ("l12", [1, 2]), ("l02", [0, 2])];
/// Paths, as the numbers of their links.
const PATHS: [&[usize]; 2] = [&[0, 1], &[2]];
/// Routers at which the circuit ends, and the addresses of its ends.
const ENDS: [(usize, &str); 2] = [(0, "dialing"), (2, "serving")];
const SEGMENT: usize = 2_000;
const LIMIT: Duration = Duration::from_hours(3);

/// What has happened in a run.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Outcome {
    segments: usize,
    cuts: usize,
    restarts: usize,
    faults: usize,
    unknown_faults: usize,
    refused_routes: usize,
    idle: usize,
    retransmissions: u64,
}

impl Outcome {
    pub(super) fn add(&mut self, other: &Self) {
        self.segments += other.segments;
        self.cuts += other.cuts;
        self.restarts += other.restarts;
        self.faults += other.faults;
        self.unknown_faults += other.unknown_faults;
        self.refused_routes += other.refused_routes;
        self.idle += other.idle;
        self.retransmissions += other.retransmissions;
    }

    pub(super) fn check_everything_happened(&self) {
        let counts = [
            self.segments,
            self.cuts,
            self.restarts,
            self.faults,
            self.unknown_faults,
            self.refused_routes,
            self.idle,
        ];
        assert!(counts.iter().all(|count| *count > 0), "{self:?}");
        assert!(self.retransmissions > 0);
    }
}

struct Link {
    /// To each of its routers.
    wires: [Wire; 2],
    iteration: u32,
    is_up: bool,
    redial: Option<Moment>,
}

struct Program {
    endpoint: Endpoint,
    /// Segments to write, and those that were read.
    left: usize,
    read: usize,
    pause_until: Moment,
    reason: Option<EndReason>,
}

pub(super) struct World {
    now: Moment,
    routers: [Router; 3],
    links: [Link; 3],
    programs: [Program; 2],
    random: Random,
    next_trouble: Moment,
    /// When the controller gives the circuit a path.
    reroute: Option<Moment>,
    path: usize,
    /// When routers are told to forget the circuit, because an end is over.
    unroute: Option<Moment>,
    outcome: Outcome,
}

impl World {
    pub(super) fn new(seed: u64) -> Self {
        let mut random = Random::new(seed, "world");
        let options = Arc::new(Options::default());
        let program = |side, left| Program {
            endpoint: Endpoint::new(side, CIRCUIT.to_owned(), options.clone(), at(Moment::ZERO)),
            left,
            read: 0,
            pause_until: Moment::ZERO,
            reason: None,
        };
        let links = std::array::from_fn(|_| Link {
            wires: std::array::from_fn(|_| Wire::new(&mut random)),
            iteration: 1,
            is_up: true,
            redial: None,
        });
        let counts = [random.index(400), random.index(400)];
        let mut world = Self {
            now: Moment::ZERO,
            routers: std::array::from_fn(|_| Router::new(Moment::ZERO)),
            links,
            programs: [
                program(Side::Initiator, counts[0]),
                program(Side::Terminator, counts[1]),
            ],
            random,
            next_trouble: Moment::ZERO,
            reroute: None,
            path: 0,
            unroute: None,
            outcome: Outcome {
                segments: counts[0] + counts[1],
                ..Outcome::default()
            },
        };
        for number in 0..LINKS.len() {
            world.attach(number);
        }
        for (router, address) in ENDS {
            world.routers[router].attach(address, Destination::End);
        }
        world.give_path().expect("everything is there at the start");
        world
    }

    pub(super) fn run(mut self) -> Outcome {
        let written = [self.programs[0].left, self.programs[1].left];
        while self.programs.iter().any(|program| program.reason.is_none()) {
            self.turn();
            self.now = self.next_moment();
            assert!(
                self.now.since(Moment::ZERO) < LIMIT,
                "it never ends: {:?}",
                self.outcome
            );
        }
        assert_eq!([self.programs[1].read, self.programs[0].read], written);
        for program in &self.programs {
            let reason = program.reason.unwrap();
            let is_good = matches!(
                reason,
                EndReason::Finished | EndReason::PeerEnded | EndReason::Unrouted
            );
            assert!(is_good, "{reason:?}");
            self.outcome.retransmissions += program.endpoint.stats().counters.retransmissions;
        }
        self.forget();
        self.outcome
    }

    /// After a while, no router knows the circuit any more.
    fn forget(&mut self) {
        self.unroute = Some(self.now);
        self.unroute();
        for router in &mut self.routers {
            let later = self.now + Duration::from_secs(30);
            while let Some(at) = router.poll_timeout().filter(|at| *at <= later) {
                let _reports = router.handle_timeout(at.max(self.now));
            }
            assert_eq!(router.circuits(), 0);
        }
    }

    /// The controller lets all routers forget the circuit.
    fn unroute(&mut self) {
        if self.unroute.is_some_and(|at| at <= self.now) {
            self.unroute = None;
            self.reroute = None;
            for router in &mut self.routers {
                router.unroute(CIRCUIT, false, self.now);
            }
        }
    }

    fn next_moment(&mut self) -> Moment {
        let wires = self.links.iter().flat_map(|link| &link.wires);
        let arrivals = wires.filter_map(Wire::next_arrival);
        let redials = self.links.iter().filter_map(|link| link.redial);
        let routers = self.routers.iter().filter_map(Router::poll_timeout);
        let ends = self.programs.iter().map(|program| &program.endpoint);
        let ends = ends.filter_map(|end| Some(end.poll_timeout()?.0));
        let pauses = self.programs.iter().map(|program| program.pause_until);
        let pauses = pauses.filter(|until| *until > self.now);
        let own = [Some(self.next_trouble), self.reroute]
            .into_iter()
            .flatten();
        let all = arrivals
            .chain(redials)
            .chain(routers)
            .chain(ends)
            .chain(pauses)
            .chain(own);
        all.min().unwrap().max(self.now + Duration::from_micros(50))
    }

    fn turn(&mut self) {
        self.make_trouble();
        self.heal();
        for place in 0..self.programs.len() {
            self.drive(place);
        }
        for (number, (name, routers)) in LINKS.into_iter().enumerate() {
            for (side, router) in routers.into_iter().enumerate() {
                while let Some(packet) = self.links[number].wires[side].arrive(self.now) {
                    self.pass(router, name, packet, Activity::Shown);
                }
            }
        }
        for place in 0..self.programs.len() {
            self.drive(place);
        }
        self.listen_to_routers();
        self.unroute();
    }

    /// Lets a router forward something that comes from an address.
    fn pass(&mut self, router: usize, from: &str, packet: Packet, activity: Activity) {
        let now = self.now;
        match self.routers[router].forward(from, &packet, activity, now) {
            None => {},
            Some(Destination::Link { number, .. }) => {
                let side = usize::from(LINKS[number].1[0] == router);
                let link = &mut self.links[number];
                if link.is_up {
                    link.wires[side].send(packet, now);
                }
            },
            Some(Destination::End) => {
                let place = usize::from(router == ENDS[1].0);
                let end = &mut self.programs[place].endpoint;
                match packet {
                    Packet::Payload(payload) => end.handle_payload(payload, at(now)),
                    Packet::Acknowledgement(acknowledgement) => {
                        end.handle_acknowledgement(&acknowledgement, at(now));
                    },
                }
            },
        }
    }

    /// Lets a program and its end do what they can.
    fn drive(&mut self, place: usize) {
        let now = at(self.now);
        let program = &mut self.programs[place];
        let end = &mut program.endpoint;
        if end.poll_timeout().is_some_and(|(at, _)| at <= self.now) {
            end.handle_timeout(now);
        }
        if program.pause_until <= self.now {
            while program.left > 0 && end.is_writable() {
                let number = u8::try_from(program.left % 256).unwrap();
                let data = Bytes::from(vec![number; 1 + program.left * 7 % SEGMENT]);
                end.write(Segment::from(data), now).unwrap();
                program.left -= 1;
                if self.random.one_in(30) {
                    // Sometimes for so long that the circuit is idle.
                    let pause = [100, 2_000, 150_000][self.random.index(3)];
                    program.pause_until = self.now + Duration::from_millis(pause);
                    break;
                }
            }
            if program.left == 0 {
                end.finish(now);
            }
        }
        while let Some(received) = end.read(now) {
            program.read += usize::from(received != Received::EndOfStream);
        }
        while let Some(event) = end.poll_event() {
            if let EndpointEvent::Ended(reason) = event {
                program.reason = Some(reason);
                let (router, address) = ENDS[place];
                self.routers[router].detach(address, Destination::End);
                // A fault of this router lets the controller end the circuit.
                self.unroute = Some(self.now + Duration::from_millis(50));
            }
        }
        self.transmit(place);
    }

    fn transmit(&mut self, place: usize) {
        let (router, address) = ENDS[place];
        let now = at(self.now);
        while let Some(acknowledgement) = self.programs[place].endpoint.poll_acknowledgement() {
            let packet = Packet::Acknowledgement(acknowledgement);
            self.pass(router, address, packet, Activity::Shown);
        }
        while let Some(payload) = self.programs[place].endpoint.poll_payload(now) {
            let is_again = payload.flags.contains(PayloadFlags::RETRANSMITTED);
            let activity = if is_again {
                Activity::NotShown
            } else {
                Activity::Shown
            };
            self.pass(router, address, Packet::Payload(payload), activity);
        }
    }

    /// Cuts links, and restarts the router in the middle.
    fn make_trouble(&mut self) {
        if self.next_trouble > self.now {
            return;
        }
        let pause = [200, 3_000, 60_000][self.random.index(3)];
        self.next_trouble = self.now + Duration::from_millis(1 + self.random.below(pause));
        match self.random.below(6) {
            0..3 => {
                let number = self.random.index(self.links.len());
                self.cut(number);
                self.outcome.cuts += 1;
            },
            3 => {
                self.routers[1] = Router::new(self.now);
                self.cut(0);
                self.cut(1);
                self.outcome.restarts += 1;
            },
            _ => {},
        }
    }

    /// A link is lost; the controller looks for another path, and somebody dials the link again.
    fn cut(&mut self, number: usize) {
        let (name, routers) = LINKS[number];
        let iteration = self.links[number].iteration;
        for router in routers {
            self.routers[router].detach(name, Destination::Link { number, iteration });
        }
        let link = &mut self.links[number];
        link.is_up = false;
        link.wires.iter_mut().for_each(Wire::cut);
        let redial = Duration::from_millis(self.random.below(3_000));
        link.redial = Some(self.now + redial);
        if PATHS[self.path].contains(&number) {
            self.plan_path();
        }
    }

    fn plan_path(&mut self) {
        if self.programs.iter().any(|program| program.reason.is_some()) {
            return;
        }
        let soon = Duration::from_millis(1 + self.random.below(1_000));
        self.reroute.get_or_insert(self.now + soon);
    }

    /// What was lost comes back.
    fn heal(&mut self) {
        for number in 0..self.links.len() {
            let link = &mut self.links[number];
            if link.redial.is_some_and(|at| at <= self.now) {
                link.redial = None;
                link.is_up = true;
                link.iteration += 1;
                self.attach(number);
            }
        }
        if self.reroute.is_some_and(|at| at <= self.now) {
            self.reroute = None;
            self.path = self.random.index(PATHS.len());
            if self.give_path().is_err() {
                self.outcome.refused_routes += 1;
                self.plan_path();
            }
        }
    }

    fn attach(&mut self, number: usize) {
        let (name, routers) = LINKS[number];
        let iteration = self.links[number].iteration;
        for router in routers {
            self.routers[router].attach(name, Destination::Link { number, iteration });
        }
    }

    /// Tells the routers of the path what to do.
    fn give_path(&mut self) -> Result<(), RouteFailure> {
        let links = PATHS[self.path];
        let mut router = ENDS[0].0;
        let mut before: Option<&str> = None;
        for number in links.iter().map(Some).chain([None]) {
            let after = number.map(|number| LINKS[*number].0);
            let forwards = forwards(before, after);
            self.routers[router].route(&route(CIRCUIT, &forwards), self.now)?;
            if let Some(number) = number {
                let (name, sides) = LINKS[*number];
                before = Some(name);
                router = if sides[0] == router {
                    sides[1]
                } else {
                    sides[0]
                };
            }
        }
        Ok(())
    }

    /// The controller gives a new path to a circuit that a router cannot forward.
    fn listen_to_routers(&mut self) {
        for number in 0..self.routers.len() {
            if self.routers[number]
                .poll_timeout()
                .is_none_or(|at| at > self.now)
            {
                continue;
            }
            let (reports, idle) = self.routers[number].handle_timeout(self.now);
            if self.routers[number].has_ended()
                && let Some(place) = ENDS.iter().position(|(router, _)| *router == number)
            {
                self.programs[place].endpoint.unroute();
                self.drive(place);
            }
            self.outcome.idle += idle;
            for report in reports {
                assert_eq!(report.fault.circuits().collect::<Vec<_>>(), [CIRCUIT]);
                match report.to {
                    Some(_) => self.outcome.faults += 1,
                    None => self.outcome.unknown_faults += 1,
                }
                self.plan_path();
            }
        }
    }
}

/// What a router does between what comes before it and after it: links, or the ends.
fn forwards(before: Option<&str>, after: Option<&str>) -> [Forward; 2] {
    let (dialing, serving) = (ENDS[0].1, ENDS[1].1);
    let source = before.unwrap_or(dialing);
    let there = match after {
        Some(name) => link(source, name),
        None => end(source, serving),
    };
    let source = after.unwrap_or(serving);
    let back = match before {
        Some(name) => link(source, name),
        None => start(source, dialing),
    };
    [there, back]
}

fn at(mono: Moment) -> Now {
    let wall = UnixNanos(mono.as_micros() * 1_000);
    Now { mono, wall }
}
