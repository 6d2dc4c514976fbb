//! Both sides, the connections between them, and what goes wrong.

use super::Trace;
use super::dialing::Dialing;
use super::listening::Listening;
use super::pipe::Weather;
use super::traffic::Ledger;
use super::wire::Wire;
use crate::support::secret;
use portcullis_channel::Headers;
use portcullis_channel::Moment;
use portcullis_channel::group::GroupId;
use portcullis_channel::hello::{GroupHello, Grouping, Hello};
use portcullis_seeded_random::Random;
use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

/// Rounds at one instant after which both sides have to rest.
const RESTLESS: usize = 10_000;

#[derive(Debug)]
pub(crate) struct World {
    seed: u64,
    now: Moment,
    pub(crate) dialing: Dialing,
    pub(crate) listening: Listening,
    /// Connections, and who dialed them, as it was verified.
    wires: BTreeMap<u64, (&'static str, Wire)>,
    next_wire: u64,
    owners: u64,
    /// When a router begins anew whose channel has ended.
    restart: Option<Moment>,
    pub(crate) ledger: Ledger,
    pub(crate) trace: Trace,
    faults: Random,
    is_calm: bool,
    trespassers: BTreeSet<u64>,
}

impl World {
    pub(crate) fn new(seed: u64) -> Self {
        Self {
            seed,
            now: Moment::ZERO,
            dialing: Dialing::new(1, seed, Moment::ZERO),
            listening: Listening::new(1_000_000, seed),
            wires: BTreeMap::new(),
            next_wire: 0,
            owners: 1,
            restart: None,
            ledger: Ledger::default(),
            trace: Trace::default(),
            faults: Random::new(seed, "faults"),
            is_calm: false,
            trespassers: BTreeSet::new(),
        }
    }

    /// From now on nothing goes wrong.
    pub(crate) fn calm_down(&mut self) {
        self.is_calm = true;
        for (_, wire) in self.wires.values_mut() {
            if wire.dies.take().is_some() {
                wire.cut();
            }
            for pipe in &mut wire.pipes {
                pipe.weather = Weather::calm();
            }
        }
        self.settle();
    }

    pub(crate) fn step(&mut self) {
        match self.faults.below(if self.is_calm { 60 } else { 100 }) {
            0..30 => self
                .dialing
                .talk(self.now, &mut self.ledger, &mut self.trace),
            30..60 => self
                .listening
                .talk(self.now, &mut self.ledger, &mut self.trace),
            60..65 => self.on_a_wire(|wire, _, _| wire.cut()),
            65..70 => self.on_a_wire(Self::lose),
            70..76 => self.on_a_wire(|wire, random, now| {
                let until = now + Duration::from_millis(random.below(20_000));
                wire.pipes[random.index(2)].weather.stalled = until;
            }),
            76..82 => self.turn_a_clock(),
            82..86 => self.trespass(),
            86..88 => self.restart_listener(),
            88 => self.dialing.close(self.now),
            89 => self.listening.close(self.now),
            _ => {},
        }
        self.settle();
        let pause = [1_000, 300_000, 10_000_000][self.faults.index(3)];
        let pause = Duration::from_micros(self.faults.below(pause));
        self.pass(pause);
    }

    /// Both directions lose what is sent, and nobody sees an end for a while.
    fn lose(wire: &mut Wire, random: &mut Random, now: Moment) {
        for pipe in &mut wire.pipes {
            pipe.weather.is_lost = true;
        }
        wire.dies = Some(now + Duration::from_millis(random.below(60_000)));
    }

    fn on_a_wire(&mut self, fault: impl Fn(&mut Wire, &mut Random, Moment)) {
        let place = self.faults.index(self.wires.len());
        if let Some((_, wire)) = self.wires.values_mut().nth(place) {
            fault(wire, &mut self.faults, self.now);
        }
    }

    fn turn_a_clock(&mut self) {
        let hours = i64::try_from(self.faults.below(7)).unwrap() - 3;
        let offset = hours * 3_600_000_000_000;
        if self.faults.one_in(2) {
            self.dialing.wall_offset = offset;
        } else {
            self.listening.wall_offset = offset;
        }
    }

    /// Somebody tries to join the router's group, or says something that is no hello.
    fn trespass(&mut self) {
        let group = self
            .dialing
            .channel
            .as_ref()
            .map(|channel| channel.id().clone());
        let hello = GroupHello {
            id: group.or_else(|| GroupId::new("guess")),
            secret: Some(secret(0xff)).filter(|_| !self.faults.one_in(3)),
            is_first: false,
        };
        let hello = Hello::new(
            "router-1".to_owned(),
            None,
            Grouping::Grouped(hello),
            Headers::empty(),
        );
        let mut bytes = hello.encode().unwrap().to_vec();
        // Who has the router's certificate lacks its secret; others may say what they like.
        let peer = ["router", "stranger"][self.faults.index(2)];
        if peer == "stranger" && self.faults.one_in(3) {
            let place = self.faults.index(bytes.len());
            bytes[place] ^= 1;
        }
        let number = self.open(peer);
        let (_, wire) = self.wires.get_mut(&number).unwrap();
        wire.pipes[0].write(&bytes, self.now, &mut self.faults);
        self.listening.accept(number, self.now);
        self.trespassers.insert(number);
    }

