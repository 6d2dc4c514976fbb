//! Who is let in, and who is put off.

use crate::router::Router;
use crate::stage::Stage;
use portcullis_transport::DialError;
use portcullis_wire::control::ControlMessage;
use serde_json::json;

/// Why a router was rejected.
fn reason(result: Result<Router, DialError>) -> String {
    match result.err().expect("the router is rejected") {
        DialError::Rejected(rejection) => rejection.reason,
        other => panic!("{other}"),
    }
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
    router.expect_end().await;
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
    let told = reason(Router::connect(&stage, nobody).await);
    assert!(told.contains("no client certificate"), "{told}");
    let mut other = first.clone();
    other.id = second.id;
    let told = reason(Router::connect(&stage, other).await);
    assert!(told.contains("not the one that it enrolled with"), "{told}");
    assert!(Router::connect(&stage, first).await.is_ok());
    stage.stop().await;
}

#[tokio::test]
async fn router_that_is_disabled_or_deleted_is_put_off_at_once() {
    let stage = Stage::start().await;
    let router = stage.connect("r1").await;
    let path = format!("edge-routers/{}", router.id);
    stage.patch(&path, &json!({"disabled": true})).await;
    router.expect_end().await;
    let told = reason(Router::connect(&stage, router.enrolled()).await);
    assert_eq!(told, "the router is disabled");
    stage.patch(&path, &json!({"disabled": false})).await;
    let again = Router::connect(&stage, router.enrolled()).await.unwrap();
    stage.delete(&path).await;
    again.expect_end().await;
    let told = reason(Router::connect(&stage, again.enrolled()).await);
    assert!(told.contains("no router with this id"), "{told}");
    stage.stop().await;
}

#[tokio::test]
async fn second_channel_of_a_router_is_rejected_while_the_first_is_young() {
    let stage = Stage::start().await;
    let router = stage.connect("r1").await;
    let told = reason(Router::connect(&stage, router.enrolled()).await);
    assert!(told.contains("less than a minute ago"), "{told}");
    assert!(router.channel.close_reason().is_none());
    stage.stop().await;
}
