//! Who is let in, and who is put off.

use crate::memory::MemoryConnector;
use crate::stage::{Stage, StageOptions};
use portcullis_channel::Role;
use portcullis_channel::group::{DialFailure, GroupId, GroupSecret};
use portcullis_channel::hello::{GroupHello, Grouping, HELLO_TIMEOUT, Hello};
use portcullis_simulated_router::{Refused, RouterIdentity, RouterOptions, SimulatedRouter};
use portcullis_transport::{Connector as _, DialError, dial};
use portcullis_wire::control::ControlMessage;
use serde_json::json;
use std::time::Duration;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::time::Instant;

/// Why a router was rejected.
fn reason(result: Result<SimulatedRouter, Refused>) -> String {
    let refused = result.expect_err("the router is rejected");
    assert_eq!(refused.failure, DialFailure::Rejected);
    refused.reason
}

#[tokio::test]
async fn router_is_greeted_and_seen_online_until_its_channel_ends() {
    let stage = Stage::start().await;
    let mut router = stage.connect("r1").await;
    let (_, hello) = router
        .expect(|message| match message {
            ControlMessage::ServerHello(hello) => Some(hello),
            _ => None,
        })
        .await;
    assert!(hello.has_data_model);
    let path = format!("edge-routers/{}", router.id);
    let shown = stage.get(&path).await;
    assert_eq!(shown["isOnline"], json!(true));
    assert_eq!(shown["versionInfo"]["version"], json!("v2.1.0"));
    router.channel.close();
    router.has_connections(0).await;
    while stage.get(&path).await["isOnline"] == json!(true) {
        tokio::task::yield_now().await;
    }
    stage.stop().await;
}

#[tokio::test]
async fn stranger_and_router_of_another_name_are_told_why_not() {
    let stage = Stage::start().await;
    let (first, second) = (stage.enroll("r1").await, stage.enroll("r2").await);
    let mut nobody = first.clone();
    nobody.chain.clear();
    let told = reason(stage.dial(&nobody).await);
    assert!(told.contains("no client certificate"), "{told}");
    let told = reason(stage.dial(&first.posing_as(&second.id)).await);
    assert!(told.contains("not the one that it enrolled with"), "{told}");
    assert!(stage.dial(&first).await.is_ok());
    stage.stop().await;
}

#[tokio::test]
async fn router_that_is_disabled_or_deleted_is_put_off_at_once() {
    let stage = Stage::start().await;
    let identity = stage.enroll("r1").await;
    let router = stage.dial(&identity).await.unwrap();
    let path = format!("edge-routers/{}", router.id);
    stage.patch(&path, &json!({"disabled": true})).await;
    router.has_connections(0).await;
    drop(router);
    let told = reason(stage.dial(&identity).await);
    assert_eq!(told, "the router is disabled");
    stage.patch(&path, &json!({"disabled": false})).await;
    let router = stage.dial(&identity).await.unwrap();
    stage.delete(&path).await;
    router.has_connections(0).await;
    let told = reason(stage.dial(&identity).await);
    assert!(told.contains("no router with this id"), "{told}");
    stage.stop().await;
}

#[tokio::test]
async fn second_channel_of_a_router_is_rejected_while_the_first_is_young() {
    let stage = Stage::start().await;
    let identity = stage.enroll("r1").await;
    let router = stage.dial(&identity).await.unwrap();
    let told = reason(stage.dial(&identity).await);
    assert!(told.contains("less than 60s ago"), "{told}");
    assert!(router.channel.close_reason().is_none());
    stage.stop().await;
}

#[tokio::test]
async fn second_channel_of_a_router_replaces_the_first_once_that_is_old_enough() {
    let stage = Stage::start_with(StageOptions {
        takeover_after: Duration::ZERO,
        ..StageOptions::default()
    })
    .await;
    let identity = stage.enroll("r1").await;
    let first = stage.dial(&identity).await.unwrap();
    let second = stage.dial(&identity).await.unwrap();
    first.has_connections(0).await;
    drop(first);
    second.has_connections(1).await;
    stage.stop().await;
}

#[tokio::test]
async fn refused_connections_take_no_places() {
    let stage = Stage::start_with(StageOptions {
        max_connections: 2,
        ..StageOptions::default()
    })
    .await;
    let (restless, other) = (stage.enroll("r1").await, stage.enroll("r2").await);
    let router = stage.dial(&restless).await.unwrap();
    let mut refused = Vec::new();
    for _ in 0..4 {
        let mut connector = MemoryConnector::new(&stage.plane, &restless);
        let mut stream = connector.connect(Role::Default).await.unwrap();
        let hello = hello(&restless, Grouping::Ungrouped).encode().unwrap();
        stream.write_all(&hello).await.unwrap();
        // The controller has answered, and waits for the router to close.
        stream.read_u8().await.unwrap();
        refused.push(stream);
    }
    let other = stage.dial(&other).await.unwrap();
    // Whether there are places makes no difference to what is judged before.
    let told = reason(stage.dial(&restless).await);
    assert!(told.contains("less than 60s ago"), "{told}");
    drop((router, other, refused));
    stage.stop().await;
}

#[tokio::test]
async fn connection_without_a_place_is_told_so_unless_its_channel_is_gone() {
    let stage = Stage::start_with(StageOptions {
        max_connections: 1,
        ..StageOptions::default()
    })
    .await;
    let (first, second) = (stage.enroll("r1").await, stage.enroll("r2").await);
    let router = stage.dial(&first).await.unwrap();
    let told = reason(stage.dial(&second).await);
    assert!(told.contains("as many connections"), "{told}");
    let mut connector = MemoryConnector::new(&stage.plane, &second);
    let stream = connector.connect(Role::Default).await.unwrap();
    let of_gone_channel = hello(
        &second,
        Grouping::Grouped(GroupHello {
            id: GroupId::new("gone"),
            secret: Some(GroupSecret::new([1; 16])),
            is_first: false,
        }),
    );
    let dialed = dial(stream, &of_gone_channel, Instant::now() + HELLO_TIMEOUT).await;
    assert!(matches!(dialed, Err(DialError::Closed)), "{dialed:?}");
    drop(router);
    stage.stop().await;
}

fn hello(router: &RouterIdentity, grouping: Grouping) -> Hello {
    let headers = RouterOptions::default().hello.to_headers();
    Hello::new(router.id.clone(), None, grouping, headers)
}
