//! The listening side: what a controller does with its routers.

use super::traffic::Ledger;
use super::wire::{End, Wire, check_bounds, fire, instant, read};
use super::{Trace, options};
use crate::support::fresh;
use bytes::BytesMut;
use portcullis_channel::group::{
    Admission, AdmissionTicket, Attachment, ChannelGrant, Decision, GroupLimits, GroupRegistry,
    Registration, Reservation,
};
use portcullis_channel::hello::{Hello, HelloReader};
use portcullis_channel::{
    Channel, ChannelKind, ChannelSide, CloseReason, FrameReader, Headers, Moment, UnderlayId,
};
use portcullis_seeded_random::Random;
use std::collections::BTreeMap;
use std::time::Duration;

const KIND: ChannelKind = ChannelKind::Control;

#[derive(Debug)]
pub(crate) struct Listening {
    groups: GroupRegistry<&'static str, u64>,
    pub(crate) channels: BTreeMap<u64, (Channel, Option<Registration<&'static str>>)>,
    conns: BTreeMap<u64, Conn>,
    decided: BTreeMap<AdmissionTicket, Decision<u64>>,
    pub(crate) wall_offset: i64,
    next_channel: u64,
    random: Random,
}

#[derive(Debug)]
struct Conn {
    input: BytesMut,
    stage: Stage,
}

#[derive(Debug)]
enum Stage {
    Hello(HelloReader),
    /// Accepted; what is done before there is a channel takes until then.
    Connect(Reservation<&'static str>, Moment),
    Wait(AdmissionTicket, Hello),
    Up(u64, UnderlayId),
    Over,
}

impl Listening {
    /// `first` numbers its channels apart from those of others.
    pub(crate) fn new(first: u64, seed: u64) -> Self {
        let limits = GroupLimits {
            reservation_time: Duration::from_secs(10),
            ..GroupLimits::default()
        };
        Self {
            groups: GroupRegistry::new(limits),
            channels: BTreeMap::new(),
            conns: BTreeMap::new(),
            decided: BTreeMap::new(),
            wall_offset: 0,
            next_channel: first,
            random: Random::new(seed, &format!("listening {first}")),
        }
    }

    pub(crate) fn accept(&mut self, id: u64, now: Moment) {
        let reader = HelloReader::new(now + Duration::from_secs(5));
        let conn = Conn {
            input: BytesMut::new(),
            stage: Stage::Hello(reader),
        };
        self.conns.insert(id, conn);
    }

    pub(crate) fn deadline(&self) -> Option<Moment> {
        let hellos = self.conns.values().filter_map(|conn| match &conn.stage {
            Stage::Hello(reader) => Some(reader.deadline()),
            Stage::Connect(_, until) => Some(*until),
            Stage::Wait(ticket, _) => self.decided.get(ticket).map(|_| Moment::ZERO),
            Stage::Up(..) | Stage::Over => None,
        });
        let channels = self.channels.values();
        let channels = channels.filter_map(|(channel, _)| Some(channel.poll_timeout()?.0));
        hellos
            .chain(channels)
            .chain(self.groups.poll_timeout())
            .min()
    }

    pub(crate) fn drive(
        &mut self,
        id: u64,
        peer: &'static str,
        wire: &mut Wire,
        at: Moment,
        ledger: &mut Ledger,
        trace: &mut Trace,
    ) {
        let now = instant(at, self.wall_offset);
        let mut end = End {
            wire,
            is_dialer: false,
        };
        let Some(mut conn) = self.conns.remove(&id) else {
            // Nobody reads it.
            let _gone = (end.incoming().read(at), end.incoming().is_over());
            return;
        };
        read(&mut end, &mut conn.input, now);
        conn.stage = match conn.stage {
            Stage::Hello(reader) => match reader.read(&mut conn.input, at) {
                Ok(None) => Stage::Hello(reader),
                Ok(Some(hello)) => self.admit(hello, peer, at, (&mut end, trace)),
                Err(_) => Stage::Over,
            },
            Stage::Connect(reservation, until) if until <= at => self.open(reservation, at, trace),
            Stage::Wait(ticket, hello) => match self.decided.remove(&ticket) {
                Some(Decision::Attach(attachment)) => {
                    self.attach(&hello, &attachment, at, &mut end)
                },
                Some(Decision::Refuse(_)) => Stage::Over,
                None => Stage::Wait(ticket, hello),
            },
            stage => stage,
        };
        let is_ended = end.incoming().is_over();
        if let Stage::Up(number, underlay) = conn.stage {
            let Some((channel, _)) = self.channels.get_mut(&number) else {
                panic!("a connection outlives its channel");
            };
            let reader = FrameReader::new(KIND.frame_limits(ChannelSide::Listener));
            while let Some(frame) = reader.next(&mut conn.input).unwrap() {
                if let Some(received) = channel.handle_frame(underlay, frame, now) {
                    let place = (number, id, false);
                    ledger.hear(place, channel, &received, &mut self.random);
                }
            }
            let is_told = end.write(channel, underlay, now, &mut self.random);
            if is_told || is_ended {
                channel.detach(underlay, now);
                conn.stage = Stage::Over;
            }
        } else if is_ended {
            match conn.stage {
                Stage::Wait(ticket, _) => self.groups.withdraw(ticket),
                Stage::Connect(reservation, ..) => self.groups.abandon(reservation),
                Stage::Hello(_) | Stage::Up(..) | Stage::Over => {},
            }
            conn.stage = Stage::Over;
        }
        match conn.stage {
            Stage::Over => end.outgoing().end(),
            _ => {
                self.conns.insert(id, conn);
            },
        }
    }

