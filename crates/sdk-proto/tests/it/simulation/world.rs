//! Two SDKs and what is between them.

use super::program::{Ended, Manner, Program};
use super::router::Router;
use super::way::Weather;
use crate::support::{SERVICE_JWT, at, bind, dial, modern, oidc, old, token};
use bytes::Bytes;
use portcullis_channel::{Frame, FrameLimits, Moment, Sequence};
use portcullis_e2e_encryption::{Header, KeyPair};
use portcullis_sdk_proto::{
    BindRequest, DialKeys, DialRequest, EdgeChannel, EdgeEvent, EdgeOptions,
};
use portcullis_seeded_random::Random;
use portcullis_wire::Secret;
use portcullis_wire::edge::ConnectionId;
use portcullis_xgress::Options;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::Duration;

const DIALING: usize = 0;
const HOSTING: usize = 1;
/// By then all has to be over.
const END: Moment = Moment::from_micros(3_600_000_000);
/// Of windows and buffers.
const WINDOW: u32 = 128 << 10;

#[derive(Debug, PartialEq)]
pub(super) struct Outcome {
    pub(super) reached: BTreeSet<String>,
    pub(super) read: u64,
    at: Moment,
}

/// A connection as it is planned, by its number.
#[derive(Debug, Clone, Copy)]
struct Plan {
    bytes: [u64; 2],
    manners: [Manner; 2],
    is_refused: bool,
}

pub(super) struct World {
    random: Random,
    seed: u64,
    now: Moment,
    sdks: [EdgeChannel; 2],
    router: Router,
    plans: Vec<Plan>,
    /// Of each plan, at each side.
    programs: BTreeMap<(usize, usize), Program>,
    by_connection: [BTreeMap<ConnectionId, usize>; 2],
    is_over: Vec<bool>,
    reached: BTreeSet<String>,
    most_weight: usize,
}

impl World {
    pub(super) fn new(seed: u64) -> Self {
        let mut random = Random::new(seed, "world");
        let options = Arc::new(Options {
            max_window: WINDOW,
            receive_buffer: WINDOW,
            ..Options::default()
        });
        let weather = Weather {
            delay: Duration::from_micros(100 + random.below(30_000)),
            jitter_micros: random.below(20_000),
            lost: random.below(60),
            doubled: random.below(60),
        };
        let plans = (0..=random.below(4)).map(|_| plan(&mut random));
        let plans: Vec<Plan> = plans.collect();
        let edge_options = EdgeOptions {
            xgress: options.clone(),
            max_segment: 1 + random.index(40_000),
            send_buffer: 10_000 + random.index(100_000),
            receive_buffer: 10_000 + random.index(100_000),
            ..EdgeOptions::default()
        };
        let mut sdk = || {
            let terms = if random.one_in(3) { old() } else { modern() };
            EdgeChannel::new(&oidc(), terms, edge_options.clone(), at(Moment::ZERO))
        };
        Self {
            sdks: [sdk(), sdk()],
            random,
            seed,
            now: Moment::ZERO,
            router: Router::new(weather, seed, options),
            is_over: vec![false; plans.len()],
            plans,
            programs: BTreeMap::new(),
            by_connection: [BTreeMap::new(), BTreeMap::new()],
            reached: BTreeSet::new(),
            most_weight: 0,
        }
    }

    pub(super) fn run(mut self) -> Outcome {
        let is_encrypted = self.random.one_in(2);
        self.bind(is_encrypted);
        self.dial(is_encrypted);
        while !self.is_done() {
            assert!(self.now < END, "{:?} {:?}", self.router, self.programs);
            self.do_all();
            self.advance();
        }
        self.check();
        Outcome {
            reached: self.reached,
            read: self.programs.values().map(|program| program.read).sum(),
            at: self.now,
        }
    }

    fn bytes<const N: usize>(&mut self) -> [u8; N] {
        std::array::from_fn(|_| self.random.next().to_le_bytes()[0])
    }

    fn bind(&mut self, is_encrypted: bool) {
        let secret = self.bytes();
        let keys = is_encrypted.then(|| Arc::new(KeyPair::from_secret(secret).unwrap()));
        let request = BindRequest {
            keys,
            prefers_xgress: !self.random.one_in(3),
            ..bind()
        };
        self.sdks[HOSTING].bind(request, at(self.now)).unwrap();
        self.carry(HOSTING);
        self.hear(HOSTING);
        let event = self.sdks[HOSTING].poll_event();
        assert!(matches!(event, Some(EdgeEvent::Bound(_))), "{event:?}");
    }

    fn dial(&mut self, is_encrypted: bool) {
        for number in 0..self.plans.len() {
            let (secret, header) = (self.bytes(), self.bytes());
            let request = DialRequest {
                session: Some(token(SERVICE_JWT)),
                app_data: Some(Secret::new(Bytes::from(number.to_string()))),
                keys: is_encrypted.then(|| DialKeys {
                    pair: KeyPair::from_secret(secret).unwrap(),
                    header: Header(header),
                }),
                prefers_xgress: !self.random.one_in(3),
                ..dial()
            };
            let connection = self.sdks[DIALING].dial(request, at(self.now)).unwrap();
            self.by_connection[DIALING].insert(connection, number);
        }
    }

    fn is_done(&self) -> bool {
        self.is_over.iter().all(|is_over| *is_over)
            && self.programs.values().all(|program| program.is_gone)
            && self.sdks.iter().all(|sdk| sdk.connections() == 0)
            && self.router.is_idle()
    }