    /// A new process, without memory.
    fn restart_listener(&mut self) {
        self.listening.close(self.now);
        self.listening
            .tick(self.now, &mut self.ledger, &mut self.trace);
        self.owners += 1;
        self.listening = Listening::new(1_000_000 * self.owners, self.seed);
        for (_, wire) in self.wires.values_mut() {
            wire.cut();
        }
    }

    fn open(&mut self, peer: &'static str) -> u64 {
        let weather = if self.is_calm {
            Weather::calm()
        } else {
            Weather::rough(&mut self.faults)
        };
        self.next_wire += 1;
        self.wires
            .insert(self.next_wire, (peer, Wire::new(weather)));
        self.next_wire
    }

    /// Does all that is to be done now.
    fn settle(&mut self) {
        for _ in 0..RESTLESS {
            let before = (self.trace.count(), self.moves());
            let is_more = self.turn();
            assert_eq!(self.intruders(), [], "strangers get in");
            if !is_more && before == (self.trace.count(), self.moves()) {
                return;
            }
        }
        let wires = self
            .wires
            .iter()
            .filter_map(|(n, (_, wire))| Some((n, wire.next_event()?)));
        let wires: Vec<_> = wires.collect();
        let dialing = self.dialing.deadline();
        let listening = self.listening.deadline();
        panic!(
            "both sides do not rest at {:?}: {dialing:?} {listening:?} {wires:?} {:?}",
            self.now, self.trace
        );
    }

    fn moves(&self) -> u64 {
        let pipes = self.wires.values().flat_map(|(_, wire)| &wire.pipes);
        pipes.map(|pipe| pipe.moves).sum()
    }

    /// Connections that trespassers have let into a channel, or made wait for one.
    fn intruders(&self) -> Vec<u64> {
        let is_inside = |number: &u64| self.listening.is_inside(*number);
        self.trespassers.iter().copied().filter(is_inside).collect()
    }

    /// One round; tells whether there is more to do right away.
    fn turn(&mut self) -> bool {
        let now = self.now;
        self.tick_dialing();
        self.listening.tick(now, &mut self.ledger, &mut self.trace);
        let number = self.next_wire + 1;
        if self
            .dialing
            .dialer
            .poll_timeout()
            .is_some_and(|at| at <= now)
        {
            let number_opened = self.open("router");
            assert_eq!(number, number_opened);
            let (_, wire) = self.wires.get_mut(&number).unwrap();
            if self.dialing.dial(number, wire, now, &mut self.trace) {
                self.listening.accept(number, now);
            }
        }
        for (number, (peer, wire)) in &mut self.wires {
            if wire.dies.is_some_and(|at| at <= now) {
                wire.dies = None;
                wire.cut();
            }
            self.dialing
                .drive(*number, wire, now, &mut self.ledger, &mut self.trace);
            self.listening
                .drive(*number, peer, wire, now, &mut self.ledger, &mut self.trace);
        }
        self.next_event().is_some_and(|at| at <= now)
    }

    fn tick_dialing(&mut self) {
        let now = self.now;
        if self.dialing.tick(now, &mut self.ledger, &mut self.trace) {
            self.dialing.dialer.finish();
        }
        let is_over = |channel: &portcullis_channel::Channel| channel.is_finished();
        let is_over = self.dialing.channel.as_ref().is_some_and(is_over);
        if is_over && self.restart.is_none() {
            self.restart = Some(now + Duration::from_secs(1));
        }
        if self.restart.is_some_and(|at| at <= now) {
            self.restart = None;
            for number in self.dialing.connections() {
                self.wires.get_mut(&number).unwrap().1.cut();
            }
            self.owners += 1;
            self.dialing = Dialing::new(self.owners, self.seed, now);
        }
    }

    /// Lets time pass, from one event to the next.
    pub(crate) fn pass(&mut self, duration: Duration) {
        let end = self.now + duration;
        while let Some(next) = self.next_event().filter(|at| *at <= end) {
            self.now = next.max(self.now);
            self.settle();
        }
        self.now = end;
        self.settle();
    }

    fn next_event(&self) -> Option<Moment> {
        let wires = self.wires.values();
        wires
            .filter_map(|(_, wire)| wire.next_event())
            .chain(self.dialing.deadline())
            .chain(self.listening.deadline())
            .chain(self.restart)
            .min()
    }
}
