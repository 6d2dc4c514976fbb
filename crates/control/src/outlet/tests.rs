use super::*;
use bytes::Bytes;
use portcullis_channel::group::{ChannelGrant, GroupId};
use portcullis_channel::hello::{Grouping, HELLO_TIMEOUT, Hello};
use portcullis_channel::{
    ChannelKind, ChannelOptions, ChannelSide, ContentType, Frame, Headers, UnixNanos,
};
use portcullis_transport::{Clock, Inbox, Incoming, Transport, TransportLimits, dial};
use std::sync::Arc;
use std::time::Duration;
use tokio::io::duplex;
use tokio::time::{Instant, timeout};

/// More than all queues on the way take.
const BURST: u32 = 10_000;

/// A router with little room, and the controller's end of its channel.
struct Pair {
    outlet: Arc<Outlet>,
    /// What the router says.
    said: Inbox,
    router: ChannelHandle,
    heard: Inbox,
}

impl Pair {
    async fn connect() -> Self {
        let limits = TransportLimits {
            inbox_bytes: 1024,
            ..TransportLimits::default()
        };
        let transport = Transport::new(Clock::start(UnixNanos(1)), limits);
        let (near, far) = duplex(1024);
        let deadline = Instant::now() + HELLO_TIMEOUT;
        let grant = ChannelGrant::ungrouped(GroupId::new("pair").unwrap());
        let none = Headers::empty();
        let hello = Hello::new("router".to_owned(), None, Grouping::Ungrouped, none.clone());
        let accepting = async {
            let incoming = Incoming::read(far, deadline).await.unwrap();
            incoming.accept(&grant, "controller", &none).await.unwrap()
        };
        let (dialed, accepted) = tokio::join!(dial(near, &hello, deadline), accepting);
        let options = |side| ChannelOptions::new(ChannelKind::Control, side);
        let connected = dialed.unwrap().connected;
        let (router, heard) =
            transport.open(grant.clone(), options(ChannelSide::Dialer), connected);
        let (channel, said) =
            transport.open(grant.clone(), options(ChannelSide::Listener), accepted);
        let outlet = Arc::new(Outlet::new(channel));
        let running = Arc::clone(&outlet);
        tokio::spawn(async move { running.run().await });
        Self {
            outlet,
            said,
            router,
            heard,
        }
    }

    async fn hear(&mut self) -> Frame {
        let heard = timeout(Duration::from_secs(20), self.heard.next());
        heard.await.unwrap().expect("an open channel")
    }

    /// A question of the router, to reply to.
    async fn ask(&mut self) -> ReplyTo {
        let question = Message::new(ContentType(2001));
        self.router.send(Priority::Default, question).unwrap();
        self.said.next().await.unwrap().reply_to()
    }

    fn waits_in(&self, line: LineId) -> bool {
        !self.outlet.state.lock().is_clear(line)
    }

    fn is_open(&self) -> bool {
        self.outlet.channel.close_reason().is_none()
    }
}

fn numbered(number: u32) -> Message {
    let mut message = Message::new(ContentType(2000));
    message.body = Bytes::copy_from_slice(&number.to_le_bytes());
    message
}

fn long(bytes: usize) -> Message {
    let mut message = Message::new(ContentType(2000));
    message.body = Bytes::from(vec![0; bytes]);
    message
}

fn number(frame: &Frame) -> u32 {
    let bytes = frame.body().as_ref().try_into().unwrap();
    u32::from_le_bytes(bytes)
}

#[tokio::test]
async fn burst_waits_for_a_router_that_reads_late() {
    let mut pair = Pair::connect().await;
    for number in 0..BURST {
        let now = Moment::from_micros(u64::from(number));
        pair.outlet
            .ask_for_circuits(Priority::High, numbered(number), now);
    }
    assert!(pair.waits_in(LineId::Told(Priority::High)));
    for expected in 0..BURST {
        let frame = pair.hear().await;
        assert_eq!(number(&frame), expected);
        let answered = pair.outlet.take_question(Some(frame.sequence()));
        let asked = Moment::from_micros(u64::from(expected));
        assert_eq!(answered, Some(asked));
    }
    assert!(pair.is_open());
    assert_eq!(pair.outlet.state.lock().lines.bytes(), 0);
}

#[tokio::test]
async fn replies_that_wait_hold_up_nothing_else() {
    let mut pair = Pair::connect().await;
    let to = pair.ask().await;
    for number in 0..BURST {
        pair.outlet.reply(&to, Priority::Default, numbered(number));
    }
    assert!(pair.waits_in(LineId::Replies(Priority::Default)));
    pair.outlet.send(Priority::Default, numbered(BURST));
    assert!(pair.outlet.try_send(numbered(BURST + 1)));
    let tracked = pair.outlet.send_tracked(numbered(BURST + 2)).unwrap();
    let (mut replies, mut told) = (0, BURST);
    while told < BURST + 3 {
        let frame = pair.hear().await;
        if frame.reply_for().is_some() {
            assert_eq!(number(&frame), replies);
            replies += 1;
        } else {
            assert_eq!(number(&frame), told);
            told += 1;
        }
    }
    assert!(replies < BURST, "they take turns");
    for expected in replies..BURST {
        assert_eq!(number(&pair.hear().await), expected);
    }
    tracked.await;
    assert!(pair.is_open());
}

#[tokio::test]
async fn what_waits_is_not_overtaken_by_what_is_told_after_it() {
    let mut pair = Pair::connect().await;
    for number in 0..BURST {
        pair.outlet.send(Priority::Default, numbered(number));
    }
    assert!(!pair.outlet.try_send(numbered(BURST)));
    let tracked = pair.outlet.send_tracked(numbered(BURST));
    assert!(matches!(tracked.err(), Some(SendErrorKind::QueueFull)));
    for expected in 0..BURST {
        assert_eq!(number(&pair.hear().await), expected);
    }
    assert!(pair.outlet.try_send(numbered(BURST)));
}

#[tokio::test]
async fn router_that_reads_no_replies_gets_no_further_ones() {
    const LENGTH: usize = 1024 * 1024;
    let mut pair = Pair::connect().await;
    let to = pair.ask().await;
    let mut replies = 0;
    while !pair.outlet.is_full_of_replies() {
        let reply = long(LENGTH);
        pair.outlet.reply(&to, Priority::Default, reply);
        replies += 1;
    }
    assert!(replies >= MAX_REPLY_BYTES / LENGTH, "{replies}");
    for _ in 0..replies {
        pair.hear().await;
    }
    assert!(!pair.outlet.is_full_of_replies());
    assert!(pair.is_open());
}

#[tokio::test]
async fn router_for_which_too_much_waits_is_put_off() {
    const LENGTH: usize = 1024 * 1024;
    let pair = Pair::connect().await;
    let long = long(LENGTH);
    let room = MAX_BYTES / LENGTH;
    let mut sent = 0;
    while pair.is_open() {
        pair.outlet.send(Priority::High, long.clone());
        sent += 1;
    }
    assert!((room..room + 16).contains(&sent), "{sent}");
    assert!(!pair.waits_in(LineId::Told(Priority::High)));
    pair.outlet.send(Priority::High, long);
    assert!(!pair.waits_in(LineId::Told(Priority::High)));
}
