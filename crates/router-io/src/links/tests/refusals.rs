//! Who is not let in.

use std::fmt::Debug;
use std::time::Duration;

use futures_util::StreamExt as _;
use futures_util::stream::FuturesUnordered;
use portcullis_channel::Headers;
use portcullis_channel::group::{GroupId, GroupSecret};
use portcullis_channel::headers::key;
use portcullis_channel::hello::{GroupHello, Grouping, Hello, RejectClass};
use portcullis_pki::Fingerprint;
use portcullis_router::links::BackoffPolicy;
use portcullis_transport::{DialError, Dialed, dial};
use portcullis_wire::link::{LinkHello, SplitLinkPart};
use tokio::io::AsyncReadExt as _;
use tokio::net::TcpStream;
use tokio::time::{Instant, sleep, timeout};
use tokio_rustls::client::TlsStream;

use super::controller::{self, CONTROLLER};
use super::world::{TestNetwork, TestRouter, World, settings, wait_until};
use crate::links::LINK_ALPN;
use crate::tls::Tls;

#[tokio::test]
async fn router_that_the_controller_does_not_confirm_has_no_link() {
    let world = World::new();
    let (first, second) = (world.router("r1").await, world.router("r2").await);
    world.enrolled.lock().insert("r1".to_owned(), String::new());
    first.learn_of(&second);
    sleep(Duration::from_millis(500)).await;
    assert!(first.manager.views().is_empty());
    let refused = rejection(knock(&second, &first.tls, &hello("r1", "r2")).await);
    assert_eq!(
        refused,
        "the controller does not confirm the router: wrong fingerprint"
    );
    assert!(second.manager.views().is_empty());

    for _ in 0..5 {
        rejection(knock(&second, &first.tls, &hello("r1", "r2")).await);
    }
    let refusals = &second.manager.refusals;
    assert!(!refusals.admits([127, 0, 0, 1].into()), "a line each");
}

#[tokio::test]
async fn router_without_a_controller_is_tried_again_soon() {
    let world = World::new();
    let second = world.router("r2").await;
    let mut patient = settings();
    let seconds = Duration::from_secs;
    // Seven failures would take pauses of 16 s and more.
    let pause = BackoffPolicy::new(Duration::from_millis(50), seconds(60), 3.0).unwrap();
    patient.dialers[0].healthy = pause;
    let first = world.router_with("r1", patient).await;
    second.controllers.remove(&CONTROLLER.into());
    let refused = knock(&second, &first.tls, &hello("r1", "r2")).await;
    let Err(DialError::Rejected(refused)) = refused else {
        panic!("{refused:?}");
    };
    let reason = "no controller is there to verify the router";
    assert_eq!(
        (refused.class, &*refused.reason),
        (RejectClass::Busy, reason)
    );

    first.learn_of(&second);
    wait_until(|| attempts(&first) >= 8).await;
    controller::connect(&second.controllers, &world.enrolled).await;
    let linked = timeout(seconds(5), first.linked(4)).await;
    assert!(linked.is_ok(), "the pauses have grown");
}

#[tokio::test]
async fn router_of_another_network_has_no_link() {
    let world = World::new();
    let router = world.router("r2").await;
    let mut credentials = TestNetwork::new().credentials("r1");
    credentials.authorities = world.network.credentials("r1").authorities;
    let stranger = Tls::new(credentials).unwrap();
    let refused = rejection(knock(&router, &stranger, &hello("r1", "r2")).await);
    assert!(
        refused.starts_with("the client certificate is not trusted"),
        "{refused}"
    );
}

#[tokio::test]
async fn trusted_certificates_behind_that_of_a_stranger_do_not_help_it() {
    let world = World::new();
    let router = world.router("r2").await;
    let known = world.network.credentials("r1");
    let fingerprint = Fingerprint::of_der(&known.client_chain[0]).to_string();
    world.enrolled.lock().insert("r1".to_owned(), fingerprint);
    for trusted in [&known.client_chain[0], &known.authorities[0]] {
        let mut credentials = TestNetwork::new().credentials("r1");
        credentials.client_chain.push(trusted.clone());
        credentials.authorities.clone_from(&known.authorities);
        let stranger = Tls::new(credentials).unwrap();
        let refused = rejection(knock(&router, &stranger, &hello("r1", "r2")).await);
        assert!(
            refused.starts_with("the client certificate is not trusted"),
            "{refused}"
        );
    }
}

#[tokio::test]
async fn listener_of_another_network_is_not_dialed() {
    let world = World::new();
    let first = world.router("r1").await;
    let other = World::new();
    let second = other.router("r2").await;
    first.learn_of(&second);
    sleep(Duration::from_millis(500)).await;
    assert!(first.manager.views().is_empty());
    assert!(second.manager.views().is_empty());
}

