//! The dialing side: what a router does with a controller.

use super::traffic::Ledger;
use super::wire::{End, Wire, check_bounds, fire, instant, read};
use super::{Trace, options};
use bytes::BytesMut;
use portcullis_channel::group::{ConnectionCounts, Dial, DialFailure, DialOptions, GroupDialer};
use portcullis_channel::hello::{AnswerReader, Grouping, Hello, HelloAnswer};
use portcullis_channel::{
    Channel, ChannelKind, ChannelSide, CloseReason, FrameReader, Headers, Moment, Role, UnderlayId,
};
use portcullis_seeded_random::Random;
use std::collections::BTreeMap;
use std::time::Duration;

const KIND: ChannelKind = ChannelKind::Control;
const WANTED: ConnectionCounts = ConnectionCounts {
    default: 1,
    high: 1,
};

#[derive(Debug)]
pub(crate) struct Dialing {
    pub(crate) dialer: GroupDialer,
    pub(crate) channel: Option<Channel>,
    pub(crate) owner: u64,
    conns: BTreeMap<u64, Conn>,
    pub(crate) wall_offset: i64,
    random: Random,
}

#[derive(Debug)]
struct Conn {
    input: BytesMut,
    stage: Stage,
}

#[derive(Debug)]
enum Stage {
    Hello(AnswerReader, Option<Dial>),
    Up(UnderlayId, Role, Moment),
    /// Told to close, and closed.
    Over,
}

impl Dialing {
    pub(crate) fn new(owner: u64, seed: u64, now: Moment) -> Self {
        Self {
            dialer: GroupDialer::new(DialOptions::new(KIND), WANTED, now),
            channel: None,
            owner,
            conns: BTreeMap::new(),
            wall_offset: 0,
            random: Random::new(seed, &format!("dialing {owner}")),
        }
    }

    pub(crate) fn deadline(&self) -> Option<Moment> {
        let hellos = self.conns.values().filter_map(|conn| match &conn.stage {
            Stage::Hello(reader, _) => Some(reader.deadline()),
            Stage::Up(..) | Stage::Over => None,
        });
        let channel = self.channel.as_ref().and_then(Channel::poll_timeout);
        let channel = channel.map(|(at, _)| at);
        hellos
            .chain(self.dialer.poll_timeout())
            .chain(channel)
            .min()
    }

    /// Opens a connection if it is time to.
    pub(crate) fn dial(
        &mut self,
        id: u64,
        wire: &mut Wire,
        now: Moment,
        trace: &mut Trace,
    ) -> bool {
        let Some(dial) = self.dialer.poll_dial(now) else {
            return false;
        };
        trace.add(&format!("dial {id} {:?} {:?}", dial.role(), dial.hello()));
        let hello = Hello::new(
            "router-1".to_owned(),
            KIND.underlay_type(dial.role()).map(str::to_owned),
            Grouping::Grouped(dial.hello().clone()),
            Headers::empty(),
        );
        let bytes = hello.encode().unwrap();
        wire.pipes[0].write(&bytes, now, &mut self.random);
        let reader = AnswerReader::new(now + Duration::from_secs(10));
        let conn = Conn {
            input: BytesMut::new(),
            stage: Stage::Hello(reader, Some(dial)),
        };
        self.conns.insert(id, conn);
        true
    }

