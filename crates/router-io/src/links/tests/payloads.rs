//! What links carry.

use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use futures_util::future::BoxFuture;
use portcullis_channel::{ContentType, Message};
use portcullis_forwarding::{Activity, Hop};
use portcullis_pki::{Fingerprint, KeyType, SigningKey};
use portcullis_wire::Secret;
use portcullis_wire::control::route::{DestinationKind, Forward, Route};
use portcullis_wire::xgress::{Acknowledgement, Payload, PayloadSequence};
use tokio::sync::mpsc;
use tokio::time::timeout;
use tokio_util::sync::CancellationToken;

use super::world::{TestRouter, World, settings, wait_until};
use crate::circuit_message::CircuitMessage;
use crate::identity::test_files::TestFiles;
use crate::identity::{IdentityWatcher, Reload};
use crate::relay::{Destination, NotForwarded};
use crate::testing::Proxy;
use crate::tls::Tls;

const CIRCUIT: &str = "circuit";

/// An end of a circuit that takes everything.
struct End(mpsc::UnboundedSender<CircuitMessage>);

impl Destination for End {
    fn deliver(&self, message: CircuitMessage) -> Result<(), CircuitMessage> {
        self.0.send(message).map_err(|error| error.0)
    }

    fn room(&self, _message: &CircuitMessage) -> BoxFuture<'static, ()> {
        Box::pin(std::future::ready(()))
    }

    fn unrouted(&self, _circuit: &str) {}
}

/// Attaches an end to a router, and routes the circuit between it and a link.
fn attach(router: &TestRouter, link: &str) -> (Hop, mpsc::UnboundedReceiver<CircuitMessage>) {
    let (sender, receiver) = mpsc::unbounded_channel();
    let (hop, _) = router.relay.attach("end", Arc::new(End(sender)));
    let way = |source: &str, destination: &str, destination_kind| Forward {
        source: source.to_owned(),
        destination: destination.to_owned(),
        destination_kind,
    };
    let route = Route {
        circuit_id: CIRCUIT.to_owned(),
        forwards: vec![
            way("end", link, DestinationKind::Link),
            way(link, "end", DestinationKind::End),
        ],
        ..Route::default()
    };
    router.relay.route(&route, &"controller".into()).unwrap();
    (hop, receiver)
}

fn payload(number: u32, length: usize) -> CircuitMessage {
    CircuitMessage::Payload(Box::new(Payload {
        circuit_id: CIRCUIT.to_owned(),
        sequence: PayloadSequence::new(number).unwrap(),
        rtt_millis: u16::try_from(number % 1000).ok(),
        data: Secret::new(Bytes::from(vec![7; length])),
        ..Payload::default()
    }))
}

fn sequence(message: &CircuitMessage) -> Option<PayloadSequence> {
    match message {
        CircuitMessage::Payload(payload) => Some(payload.sequence),
        _ => None,
    }
}

/// Defect 21 of the original: each router on the way wrote the time of its own clock into them.
#[tokio::test]
async fn payloads_and_acknowledgments_come_to_the_other_end() {
    let world = World::new();
    let (first, second) = (world.router("r1").await, world.router("r2").await);
    first.learn_of(&second);
    let link = first.linked(4).await.id;
    second.linked(4).await;
    let (here, mut answers) = attach(&first, &link);
    let (there, mut arrivals) = attach(&second, &link);
    for number in 0..100 {
        assert!(
            first
                .relay
                .forward(here, payload(number, 1_000), Activity::Shown)
                .is_ok()
        );
    }
    let mut sequences = Vec::new();
    for _ in 0..100 {
        let message = soon(arrivals.recv()).await.unwrap();
        let number = sequence(&message).unwrap();
        // Whole, with the time of the end that has sent it.
        assert_eq!(message, payload(number.number(), 1_000));
        sequences.push(number);
    }
    // Several connections keep no order.
    sequences.sort_unstable();
    let sent = (0..100).map(|number| PayloadSequence::new(number).unwrap());
    assert!(sequences.into_iter().eq(sent));

    let acknowledgement = CircuitMessage::Acknowledgement(Box::new(Acknowledgement {
        circuit_id: CIRCUIT.to_owned(),
        ..Acknowledgement::default()
    }));
    let back = second
        .relay
        .forward(there, acknowledgement.clone(), Activity::Shown);
    assert!(back.is_ok());
    assert_eq!(soon(answers.recv()).await, Some(acknowledgement));
    let view = first.linked(4).await;
    assert!(view.counts.sent.messages >= 100 && view.counts.sent.bytes >= 100_000);
}