#[tokio::test]
async fn link_meant_for_another_router_is_refused_by_both() {
    let world = World::new();
    let (first, second) = (world.router("r1").await, world.router("r2").await);
    let refused = rejection(knock(&second, &first.tls, &hello("r1", "r3")).await);
    assert_eq!(refused, "this is router r2");
    let refused = rejection(knock(&second, &first.tls, &hello("r2", "r2")).await);
    assert_eq!(refused, "a router has no link to itself");
    // Whoever does not name the router that is meant looks at the answer.
    first.learn("r3", "v2.1.0", second.address);
    sleep(Duration::from_millis(300)).await;
    assert!(first.manager.views().is_empty());
}

#[tokio::test]
async fn router_that_answers_for_another_has_no_link() {
    let world = World::new();
    let first = world.router("r1").await;
    let certificate = Tls::new(world.network.credentials("r2")).unwrap();
    let impostor = TestRouter::start("r3", certificate, settings(), &world.enrolled).await;
    // Dialed several times by then.
    first.learn_of(&impostor);
    sleep(Duration::from_millis(500)).await;
    assert!(first.manager.views().is_empty());
}

/// Defect 3 of the original: any certificate of the network would do for them.
#[tokio::test]
async fn further_connections_need_certificate_link_group_and_secret_of_the_first() {
    let world = World::new();
    let router = world.router("r2").await;
    let first = world.router("r1").await;
    let thief = world.router("r3").await;
    let group = |secret, is_first| GroupHello {
        id: GroupId::new("group"),
        secret: Some(GroupSecret::new([secret; 16])),
        is_first,
    };
    let hello = |group, link_id: &str| {
        let headers = LinkHello {
            link_id: link_id.to_owned(),
            router_id: "r1".to_owned(),
            iteration: 1,
            ..LinkHello::default()
        }
        .to_headers();
        let kind = Some("link.default".to_owned());
        Hello::new(link_id.to_owned(), kind, Grouping::Grouped(group), headers)
    };
    let opening = hello(group(7, true), "link");
    let _first = knock(&router, &first.tls, &opening).await.unwrap();
    router.linked(1).await;
    for (tls, hello) in [
        (&first.tls, hello(group(8, false), "link")),
        (&first.tls, hello(group(7, false), "other")),
        (&thief.tls, hello(group(7, false), "link")),
    ] {
        let result = knock(&router, tls, &hello).await;
        assert!(matches!(result, Err(DialError::Closed)), "{result:?}");
    }
    assert_eq!(router.linked(1).await.roles.len(), 1);
    let further = hello(group(7, false), "link");
    let _second = knock(&router, &first.tls, &further).await.unwrap();
    router.linked(2).await;
}

/// Routers before 1.6.6 dial two connections for a link; each has a hello of its own.
#[tokio::test]
async fn halves_of_two_names_make_no_link() {
    let world = World::new();
    let router = world.router("r2").await;
    let first = world.router("r1").await;
    let _victim = world.router("r3").await;
    let half = |from: &str, part| half(from, "pair", part);
    let payloads = half("r1", SplitLinkPart::Payloads);
    let _waiting = knock(&router, &first.tls, &payloads).await.unwrap();
    let acknowledgments = half("r3", SplitLinkPart::Acknowledgements);
    let refused = rejection(knock(&router, &first.tls, &acknowledgments).await);
    assert_eq!(
        refused,
        "the controller does not confirm the router: wrong fingerprint"
    );
    assert!(router.manager.views().is_empty());

    let acknowledgments = half("r1", SplitLinkPart::Acknowledgements);
    let _second = knock(&router, &first.tls, &acknowledgments).await.unwrap();
    router.linked(2).await;
}

#[tokio::test]
async fn halves_of_a_router_that_wait_are_bounded() {
    let world = World::new();
    let mut roomy = settings();
    roomy.listeners[0].max_unknown = 64;
    let router = world.router_with("r2", roomy).await;
    let (first, other) = (world.router("r1").await, world.router("r3").await);
    router.controllers.remove(&CONTROLLER.into());
    let (_controller, _inbox) = controller::open(&router.controllers).await;
    let mut halves: FuturesUnordered<_> = (0..17)
        .map(|pair| one_half(&router, &first, "r1", pair))
        .collect();
    let Some(Err(DialError::Rejected(refused))) = halves.next().await else {
        panic!("one is refused before a controller has answered")
    };
    assert_eq!(
        (refused.class, &*refused.reason),
        (
            RejectClass::Busy,
            "the router has too many halves of links that wait"
        )
    );
    let of_another = timeout(
        Duration::from_millis(200),
        one_half(&router, &other, "r3", 0),
    );
    assert!(of_another.await.is_err(), "others have places of their own");

    // Places are given back by those that go.
    drop(halves);
    router.controllers.remove(&CONTROLLER.into());
    controller::connect(&router.controllers, &world.enrolled).await;
    let mut attempts = 0;
    while let Err(error) = one_half(&router, &first, "r1", 20).await {
        assert!(attempts < 300, "{error:?}");
        attempts += 1;
        sleep(Duration::from_millis(50)).await;
    }
}

