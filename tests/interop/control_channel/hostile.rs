//! Routers with a good certificate and bad manners: others do not notice.

use super::site::{Site, until};
use crate::hardening::resident;
use portcullis_channel::hello::{Grouping, Hello};
use portcullis_channel::{ContentType, Frame, FrameLimits, Message, Role, Sequence};
use portcullis_simulated_router::{RouterIdentity, RouterOptions, SimulatedRouter, TlsConnector};
use portcullis_transport::Connector as _;
use portcullis_wire::control::ControlMessage;
use portcullis_wire::control::link::VerifyRouter;
use std::time::Duration;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;
use tokio::time::{Instant, sleep, timeout};
use tokio_rustls::client::TlsStream;

type Stream = TlsStream<TcpStream>;

/// What half a frame is given, and some time for a busy machine.
const STALL: Duration = Duration::from_secs(20 + 20);
/// The longest that others wait for an answer, on a busy machine.
const PATIENCE: Duration = Duration::from_secs(5);
/// What a router may make the controller keep, in MiB.
const MEMORY: u64 = 96;

/// A connection whose hello is to be sent, and that hello.
async fn greet(site: &Site, identity: &RouterIdentity) -> (Stream, Vec<u8>) {
    let mut connector = TlsConnector::new(site.address, identity);
    let stream = connector.connect(Role::Default).await.unwrap();
    let headers = RouterOptions::default().hello.to_headers();
    let hello = Hello::new(identity.id.clone(), None, Grouping::Ungrouped, headers);
    (stream, hello.encode().unwrap().to_vec())
}

/// A connection whose hello was accepted.
async fn join(site: &Site, identity: &RouterIdentity) -> Stream {
    let (mut stream, hello) = greet(site, identity).await;
    stream.write_all(&hello).await.unwrap();
    let mut answer = [0; 20];
    stream.read_exact(&mut answer).await.unwrap();
    stream
}

/// Requests that are answered.
fn questions(count: i32) -> Vec<u8> {
    let question = ControlMessage::VerifyRouter(VerifyRouter::default());
    let message = question.encode().unwrap();
    let frame = |number| Frame::new(message.clone(), Sequence(number), &FrameLimits::LARGE);
    let frames = (0..count).map(|number| frame(number).unwrap().to_bytes());
    frames.collect::<Vec<_>>().concat()
}

/// Reads until the controller has closed the connection.
async fn closed(mut stream: Stream, patience: Duration) {
    let mut bytes = vec![0; 64 * 1024];
    let reading = async { while stream.read(&mut bytes).await.is_ok_and(|count| count > 0) {} };
    let end = timeout(patience, reading).await;
    end.expect("the controller closes the connection in time");
}

/// Asks until it is told to end; returns the longest wait for an answer.
async fn ask_on(router: &SimulatedRouter, time: Duration) -> Duration {
    let start = Instant::now();
    let mut longest = Duration::ZERO;
    while start.elapsed() < time {
        let asked = Instant::now();
        router.settle().await;
        longest = longest.max(asked.elapsed());
        sleep(Duration::from_millis(10)).await;
    }
    longest
}

#[tokio::test(flavor = "multi_thread")]
async fn half_a_hello_and_half_a_frame_are_waited_for_a_while() {
    let Some(site) = Site::start() else {
        return;
    };
    let (half, other) = (site.enroll("half").await, site.enroll("other").await);
    let router = site.connect(&other).await;

    let (mut hello, bytes) = greet(&site, &half).await;
    hello.write_all(&bytes[..bytes.len() / 2]).await.unwrap();
    closed(hello, Duration::from_secs(5 + 10)).await;
    assert!(!site.is_online(&half.id));

    let mut frame = join(&site, &half).await;
    site.until_online(&half.id, true).await;
    let bytes = questions(1);
    frame.write_all(&bytes[..bytes.len() / 2]).await.unwrap();
    let (longest, ()) = tokio::join!(
        ask_on(&router, Duration::from_secs(3)),
        closed(frame, STALL)
    );
    assert!(longest < PATIENCE, "{longest:?}");
    site.until_online(&half.id, false).await;
    assert_eq!(router.channel.connections(), 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn router_that_asks_and_does_not_listen_is_cut_off() {
    let Some(site) = Site::start() else {
        return;
    };
    let (deaf, other) = (site.enroll("deaf").await, site.enroll("other").await);
    let router = site.connect(&other).await;
    let before = resident(site.controller().process());
    let mut stream = join(&site, &deaf).await;
    let asking = async {
        let bytes = questions(1000);
        // Until it is cut off: the controller reads nothing more then.
        while stream.write_all(&bytes).await.is_ok() {}
    };
    let (longest, cut_off) = tokio::join!(
        ask_on(&router, Duration::from_secs(3)),
        timeout(STALL, asking)
    );
    cut_off.expect("it is cut off");
    assert!(longest < PATIENCE, "{longest:?}");
    let kept = resident(site.controller().process()).saturating_sub(before);
    assert!(kept < MEMORY, "{kept} MiB");
    site.until_online(&deaf.id, false).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn router_that_floods_keeps_nobody_waiting() {
    let Some(site) = Site::start() else {
        return;
    };
    let (eager, other) = (site.enroll("eager").await, site.enroll("other").await);
    let router = site.connect(&other).await;
    let before = resident(site.controller().process());
    let (mut input, mut output) = tokio::io::split(join(&site, &eager).await);
    let listening = tokio::spawn(async move {
        let mut bytes = vec![0; 64 * 1024];
        while input.read(&mut bytes).await.is_ok_and(|count| count > 0) {}
    });
    let flooding = tokio::spawn(async move {
        let nonsense = Message::new(ContentType(4711)).with_body(vec![0; 1000]);
        let nonsense = Frame::new(nonsense, Sequence(0), &FrameLimits::LARGE).unwrap();
        let bytes = [questions(500), nonsense.to_bytes().repeat(500)].concat();
        while output.write_all(&bytes).await.is_ok() {}
    });
    let longest = ask_on(&router, Duration::from_secs(3)).await;
    flooding.abort();
    assert!(longest < PATIENCE, "{longest:?}");
    let kept = resident(site.controller().process()).saturating_sub(before);
    assert!(kept < MEMORY, "{kept} MiB");
    // Dropping both halves ends the connection, unless it was cut off before.
    listening.abort();
    let _halves = (flooding.await, listening.await);
    site.until_online(&eager.id, false).await;
    until(PATIENCE, || site.is_online(&other.id)).await;
}