#[tokio::test]
async fn circuits_go_on_while_the_certificates_of_a_router_are_replaced() {
    let files = TestFiles::new();
    files.write("r1.server.cert", &files.server("localhost", &files.key));
    files.write("r2.cert", &files.client("r2", &files.key));
    let (watcher, tls, _) = IdentityWatcher::begin(files.usual()).unwrap();
    let (reload, stop) = (Reload::default(), CancellationToken::new());
    let watching = tokio::spawn(watcher.run(reload.clone(), stop.clone()));
    let dialing = files.section(
        "cert: DIR/r2.cert\nserver_cert: DIR/r1.server.cert\nkey: file://DIR/r1.key\nca: DIR/r1.cas",
    );
    let dialing = Tls::new(dialing.unwrap().load().unwrap().credentials).unwrap();

    let world = World::new();
    let known = Fingerprint::of_der(&dialing.client_chain()[0]).to_string();
    world.enrolled.lock().insert("r2".to_owned(), known);
    let first = TestRouter::start("r1", Arc::clone(&tls), settings(), &world.enrolled).await;
    let second = TestRouter::start("r2", dialing, settings(), &world.enrolled).await;
    second.learn_of(&first);
    let link = second.linked(4).await.id;
    first.linked(4).await;
    let (_here, mut arrivals) = attach(&first, &link);
    let (there, _answers) = attach(&second, &link);

    let before = tls.client_chain();
    let (mut sent, mut sent_after) = (0, 0);
    while sent_after < 100 {
        let forwarded = second
            .relay
            .forward(there, payload(sent, 1_000), Activity::Shown);
        assert!(forwarded.is_ok(), "payload {sent}");
        sent += 1;
        if sent == 100 {
            let key = SigningKey::generate(KeyType::P256).unwrap();
            files.write("r1.key", &key.to_pkcs8_pem().unwrap());
            files.write("r1.cert", &files.client("r1", &key));
            files.write("r1.server.cert", &files.server("localhost", &key));
            reload.request();
        }
        sent_after += u32::from(tls.client_chain() != before);
        tokio::time::sleep(Duration::from_millis(1)).await;
    }
    let mut sequences = Vec::new();
    for _ in 0..sent {
        let message = soon(arrivals.recv()).await.unwrap();
        sequences.push(sequence(&message).unwrap().number());
    }
    sequences.sort_unstable();
    assert!(sequences.into_iter().eq(0..sent));
    let stays = first.linked(4).await;
    assert_eq!((stays.id, stays.iteration), (link, 1));
    stop.cancel();
    watching.await.unwrap();
}

#[tokio::test]
async fn circuits_go_on_over_a_link_that_comes_back() {
    let world = World::new();
    let (first, second) = (world.router("r1").await, world.router("r2").await);
    let proxy = Proxy::start(second.address).await;
    first.learn("r2", "v2.1.0", proxy.address);
    let link = first.linked(4).await.id;
    let (here, _answers) = attach(&first, &link);
    let (_there, mut arrivals) = attach(&second, &link);
    proxy.kill(proxy.open());
    let is_back = |router: &TestRouter| router.used().iter().any(|link| link.iteration == 2);
    wait_until(|| is_back(&first) && is_back(&second)).await;
    assert!(
        first
            .relay
            .forward(here, payload(1, 1), Activity::Shown)
            .is_ok()
    );
    assert!(soon(arrivals.recv()).await.is_some());
}

#[tokio::test]
async fn full_link_gives_messages_back_and_tells_when_there_is_room() {
    let world = World::new();
    let (first, second) = (world.router("r1").await, world.router("r2").await);
    let proxy = Proxy::start(second.address).await;
    first.learn("r2", "v2.1.0", proxy.address);
    let link = first.linked(4).await.id;
    let (here, _answers) = attach(&first, &link);
    let (_there, mut arrivals) = attach(&second, &link);
    proxy.stall();
    let mut sent = 0;
    let full = loop {
        match first
            .relay
            .forward(here, payload(sent, 60_000), Activity::Shown)
        {
            Ok(()) => sent += 1,
            Err(NotForwarded::Full(message, link)) => break (message, link),
            Err(NotForwarded::NoWay) => panic!("there is a link"),
        }
        tokio::task::yield_now().await;
    };
    let (message, destination) = full;
    assert_eq!(sequence(&message), PayloadSequence::new(sent));
    let room = tokio::spawn(destination.room(&message));
    tokio::time::sleep(Duration::from_millis(50)).await;
    assert!(!room.is_finished());
    proxy.go_on();
    soon(room).await.unwrap();
    assert!(destination.deliver(message).is_ok());
    for _ in 0..=sent {
        soon(arrivals.recv()).await.unwrap();
    }
}

/// Defect 18 of the original: it framed the compact form, which its other end did not read.
#[tokio::test]
async fn what_no_link_carries_is_counted_and_dropped() {
    let world = World::new();
    let (first, second) = (world.router("r1").await, world.router("r2").await);
    first.learn_of(&second);
    let link = first.linked(4).await;
    second.linked(4).await;
    // The compact form, a payload without a circuit, and something new.
    for content in [6, 1_100, 4_711] {
        let message = Message::new(ContentType(content)).with_body("?");
        first.manager.send_raw(&link.id, message);
    }
    wait_until(|| second.used().iter().all(|link| link.counts.unreadable == 3)).await;
    assert_eq!(second.used().len(), 1);
}

async fn soon<F: Future>(future: F) -> F::Output {
    timeout(Duration::from_secs(10), future).await.unwrap()
}
