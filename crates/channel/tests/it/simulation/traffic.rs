//! What the two sides say to each other, and what has to hold for it.

use super::Trace;
use bytes::{BufMut as _, BytesMut};
use portcullis_channel::{
    Channel, ChannelEvent, ContentType, Flow, Frame, Message, Now, Priority, Received, RequestId,
    SendErrorKind,
};
use portcullis_seeded_random::Random;
use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

const DATA: ContentType = ContentType(1000);
const URGENT: ContentType = ContentType(1001);
const REQUEST: ContentType = ContentType(2000);
const REPLY: ContentType = ContentType(2001);

/// What both sides have said and heard.
#[derive(Debug, Default)]
pub(crate) struct Ledger {
    next: u64,
    said: BTreeSet<u64>,
    heard: BTreeSet<u64>,
    /// The last one of each kind heard over a connection.
    order: BTreeMap<(u64, bool, ContentType), u64>,
    /// Requests that have not ended.
    waiting: BTreeMap<(u64, RequestId), u64>,
    /// Channels that have ended.
    over: BTreeSet<u64>,
    pub(crate) ended: u64,
    pub(crate) answered: u64,
}

fn body(number: u64, random: &mut Random) -> BytesMut {
    let mut body = BytesMut::new();
    body.put_u64_le(number);
    let length = match random.below(40) {
        0 => 100_000,
        1..5 => 3_000,
        _ => 40,
    };
    let filler = number.to_le_bytes()[0];
    body.resize(8 + random.index(length), filler);
    body
}

/// The number of a message; its body has to be as it was said.
fn number(frame: &Frame) -> u64 {
    let (number, filler) = frame.body().split_at(8);
    assert!(
        filler.iter().all(|byte| *byte == number[0]),
        "a body is damaged"
    );
    u64::from_le_bytes(number.try_into().unwrap())
}

impl Ledger {
    fn say(&mut self, content_type: ContentType, random: &mut Random) -> (u64, Message) {
        self.next += 1;
        let body = body(self.next, random).freeze();
        (self.next, Message::new(content_type).with_body(body))
    }

    /// Sends something. `owner` tells the channels of a run apart.
    pub(crate) fn talk(
        &mut self,
        owner: u64,
        channel: &mut Channel,
        now: Now,
        (random, trace): (&mut Random, &mut Trace),
    ) {
        let (flow, priority, content_type) = match random.below(3) {
            0 => (Flow::COMMON, Priority::High, URGENT),
            1 => (Flow(1), Priority::Default, DATA),
            _ => (Flow::COMMON, Priority::Default, REQUEST),
        };
        let (number, message) = self.say(content_type, random);
        let copy = message.clone();
        let refused = if content_type == REQUEST {
            let within = Duration::from_millis(100 + random.below(20_000));
            let request = channel.request(priority, message, within, now);
            request.map(|request| {
                assert!(self.waiting.insert((owner, request), number).is_none());
            })
        } else {
            channel.send_in(flow, priority, message).map(|_| ())
        };
        match refused {
            Ok(()) => assert!(self.said.insert(number)),
            Err(refused) => {
                trace.reach(refused.why);
                assert_eq!(refused.message, copy, "what is refused is given back");
                let has_room = channel.wait_for_room(flow, priority);
                assert!(!has_room || refused.why != SendErrorKind::QueueFull);
            },
        }
    }

    /// Takes in what has arrived over a connection of a channel.
    pub(crate) fn hear(
        &mut self,
        (owner, connection, is_dialer): (u64, u64, bool),
        channel: &mut Channel,
        received: &Received,
        random: &mut Random,
    ) {
        match received {
            Received::Message(frame) if frame.content_type() == REPLY => {},
            Received::Message(frame) => {
                let number = number(frame);
                assert!(self.said.contains(&number), "nobody has said {number}");
                assert!(self.heard.insert(number), "{number} is heard twice");
                let place = (connection, is_dialer, frame.content_type());
                let before = self.order.insert(place, number).unwrap_or_default();
                assert!(before < number, "{number} is heard after {before}");
                if frame.content_type() == REQUEST && !random.one_in(4) {
                    let answer = Message::new(REPLY).with_body(frame.body().clone());
                    let _full = channel.reply(&frame.reply_to(), Priority::Default, answer);
                }
            },
            Received::Reply { request, frame } => {
                let asked = self.waiting.remove(&(owner, *request));
                assert_eq!(asked, Some(number(frame)), "a reply to something else");
                self.answered += 1;
            },
        }
    }

    /// Takes in an event; tells whether the channel has ended.
    pub(crate) fn note(&mut self, owner: u64, event: ChannelEvent, trace: &mut Trace) -> bool {
        trace.add(&format!("{owner} {event:?}"));
        match event {
            ChannelEvent::RequestFailed { reason: why, .. } => trace.reach(why),
            event => trace.reach(event),
        }
        assert!(!self.over.contains(&owner), "{event:?} after the end");
        match event {
            ChannelEvent::RequestFailed { request, .. } => {
                let ended = self.waiting.remove(&(owner, request));
                assert!(ended.is_some(), "a request ends twice");
                self.ended += 1;
                false
            },
            ChannelEvent::Closed { .. } => {
                let left = self.waiting.keys().filter(|(other, _)| *other == owner);
                assert_eq!(left.count(), 0, "requests outlive their channel");
                self.over.insert(owner);
                true
            },
            ChannelEvent::Writable { .. } | ChannelEvent::Disconnected => false,
        }
    }

    pub(crate) fn said(&self) -> BTreeSet<u64> {
        self.said.clone()
    }

    /// How many of these were not heard.
    pub(crate) fn unheard(&self, said: &BTreeSet<u64>) -> usize {
        said.difference(&self.heard).count()
    }

    pub(crate) fn heard(&self) -> usize {
        self.heard.len()
    }

    pub(crate) fn waiting(&self) -> usize {
        self.waiting.len()
    }
}
