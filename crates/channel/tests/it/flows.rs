//! Flows that share a queue.

use crate::queues::grant;
use crate::support::{at_ms, channel_with, events, message, sent};
use portcullis_channel::{
    Channel, ChannelEvent, ChannelKind, ChannelOptions, ChannelSide, Flow, Frame, Priority,
    QueueLimits, Role, UnderlayId,
};
use std::collections::{BTreeMap, BTreeSet};

const PAYLOAD: usize = 32 * 1024;

const LIMITS: QueueLimits = QueueLimits {
    frames: 64,
    bytes: 64 * PAYLOAD,
};

/// A channel whose writer takes one frame at a time, and flows that always have more to send.
struct Link {
    channel: Channel,
    underlay: UnderlayId,
    /// Frames that each flow has brought to the other end.
    carried: BTreeMap<Flow, usize>,
    blocked: BTreeSet<Flow>,
}

impl Link {
    fn new() -> Self {
        let options = ChannelOptions {
            default_queue: LIMITS,
            ..ChannelOptions::new(ChannelKind::Link, ChannelSide::Dialer)
        };
        let (channel, underlay) = channel_with(options);
        Self {
            channel,
            underlay,
            carried: BTreeMap::new(),
            blocked: BTreeSet::new(),
        }
    }

    /// Queues a message, whose body names its flow.
    fn send(&mut self, flow: Flow, length: usize) -> bool {
        let body = format!("{:08}{}", flow.0, "x".repeat(length));
        let message = message(7, &body);
        let sent = self.channel.send_in(flow, Priority::Default, message);
        sent.is_ok()
    }

    /// Sends until nothing more is taken, then waits as a sender does.
    fn fill(&mut self, flow: Flow, length: usize) {
        while self.send(flow, length) {}
        let has_room = self.channel.wait_for_room(flow, Priority::Default);
        assert!(!has_room, "what was just refused");
        self.blocked.insert(flow);
    }

    fn carry_one(&mut self) -> Flow {
        let frame = sent(&mut self.channel, self.underlay, at_ms(0)).unwrap();
        let flow = flow_of(&frame);
        *self.carried.entry(flow).or_default() += 1;
        flow
    }

    /// Those that may send again.
    fn relieved(&mut self) -> Vec<Flow> {
        let relieved = events(&mut self.channel).into_iter().map(|event| {
            let ChannelEvent::Writable { flow, .. } = event else {
                panic!("{event:?}");
            };
            assert!(self.blocked.remove(&flow), "who has not waited is told");
            flow
        });
        relieved.collect()
    }

    /// Greedy flows, of which whoever is woken first sends as much as it can.
    fn race(&mut self, flows: u64, frames: usize) {
        for flow in 1..=flows {
            self.fill(Flow(flow), PAYLOAD);
        }
        for _ in 0..frames {
            self.carry_one();
            for flow in self.relieved() {
                self.fill(flow, PAYLOAD);
            }
            let queued = self.channel.queued_frames(Priority::Default);
            assert!(queued > 0, "the link has nothing to do");
            assert!(queued <= 2 * LIMITS.frames);
            let bytes = self.channel.queued_bytes(Priority::Default);
            assert!(bytes <= 2 * LIMITS.bytes + 2 * PAYLOAD);
        }
    }
}

fn flow_of(frame: &Frame) -> Flow {
    let number = std::str::from_utf8(&frame.body()[..8]).unwrap();
    Flow(number.parse().unwrap())
}

#[test]
fn greedy_flows_get_equal_shares_however_many_they_are() {
    for flows in [1, 2, 3, 8, 16, 64, 100, 1_000] {
        let mut link = Link::new();
        let rounds = 20;
        link.race(flows, usize::try_from(flows).unwrap() * rounds);
        let carried = (1..=flows).map(|flow| link.carried.get(&Flow(flow)).copied());
        let least = carried.map(Option::unwrap_or_default).min().unwrap();
        assert!(least >= rounds / 2, "{flows} flows: {least} of {rounds}");
    }
}

#[test]
fn a_flow_that_is_alone_has_the_whole_queue() {
    let mut link = Link::new();
    link.fill(Flow(1), 0);
    assert_eq!(link.channel.queued_frames(Priority::Default), LIMITS.frames);
}

#[test]
fn who_comes_late_does_not_wait_behind_those_who_have_filled_the_queue() {
    let mut link = Link::new();
    for flow in 1..=8 {
        link.fill(Flow(flow), PAYLOAD);
    }
    assert!(link.send(Flow(9), 10));
    let before = std::iter::from_fn(|| Some(link.carry_one())).take_while(|flow| *flow != Flow(9));
    // A turn of each of the others, and the rest of the one that had begun.
    assert!(before.count() <= 2 * 8);
}