    /// Everything that can happen without time passing.
    fn do_all(&mut self) {
        loop {
            let mut is_busy = false;
            self.router.pump(at(self.now));
            for side in [DIALING, HOSTING] {
                is_busy |= self.hear(side);
                while let Some(event) = self.sdks[side].poll_event() {
                    is_busy = true;
                    self.event(side, event);
                }
                for ((_, of), program) in &mut self.programs {
                    if *of == side {
                        is_busy |= program.act(&mut self.sdks[side], self.now, &mut self.reached);
                    }
                }
                self.most_weight = self.most_weight.max(self.sdks[side].weight());
                is_busy |= self.carry(side);
            }
            if !is_busy {
                return;
            }
        }
    }

    /// Hands to an SDK what the router has for it, a little at a time.
    fn hear(&mut self, side: usize) -> bool {
        let mut has_heard = false;
        for _ in 0..20 {
            if !self.sdks[side].wants_input() {
                break;
            }
            let Some((sequence, message)) = self.router.out[side].pop_front() else {
                break;
            };
            has_heard = true;
            let frame = Frame::new(message, Sequence(sequence), &FrameLimits::LARGE).unwrap();
            self.sdks[side].handle_frame(frame, at(self.now));
        }
        has_heard
    }

    /// Hands to the router what an SDK has for it.
    fn carry(&mut self, side: usize) -> bool {
        let mut has_said = false;
        while let Some(outgoing) = self.sdks[side].poll_transmit(at(self.now)) {
            has_said = true;
            let message = match &outgoing.reply_to {
                Some(reply_to) => outgoing.message.in_reply_to(reply_to),
                None => outgoing.message,
            };
            self.router.handle(side, &message, at(self.now));
        }
        has_said
    }

    fn event(&mut self, side: usize, event: EdgeEvent) {
        match event {
            EdgeEvent::Connected(connected) => self.begin(side, connected.connection),
            EdgeEvent::DialFailed { connection, why } => {
                assert!(format!("{why:?}").contains("refused on purpose"), "{why:?}");
                self.reached.insert("refused".to_owned());
                let number = self.by_connection[DIALING][&connection];
                self.is_over[number] = true;
            },
            EdgeEvent::Offered(offer) => {
                let text = offer.app_data.unwrap().into_inner();
                let number: usize = std::str::from_utf8(&text).unwrap().parse().unwrap();
                let connection = offer.connection;
                if self.plans[number].is_refused {
                    self.sdks[side]
                        .refuse(connection, "refused on purpose")
                        .unwrap();
                    return;
                }
                let header = Header(self.bytes());
                self.sdks[side]
                    .accept(connection, &header, at(self.now))
                    .unwrap();
                self.by_connection[side].insert(connection, number);
                self.begin(side, connection);
            },
            EdgeEvent::Readable(connection) => {
                if let Some(program) = self.program(side, connection) {
                    program.readable();
                }
            },
            EdgeEvent::Writable(connection) => {
                if let Some(program) = self.program(side, connection) {
                    program.writable();
                }
            },
            EdgeEvent::Closed { connection, why } => {
                let number = self.by_connection[side][&connection];
                let program = self.programs.get_mut(&(number, side)).unwrap();
                if !program.is_gone {
                    program.closed(&why, &mut self.reached);
                }
            },
            other => panic!("{other:?}"),
        }
    }

    fn program(&mut self, side: usize, connection: ConnectionId) -> Option<&mut Program> {
        let number = self.by_connection[side].get(&connection)?;
        self.programs.get_mut(&(*number, side))
    }

    fn begin(&mut self, side: usize, connection: ConnectionId) {
        let number = self.by_connection[side][&connection];
        let plan = self.plans[number];
        let seed = |side| self.seed * 1_000 + u64::try_from(2 * number + side).unwrap();
        let seeds = (seed(side), seed(1 - side));
        let work = (plan.bytes[side], plan.manners[side]);
        let program = Program::new(connection, seeds, work);
        self.programs.insert((number, side), program);
        self.is_over[number] = true;
    }

    fn advance(&mut self) {
        let sdks = self.sdks.iter().filter_map(EdgeChannel::poll_timeout);
        let programs = self.programs.values().filter(|program| !program.is_gone);
        let pauses = programs.filter_map(|program| program.pause);
        let next = sdks.chain(pauses).chain(self.router.timeout()).min();
        self.now = next.unwrap_or(END).max(self.now);
        for sdk in &mut self.sdks {
            sdk.handle_timeout(at(self.now));
        }
    }

    fn check(&mut self) {
        for number in 0..self.plans.len() {
            for side in [DIALING, HOSTING] {
                let key = |side| (number, side);
                let Some(reader) = self.programs.get(&key(side)) else {
                    continue;
                };
                let writer = &self.programs[&key(1 - side)];
                assert!(reader.read <= writer.to_write);
                let is_read_to_the_end = reader.manner == Manner::HalfClose;
                if is_read_to_the_end && writer.manner != Manner::Abort {
                    assert_eq!(reader.ended, Some(Ended::Completely), "{number} {side}");
                    assert_eq!(reader.read, writer.to_write, "{number} {side}");
                }
            }
        }
        for circuit in &self.router.circuits {
            self.reached.insert(circuit.kind());
        }
        // What is sent, what is received in order and ahead, and what small payloads take beside data.
        let most = self.plans.len() * (4 * usize::try_from(WINDOW).unwrap() + (4 << 20));
        assert!(self.most_weight <= most, "{}", self.most_weight);
    }
}

fn plan(random: &mut Random) -> Plan {
    let mut manner = || match random.below(8) {
        0 => Manner::Abort,
        1 => Manner::Close,
        _ => Manner::HalfClose,
    };
    let manners = [manner(), manner()];
    let mut bytes = || match random.below(3) {
        0 => random.below(2_000),
        1 => random.below(100_000),
        _ => random.below(600_000),
    };
    Plan {
        bytes: [bytes(), bytes()],
        manners,
        is_refused: random.one_in(12),
    }
}
