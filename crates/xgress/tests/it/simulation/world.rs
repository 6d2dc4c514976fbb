//! Both ends, the ways between them, and what has to be true all the time.

use super::program::{Ending, Program};
use crate::support::{Packet, Way, Weather, at};
use portcullis_channel::Moment;
use portcullis_seeded_random::Random;
use portcullis_xgress::{
    EndReason, Endpoint, EndpointEvent, MAX_OVERHEAD, MAX_PAYLOADS, Options, Received, Segment,
    Side, WriteErrorKind,
};
use std::collections::{BTreeSet, VecDeque};
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

/// Turns at one moment after which both ends have to rest.
const RESTLESS: usize = 100_000;
/// After which every circuit must be over.
const LIMIT: Duration = Duration::from_mins(30);
/// How long after one end is over the other one is told.
const UNROUTE: Duration = Duration::from_secs(10);

/// What is left of a run.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Outcome {
    pub(crate) reached: BTreeSet<String>,
    pub(crate) reasons: Vec<EndReason>,
    pub(crate) read: usize,
    ended: Moment,
}

struct End {
    endpoint: Endpoint,
    program: Program,
    /// Written here and not read at the other end.
    written: VecDeque<Segment>,
    has_finished: bool,
    has_read_all: bool,
    read: usize,
    over: Option<(EndReason, Moment)>,
}

pub(crate) struct World {
    now: Moment,
    ends: [End; 2],
    ways: [Way; 2],
    options: Arc<Options>,
    random: Random,
    /// Both programs write all, read all, and finish.
    is_polite: bool,
    /// Whether one of the ways carries nothing.
    is_cut: bool,
    reached: BTreeSet<String>,
}

fn options(random: &mut Random) -> Options {
    if random.one_in(2) {
        return Options::default();
    }
    let window = [500, 20_000, 300_000][random.index(3)];
    Options {
        start_window: window,
        min_window: window / 10,
        max_window: window * 2,
        receive_buffer: [500, 20_000, 600_000][random.index(3)],
        growth_threshold: 4,
        shrink_threshold: 8,
        duplicate_threshold: 4,
        max_round_trip_growth: u16::try_from(random.below(5)).unwrap(),
        start_timeout: Duration::from_mins(1),
        first_ack_timeout: Duration::from_millis(random.below(400)),
        ..Options::default()
    }
}

fn weather(random: &mut Random) -> Weather {
    let millis = |random: &mut Random, most: &[u64]| {
        let most = most[random.index(most.len())];
        Duration::from_millis(random.below(most + 1))
    };
    let share = |random: &mut Random| [0, 10_000, 100_000, 300_000][random.index(4)];
    Weather {
        delay: millis(random, &[0, 5, 50, 300]),
        jitter: millis(random, &[0, 1, 30, 500]),
        lost: share(random),
        doubled: share(random),
    }
}

impl fmt::Display for World {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{:?}, {:?}", self.now, self.options)?;
        for (end, way) in self.ends.iter().zip(&self.ways) {
            let (ending, over) = (end.program.ending, end.over);
            let (left, read) = (end.program.left, end.read);
            let deadline = end.endpoint.poll_timeout();
            writeln!(
                f,
                "{ending:?} {over:?}, {left} left, {read} read, {deadline:?}"
            )?;
            let stats = end.endpoint.stats();
            writeln!(
                f,
                "{} not read, {stats:?}, {:?}",
                end.written.len(),
                way.weather
            )?;
        }
        Ok(())
    }
}

impl World {
    pub(crate) fn new(seed: u64) -> Self {
        let mut random = Random::new(seed, "world");
        let options = Arc::new(options(&mut random));
        let is_polite = random.one_in(2);
        let is_cut = !is_polite && random.one_in(10);
        let end = |side, name| End {
            endpoint: Endpoint::new(side, "c".to_owned(), options.clone(), at(Moment::ZERO)),
            program: Program::new(seed, name, is_polite),
            written: VecDeque::new(),
            has_finished: false,
            has_read_all: false,
            read: 0,
            over: None,
        };
        let ends = [end(Side::Initiator, "a"), end(Side::Terminator, "b")];
        let mut ways = ["there", "back"].map(|name| Way::new(weather(&mut random), seed, name));
        if is_cut {
            ways[random.index(2)].weather.lost = 1_000_000;
        }
        Self {
            now: Moment::ZERO,
            ends,
            ways,
            options,
            random,
            is_polite,
            is_cut,
            reached: BTreeSet::new(),
        }
    }

    pub(crate) fn run(mut self) -> Outcome {
        while self.ends.iter().any(|end| end.over.is_none()) {
            self.settle();
            match self.next_moment() {
                Some(next) => self.now = next,
                None => self.wake(),
            }
            assert!(self.now.since(Moment::ZERO) < LIMIT, "never over: {self}");
        }
        self.check_end();
        Outcome {
            reached: self.reached,
            reasons: self
                .ends
                .iter()
                .filter_map(|end| Some(end.over?.0))
                .collect(),
            read: self.ends.iter().map(|end| end.read).sum(),
            ended: self.now,
        }
    }

