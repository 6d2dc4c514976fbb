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

    fn is_open(&self) -> bool {
        self.outlet.channel.close_reason().is_none()
    }
}

fn numbered(number: u32) -> Message {
    let mut message = Message::new(ContentType(2000));
    message.body = Bytes::copy_from_slice(&number.to_le_bytes());
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
    assert!(!pair.outlet.state.lock().high.is_empty());
    for expected in 0..BURST {
        let frame = pair.hear().await;
        assert_eq!(number(&frame), expected);
        let answered = pair.outlet.take_question(Some(frame.sequence()));
        let asked = Moment::from_micros(u64::from(expected));
        assert_eq!(answered, Some(asked));
    }
    assert!(pair.is_open());
    assert_eq!(pair.outlet.state.lock().high.bytes(), 0);
}

#[tokio::test]
async fn router_that_takes_no_replies_has_to_wait() {
    let mut pair = Pair::connect().await;
    pair.outlet.replied().await;
    let question = Message::new(ContentType(2001));
    pair.router.send(Priority::Default, question).unwrap();
    let to = pair.said.next().await.unwrap().reply_to();
    for number in 0..BURST {
        pair.outlet.reply(&to, Priority::Default, numbered(number));
    }
    let replied = Arc::clone(&pair.outlet);
    let mut replied = tokio::spawn(async move { replied.replied().await });
    let early = timeout(Duration::from_millis(10), &mut replied).await;
    assert!(early.is_err(), "replies wait");
    assert!(!pair.outlet.try_send(numbered(BURST)), "it would overtake");
    let tracked = pair.outlet.send_tracked(numbered(BURST));
    assert_eq!(tracked.err(), Some(SendErrorKind::QueueFull));
    for expected in 0..BURST {
        assert_eq!(number(&pair.hear().await), expected);
    }
    replied.await.unwrap();
    assert!(pair.outlet.try_send(numbered(BURST)));
    assert!(pair.is_open());
}

#[tokio::test]
async fn router_for_which_too_much_waits_is_put_off() {
    const LENGTH: usize = 1024 * 1024;
    let pair = Pair::connect().await;
    let mut long = Message::new(ContentType(2000));
    long.body = Bytes::from(vec![0; LENGTH]);
    let room = MAX_BYTES / LENGTH;
    let mut sent = 0;
    while pair.is_open() {
        pair.outlet.send(Priority::High, long.clone());
        sent += 1;
    }
    assert!((room..room + 16).contains(&sent), "{sent}");
    assert!(pair.outlet.state.lock().high.is_empty());
    pair.outlet.send(Priority::High, long);
    assert!(pair.outlet.state.lock().high.is_empty());
}