    /// Whether a connection is part of a channel, or will be.
    pub(crate) fn is_inside(&self, id: u64) -> bool {
        let conn = self.conns.get(&id);
        conn.is_some_and(|conn| {
            matches!(
                conn.stage,
                Stage::Up(..) | Stage::Connect(..) | Stage::Wait(..)
            )
        })
    }

    fn admit(
        &mut self,
        hello: Hello,
        peer: &'static str,
        at: Moment,
        (end, trace): (&mut End<'_>, &mut Trace),
    ) -> Stage {
        let secret = u8::try_from(self.random.below(255)).unwrap();
        let id = format!("{:08x}", self.random.word());
        match self.groups.admit(&peer, &hello, fresh(&id, secret), at) {
            Admission::New(reservation) if peer != "router" => {
                self.groups.abandon(reservation);
                Stage::Over
            },
            Admission::New(reservation) => {
                self.say_yes(&hello, reservation.grant(), at, end);
                let most = [0, 100_000, 8_000_000, 40_000_000][self.random.index(4)];
                let pause = Duration::from_micros(self.random.below(most));
                Stage::Connect(reservation, at + pause)
            },
            Admission::Attach(attachment) => {
                trace.reach(format_args!("Attach"));
                assert_eq!(peer, "router", "a stranger joins a channel");
                self.attach(&hello, &attachment, at, end)
            },
            Admission::Wait(ticket) => {
                assert_eq!(peer, "router", "a stranger waits for a channel");
                Stage::Wait(ticket, hello)
            },
            Admission::Refuse(refusal) => {
                trace.reach(refusal);
                Stage::Over
            },
        }
    }

    fn open(
        &mut self,
        reservation: Reservation<&'static str>,
        at: Moment,
        trace: &mut Trace,
    ) -> Stage {
        let grant = reservation.grant().clone();
        let member = match self.groups.open(reservation, self.next_channel + 1) {
            Ok(member) => member,
            Err(error) => {
                trace.reach(error);
                return Stage::Over;
            },
        };
        self.next_channel += 1;
        let now = instant(at, self.wall_offset);
        let (channel, first) = Channel::open(grant, options(ChannelSide::Listener), now);
        self.channels
            .insert(self.next_channel, (channel, Some(member)));
        Stage::Up(self.next_channel, first)
    }

    fn attach(
        &mut self,
        hello: &Hello,
        attachment: &Attachment<u64>,
        at: Moment,
        end: &mut End<'_>,
    ) -> Stage {
        let now = instant(at, self.wall_offset);
        let role = KIND.role(hello.underlay_type.as_deref());
        let Some((channel, _)) = self.channels.get_mut(&attachment.channel) else {
            return Stage::Over;
        };
        match channel.attach(&attachment.grant, role, now) {
            Ok(underlay) => {
                self.say_yes(hello, &attachment.grant, at, end);
                Stage::Up(attachment.channel, underlay)
            },
            Err(_) => Stage::Over,
        }
    }

    fn say_yes(&mut self, hello: &Hello, grant: &ChannelGrant, at: Moment, end: &mut End<'_>) {
        let answer = hello
            .accept(grant, "controller", &Headers::empty())
            .unwrap();
        end.outgoing().write(&answer, at, &mut self.random);
    }

    /// Deadlines and events. Channels that have ended are forgotten once they have no connections.
    pub(crate) fn tick(&mut self, at: Moment, ledger: &mut Ledger, trace: &mut Trace) {
        let now = instant(at, self.wall_offset);
        self.groups.handle_timeout(at);
        while let Some((ticket, decision)) = self.groups.poll_decision() {
            trace.reach(match decision {
                Decision::Attach(_) => format_args!("Decision attach"),
                Decision::Refuse(_) => format_args!("Decision refuse"),
            });
            self.decided.insert(ticket, decision);
        }
        for (number, (channel, member)) in &mut self.channels {
            fire(channel, now, &mut self.random, trace);
            check_bounds(channel);
            while let Some(event) = channel.poll_event() {
                if ledger.note(*number, event, trace) {
                    self.groups.close(member.take().unwrap());
                }
            }
        }
        self.channels
            .retain(|_, (channel, _)| !channel.is_finished());
    }

    pub(crate) fn close(&mut self, at: Moment) {
        for (channel, _) in self.channels.values_mut() {
            channel.close(CloseReason::Requested, instant(at, self.wall_offset));
        }
    }

    pub(crate) fn talk(&mut self, at: Moment, ledger: &mut Ledger, trace: &mut Trace) {
        let now = instant(at, self.wall_offset);
        for (number, (channel, _)) in &mut self.channels {
            for _ in 0..=self.random.below(12) {
                ledger.talk(*number, channel, now, (&mut self.random, trace));
            }
        }
    }
}