    /// Nothing will happen any more: programs that stay have had enough.
    fn wake(&mut self) {
        let mut staying = self
            .ends
            .iter()
            .filter(|end| end.program.ending == Ending::Stay);
        let is_awaited = staying.any(|end| end.over.is_none());
        assert!(
            is_awaited,
            "circuits that are not over have deadlines: {self}"
        );
        for end in &mut self.ends {
            end.program.ending = Ending::Finish;
            end.has_finished = true;
            end.endpoint.finish(at(self.now));
        }
    }

    fn next_moment(&self) -> Option<Moment> {
        let arrivals = self.ways.iter().filter_map(Way::next_arrival);
        let ends = self.ends.iter();
        let deadlines = ends
            .clone()
            .filter_map(|end| end.endpoint.poll_timeout())
            .map(|(at, _)| at);
        let pauses = ends.clone().map(|end| end.program.pauses_until);
        let pauses = pauses.filter(|until| *until > self.now);
        let unroutes = ends.filter_map(|end| Some(end.over?.1 + UNROUTE));
        let unroutes = unroutes.filter(|at| *at > self.now);
        let waits = self.ends.iter().any(|end| end.endpoint.has_payload());
        let room = waits.then(|| self.now + Duration::from_millis(1));
        let next = arrivals
            .chain(deadlines)
            .chain(pauses)
            .chain(unroutes)
            .chain(room);
        let next = next.min();
        // Who is not through at this moment goes on a little later.
        Some(next?.max(self.now + Duration::from_micros(1)))
    }

    /// Does what is to be done now.
    fn settle(&mut self) {
        for _ in 0..RESTLESS {
            let has_moved = (0..2).fold(false, |moved, place| self.turn(place) | moved);
            self.check_bounds();
            if !has_moved {
                return;
            }
        }
        panic!("both ends do not rest: {self}");
    }

    /// Lets one end do something. Tells whether it did.
    fn turn(&mut self, place: usize) -> bool {
        let now = at(self.now);
        let mut has_moved = self.handle_timeout(place);
        while let Some((_, packet)) = self.ways[1 - place].arrive(self.now) {
            packet.deliver(&mut self.ends[place].endpoint, now);
            has_moved = true;
        }
        has_moved |= self.write(place);
        has_moved |= self.read(place);
        has_moved |= self.transmit(place);
        self.follow_events(place);
        self.unroute(place);
        has_moved
    }

    fn handle_timeout(&mut self, place: usize) -> bool {
        let endpoint = &mut self.ends[place].endpoint;
        let Some((deadline, reason)) = endpoint.poll_timeout() else {
            return false;
        };
        if deadline > self.now {
            let before = (endpoint.stats(), endpoint.has_payload());
            endpoint.handle_timeout(at(self.now));
            let after = (endpoint.stats(), endpoint.has_payload());
            assert_eq!(after, before, "an early call changes something");
            assert_eq!(endpoint.poll_timeout(), Some((deadline, reason)));
            return false;
        }
        endpoint.handle_timeout(at(self.now));
        let next = endpoint.poll_timeout();
        assert!(
            next != Some((deadline, reason)) || endpoint.has_payload(),
            "{reason:?} at {deadline:?} is handled, and is due again"
        );
        self.reached.insert(format!("{reason:?}"));
        true
    }

    fn write(&mut self, place: usize) -> bool {
        let end = &mut self.ends[place];
        if end.program.left > 0 && end.over.is_none() {
            let segment = end.program.segment();
            match end.endpoint.write(segment.clone(), at(self.now)) {
                Ok(()) => {
                    end.written.push_back(segment);
                    end.program.left -= 1;
                    return true;
                },
                Err(error) => {
                    assert_eq!(error.segment, segment);
                    self.reached.insert(format!("{:?}", error.why));
                    if error.why != WriteErrorKind::Blocked {
                        end.program.left = 0;
                    }
                    return false;
                },
            }
        }
        let is_through = end.program.left == 0 && !end.has_finished && end.over.is_none();
        if is_through {
            end.has_finished = true;
            match end.program.ending {
                Ending::Finish => end.endpoint.finish(at(self.now)),
                Ending::Close => end.endpoint.close(at(self.now)),
                Ending::Abort => end.endpoint.abort(),
                Ending::Stay => {},
            }
            if end.program.ending != Ending::Stay {
                let refused = end.endpoint.write(Segment::from("late"), at(self.now));
                let why = refused.expect_err("nothing is written after the end").why;
                self.reached.insert(format!("{why:?}"));
            }
        }
        is_through
    }