    /// Does what there is to do for one connection.
    pub(crate) fn drive(
        &mut self,
        id: u64,
        wire: &mut Wire,
        at: Moment,
        ledger: &mut Ledger,
        trace: &mut Trace,
    ) {
        let now = instant(at, self.wall_offset);
        let mut end = End {
            wire,
            is_dialer: true,
        };
        let Some(mut conn) = self.conns.remove(&id) else {
            // Nobody reads it.
            let _gone = (end.incoming().read(at), end.incoming().is_over());
            return;
        };
        read(&mut end, &mut conn.input, now);
        self.answer(&mut conn, at, trace);
        let is_ended = end.incoming().is_over();
        if let (Stage::Up(underlay, role, since), Some(channel)) = (&conn.stage, &mut self.channel)
        {
            let (underlay, role, since) = (*underlay, *role, *since);
            let reader = FrameReader::new(KIND.frame_limits(ChannelSide::Dialer));
            while let Some(frame) = reader.next(&mut conn.input).unwrap() {
                if let Some(received) = channel.handle_frame(underlay, frame, now) {
                    let place = (self.owner, id, true);
                    ledger.hear(place, channel, &received, &mut self.random);
                }
            }
            let is_told = end.write(channel, underlay, now, &mut self.random);
            if is_told || is_ended {
                channel.detach(underlay, now);
                let (lived, random) = (at.since(since), self.random.word());
                self.dialer.handle_lost(role, lived, random, at);
                conn.stage = Stage::Over;
            }
        } else if is_ended && let Stage::Hello(_, dial) = &mut conn.stage {
            let dial = dial.take().unwrap();
            let random = self.random.word();
            self.dialer
                .handle_failed(&dial, DialFailure::Closed, random, at);
            conn.stage = Stage::Over;
        }
        match conn.stage {
            Stage::Over => end.outgoing().end(),
            Stage::Hello(..) | Stage::Up(..) => {
                self.conns.insert(id, conn);
            },
        }
    }

    fn answer(&mut self, conn: &mut Conn, at: Moment, trace: &mut Trace) {
        let Stage::Hello(reader, dial) = &mut conn.stage else {
            return;
        };
        let answer = reader.read(&mut conn.input, at);
        if matches!(answer, Ok(None)) {
            return;
        }
        let dial = dial.take().unwrap();
        let random = self.random.word();
        let Ok(Some(HelloAnswer::Accepted(accepted))) = answer else {
            trace.add(&format!("no answer {answer:?}"));
            let failure = DialFailure::Unreachable;
            self.dialer.handle_failed(&dial, failure, random, at);
            conn.stage = Stage::Over;
            return;
        };
        let now = instant(at, self.wall_offset);
        let grant = self.dialer.handle_accepted(&dial, &accepted, random, at);
        let grant = grant.expect("an honest listener");
        let role = dial.role();
        let underlay = if let Some(channel) = &mut self.channel {
            channel.attach(&grant, role, now).ok()
        } else {
            let (channel, first) = Channel::open(grant, options(ChannelSide::Dialer), now);
            self.channel = Some(channel);
            Some(first)
        };
        trace.add(&format!("up {role:?} {underlay:?}"));
        conn.stage = underlay.map_or(Stage::Over, |underlay| Stage::Up(underlay, role, at));
    }

    /// Deadlines and events; tells whether the channel has ended.
    pub(crate) fn tick(&mut self, at: Moment, ledger: &mut Ledger, trace: &mut Trace) -> bool {
        let now = instant(at, self.wall_offset);
        let Some(channel) = &mut self.channel else {
            return false;
        };
        fire(channel, now, &mut self.random, trace);
        check_bounds(channel);
        let mut has_ended = false;
        while let Some(event) = channel.poll_event() {
            has_ended |= ledger.note(self.owner, event, trace);
        }
        has_ended
    }

    pub(crate) fn close(&mut self, at: Moment) {
        if let Some(channel) = &mut self.channel {
            channel.close(CloseReason::Requested, instant(at, self.wall_offset));
        }
    }

    pub(crate) fn connections(&self) -> Vec<u64> {
        self.conns.keys().copied().collect()
    }

    pub(crate) fn talk(&mut self, at: Moment, ledger: &mut Ledger, trace: &mut Trace) {
        let now = instant(at, self.wall_offset);
        if let Some(channel) = &mut self.channel {
            for _ in 0..=self.random.below(12) {
                ledger.talk(self.owner, channel, now, (&mut self.random, trace));
            }
        }
    }
}
