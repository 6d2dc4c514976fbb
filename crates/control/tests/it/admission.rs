//! Who is let in, and who is put off.

use crate::stage::Stage;
use portcullis_channel::group::DialFailure;
use portcullis_simulated_router::{Refused, SimulatedRouter};
use portcullis_wire::control::ControlMessage;
use serde_json::json;
use std::time::Duration;

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
    let stage = Stage::start_with_takeover_after(Duration::ZERO).await;
    let identity = stage.enroll("r1").await;
    let first = stage.dial(&identity).await.unwrap();
    let second = stage.dial(&identity).await.unwrap();
    first.has_connections(0).await;
    drop(first);
    second.has_connections(1).await;
    stage.stop().await;
}