    fn read(&mut self, place: usize) -> bool {
        if !self.ends[place].program.reads(self.now) {
            return false;
        }
        let Some(received) = self.ends[place].endpoint.read(at(self.now)) else {
            return false;
        };
        self.ends[place].read += 1;
        assert!(!self.ends[place].has_read_all, "{received:?} after the end");
        match received {
            Received::Segment(segment) => {
                let written = self.ends[1 - place].written.pop_front();
                assert_eq!(Some(segment), written);
            },
            Received::EndOfStream => {
                self.ends[place].has_read_all = true;
                let other = &self.ends[1 - place];
                let has_ended = other.has_finished || other.over.is_some();
                let is_whole = other.written.is_empty() && has_ended;
                assert!(is_whole, "the end comes before the rest at {place}: {self}");
            },
        }
        let end = &mut self.ends[place];
        // Who has heard the end has nothing to stay for.
        if end.has_read_all && end.program.ending == Ending::Stay {
            end.endpoint.finish(at(self.now));
            (end.has_finished, end.program.left) = (true, 0);
        }
        if !self.is_polite && end.program.chance(100) {
            end.endpoint.stop_reading(at(self.now));
        }
        true
    }

    fn transmit(&mut self, place: usize) -> bool {
        let endpoint = &mut self.ends[place].endpoint;
        let (way, now) = (&mut self.ways[place], self.now);
        let mut has_moved = false;
        while let Some(acknowledgement) = endpoint.poll_acknowledgement() {
            assert!(acknowledgement.sequences.len() <= 16);
            way.send(0, &Packet::Acknowledgement(acknowledgement), now);
            has_moved = true;
        }
        assert!(!endpoint.has_acknowledgement());
        // Sometimes the next hop has no room for a while.
        while !self.random.one_in(50) {
            let has_payload = endpoint.has_payload();
            let payload = endpoint.poll_payload(at(now));
            assert_eq!(payload.is_some(), has_payload);
            let Some(payload) = payload else {
                break;
            };
            way.send(0, &Packet::Payload(payload), now);
            has_moved = true;
        }
        has_moved
    }

    fn follow_events(&mut self, place: usize) {
        let end = &mut self.ends[place];
        while let Some(event) = end.endpoint.poll_event() {
            self.reached.insert(format!("{event:?}"));
            assert!(end.over.is_none(), "{event:?} after the end");
            if let EndpointEvent::Ended(why) = event {
                end.over = Some((why, self.now));
                assert_eq!(end.endpoint.poll_timeout(), None);
                assert_eq!(end.endpoint.read(at(self.now)), None);
            }
        }
        if end.endpoint.stats().counters.refused_payloads > 0 {
            self.reached.insert("refused".to_owned());
        }
        if end.endpoint.stats().held_weight > MAX_OVERHEAD {
            self.reached.insert("much memory".to_owned());
        }
    }

    /// An end whose other end is over is told by the controller, in time.
    fn unroute(&mut self, place: usize) {
        let other = self.ends[1 - place].over;
        let is_due = other.is_some_and(|(_, at)| at + UNROUTE <= self.now);
        let endpoint = &mut self.ends[place].endpoint;
        if is_due && !endpoint.is_readable() && !endpoint.has_ended() {
            endpoint.unroute();
            self.follow_events(place);
        }
    }

    fn check_bounds(&self) {
        let largest = self
            .ends
            .iter()
            .map(|end| end.program.largest())
            .max()
            .unwrap();
        let programs = self.ends.iter().map(|end| end.program.heaviest());
        let beside_data = MAX_OVERHEAD as u64 + programs.max().unwrap();
        for end in &self.ends {
            let stats = end.endpoint.stats();
            let buffer = u64::from(self.options.receive_buffer) + beside_data;
            assert!(stats.held_weight as u64 <= 2 * buffer, "{stats:?}");
            let window = u64::from(self.options.max_window) + beside_data;
            assert!(stats.outstanding_weight as u64 <= window, "{stats:?}");
            let buffer = u64::from(self.options.receive_buffer) + largest;
            assert!(stats.held_bytes as u64 <= 2 * buffer, "{stats:?}");
            assert!(stats.held_payloads <= 2 * MAX_PAYLOADS, "{stats:?}");
            let window = u64::from(self.options.max_window) + largest;
            assert!(stats.outstanding_bytes <= window, "{stats:?}");
            assert!(stats.outstanding_payloads <= MAX_PAYLOADS + 4, "{stats:?}");
        }
    }

    fn check_end(&self) {
        for (end, other) in [
            (&self.ends[0], &self.ends[1]),
            (&self.ends[1], &self.ends[0]),
        ] {
            if self.is_polite {
                assert!(end.has_read_all, "{self}");
                assert!(other.written.is_empty(), "{self}");
            }
            let has_timed_out = matches!(
                end.over,
                Some((EndReason::Unanswered | EndReason::NotStarted, _))
            );
            assert!(!has_timed_out || self.is_cut || !self.is_polite, "{self}");
        }
    }
}