#[tokio::test]
async fn halves_that_wait_do_not_keep_their_others_out() {
    let world = World::new();
    let (router, first) = (world.router("r2").await, world.router("r1").await);
    let mut waiting = Vec::new();
    for pair in 0..16 {
        waiting.push(one_half(&router, &first, "r1", pair).await.unwrap());
    }
    let refused = rejection(one_half(&router, &first, "r1", 16).await);
    assert_eq!(refused, "the router has too many halves of links that wait");
    let other = half("r1", "pair 3", SplitLinkPart::Acknowledgements);
    let _other = knock(&router, &first.tls, &other).await.unwrap();
    router.linked(2).await;
}

#[tokio::test]
async fn id_of_a_link_between_others_is_not_taken_over() {
    let world = World::new();
    let (first, second) = (world.router("r1").await, world.router("r2").await);
    let thief = world.router("r3").await;
    first.learn_of(&second);
    let link = second.linked(4).await;
    let mut hello = link_hello("r3", "r2");
    hello.link_id.clone_from(&link.id);
    let refused = rejection(knock(&second, &thief.tls, &as_hello(&hello)).await);
    assert_eq!(refused, "another link has this id");
}

#[tokio::test]
async fn connection_that_says_nothing_is_closed() {
    let world = World::new();
    let mut short = settings();
    short.listeners[0].connect_timeout = Duration::from_millis(100);
    let router = world.router_with("r2", short).await;
    let client = world.router("r1").await;
    let mut silent = connect(&router, &client.tls).await;
    let mut rest = Vec::new();
    let _end = timeout(Duration::from_secs(5), silent.read_to_end(&mut rest))
        .await
        .expect("the connection ends");
    assert!(rest.is_empty());
}

/// How often a router has dialed the only link that it wants.
fn attempts(router: &TestRouter) -> u32 {
    let peers = router.manager.peers();
    let targets = peers.iter().flat_map(|peer| &peer.targets);
    targets.map(|target| target.attempts).sum()
}

pub(super) fn link_hello(from: &str, to: &str) -> LinkHello {
    LinkHello {
        link_id: format!("link-{from}-{to}"),
        router_id: from.to_owned(),
        iteration: 1,
        destination: Some(to.to_owned()),
        ..LinkHello::default()
    }
}

async fn one_half(
    router: &TestRouter,
    dialer: &TestRouter,
    from: &str,
    pair: u32,
) -> Result<Dialed<TlsStream<TcpStream>>, DialError> {
    let hello = half(from, &format!("pair {pair}"), SplitLinkPart::Payloads);
    knock(router, &dialer.tls, &hello).await
}

fn half(from: &str, pair: &str, part: SplitLinkPart) -> Hello {
    let link = LinkHello {
        link_id: "link".to_owned(),
        split_part: Some(part),
        ..link_hello(from, "r2")
    };
    let headers = Headers::builder()
        .append(&link.to_headers())
        .string(key::CONNECTION_ID, pair)
        .build();
    Hello::new("link".to_owned(), None, Grouping::Ungrouped, headers)
}

pub(super) fn as_hello(link: &LinkHello) -> Hello {
    let group = Grouping::Grouped(GroupHello {
        is_first: true,
        ..GroupHello::default()
    });
    let kind = Some("link.default".to_owned());
    Hello::new(link.link_id.clone(), kind, group, link.to_headers())
}

fn hello(from: &str, to: &str) -> Hello {
    as_hello(&link_hello(from, to))
}

async fn connect(router: &TestRouter, tls: &Tls) -> TlsStream<TcpStream> {
    let socket = TcpStream::connect(router.address).await.unwrap();
    tls.connect(socket, "localhost", LINK_ALPN).await.unwrap()
}

pub(super) async fn knock(
    router: &TestRouter,
    tls: &Tls,
    hello: &Hello,
) -> Result<Dialed<TlsStream<TcpStream>>, DialError> {
    let deadline = Instant::now() + Duration::from_secs(5);
    dial(connect(router, tls).await, hello, deadline).await
}

/// Why a router does not accept a connection.
fn rejection<S: Debug>(result: Result<Dialed<S>, DialError>) -> String {
    match result {
        Err(DialError::Rejected(rejection)) => rejection.reason,
        other => panic!("{other:?}"),
    }
}