#[test]
fn flows_share_bytes_not_frames() {
    let mut link = Link::new();
    for _ in 0..8 {
        assert!(link.send(Flow(1), PAYLOAD));
    }
    for _ in 0..24 {
        assert!(link.send(Flow(2), PAYLOAD / 16));
    }
    let first: Vec<_> = (0..20).map(|_| link.carry_one()).collect();
    let large = first.iter().filter(|flow| **flow == Flow(1)).count();
    assert!((1..=3).contains(&large), "{first:?}");
}

#[test]
fn messages_of_a_flow_keep_their_order() {
    let mut link = Link::new();
    let mut sequences = BTreeMap::<u64, Vec<i32>>::new();
    for number in 0..30_u64 {
        let flow = Flow(number % 3);
        let length = usize::try_from(number).unwrap() * 1_000;
        let body = message(7, &"x".repeat(length));
        let sequence = link.channel.send_in(flow, Priority::Default, body);
        sequences
            .entry(flow.0)
            .or_default()
            .push(sequence.unwrap().0);
    }
    let mut order = Vec::new();
    while let Some(frame) = sent(&mut link.channel, link.underlay, at_ms(0)) {
        order.push(frame.sequence().0);
    }
    assert_eq!(order.len(), 30);
    for sequences in sequences.values() {
        let of_flow = order.iter().filter(|sequence| sequences.contains(sequence));
        assert!(of_flow.eq(sequences), "{order:?}");
    }
}

#[test]
fn those_who_wait_are_told_though_others_never_come_back() {
    let mut link = Link::new();
    for flow in 1..=200 {
        link.fill(Flow(flow), PAYLOAD);
    }
    let mut told = BTreeSet::new();
    while link.channel.queued_frames(Priority::Default) > 0 {
        link.carry_one();
        told.extend(link.relieved());
    }
    assert_eq!(told.len(), 200);
}

/// A link with so many connections.
fn bundle(connections: usize) -> (Channel, Vec<UnderlayId>) {
    let options = ChannelOptions {
        default_queue: LIMITS,
        ..ChannelOptions::new(ChannelKind::Link, ChannelSide::Dialer)
    };
    let (mut channel, first) = Channel::open(grant(), options, at_ms(0));
    let mut underlays = vec![first];
    for _ in 1..connections {
        underlays.push(channel.attach(&grant(), Role::Default, at_ms(0)).unwrap());
    }
    (channel, underlays)
}

/// The flows of what a connection has to send.
fn flows_at(channel: &mut Channel, underlay: UnderlayId) -> Vec<Flow> {
    std::iter::from_fn(|| sent(channel, underlay, at_ms(0)).map(|frame| flow_of(&frame))).collect()
}

fn say(channel: &mut Channel, flow: Flow) {
    let message = message(7, &format!("{:08}", flow.0));
    channel.send_in(flow, Priority::Default, message).unwrap();
}

/// What waits in one connection would be overtaken by what is sent over another one.
#[test]
fn a_flow_keeps_to_one_connection() {
    let (mut channel, underlays) = bundle(3);
    let mut carried_by = BTreeMap::<Flow, UnderlayId>::new();
    for round in 0..4 {
        (1..=12).for_each(|flow| say(&mut channel, Flow(flow)));
        for (number, _) in underlays.iter().enumerate() {
            let underlay = underlays[(number + round) % underlays.len()];
            for flow in flows_at(&mut channel, underlay) {
                let before = *carried_by.entry(flow).or_insert(underlay);
                assert_eq!(before, underlay, "{flow:?}");
            }
        }
    }
    assert_eq!(carried_by.len(), 12);
    for underlay in underlays {
        let flows = carried_by.values().filter(|other| **other == underlay);
        assert_eq!(flows.count(), 4, "{underlay:?}");
    }
}

#[test]
fn flows_of_a_connection_that_ends_go_on_over_the_others() {
    let (mut channel, underlays) = bundle(3);
    (1..=12).for_each(|flow| say(&mut channel, Flow(flow)));
    channel.detach(underlays[1], at_ms(0));
    channel.close_underlay(underlays[2]);
    assert!(channel.has_output(underlays[0]));
    let flows: BTreeSet<_> = flows_at(&mut channel, underlays[0]).into_iter().collect();
    assert_eq!(flows, (1..=12).map(Flow).collect());
}

#[test]
fn what_belongs_to_no_flow_goes_over_any_connection() {
    let (mut channel, underlays) = bundle(3);
    for underlay in underlays {
        say(&mut channel, Flow::COMMON);
        say(&mut channel, Flow::COMMON);
        let flows = flows_at(&mut channel, underlay);
        assert_eq!(flows, [Flow::COMMON, Flow::COMMON]);
    }
}
