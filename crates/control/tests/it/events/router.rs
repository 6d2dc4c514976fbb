//! Routers, and the terminators that come and go with them.

use super::all_timeless;
use crate::circuits::host;
use crate::stage::{Stage, StageOptions};
use serde_json::{Value, json};
use std::time::Duration;

fn status(router: &str, is_online: bool) -> String {
    let word = if is_online { "online" } else { "offline" };
    format!(
        r#"{{"namespace":"router","timestamp":"T","event_src_id":"ctrl-1","event_type":"router-{word}","router_id":"{router}","router_online":{is_online}}}"#
    )
}

#[tokio::test]
async fn routers_come_and_go_with_their_terminators() {
    let stage = Stage::start().await;
    stage.open_routers().await;
    let service = stage.service("web").await;
    let identity = stage.enroll("r1").await;
    let id = identity.id.clone();
    stage.events.want("router", &json!({}));
    stage.events.want("terminator", &json!({}));
    let router = stage.dial(&identity).await.unwrap();
    let told = stage.events.next(1).await;
    assert_eq!(all_timeless(&told), [status(&id, true)]);

    for address in ["t1", "t2"] {
        host(&router, &service, address).await;
    }
    router.channel.close();
    let told = all_timeless(&stage.events.next(3).await);
    let terminator = |name: &str, is_online: bool, usable: u32| {
        let word = if is_online { "online" } else { "offline" };
        format!(
            r#"{{"namespace":"terminator","event_src_id":"ctrl-1","timestamp":"T","event_type":"router-{word}","service_id":"{service}","terminator_id":"{name}","router_id":"{id}","host_id":"{id}","instance_id":"","router_online":{is_online},"precedence":"default","static_cost":0,"dynamic_cost":0,"total_terminators":2,"usable_default_terminators":{usable},"usable_required_terminators":0}}"#
        )
    };
    let expected = [
        status(&id, false),
        terminator("t1", false, 0),
        terminator("t2", false, 0),
    ];
    assert_eq!(told, expected);

    let _router = stage.dial(&identity).await.unwrap();
    let told = all_timeless(&stage.events.next(3).await);
    let expected = [
        status(&id, true),
        terminator("t1", true, 2),
        terminator("t2", true, 2),
    ];
    assert_eq!(told, expected);
    stage.stop().await;
}

#[tokio::test]
async fn router_that_replaces_its_channel_was_there_all_the_time() {
    let stage = Stage::start_with(StageOptions {
        takeover_after: Duration::ZERO,
        ..StageOptions::default()
    })
    .await;
    let identity = stage.enroll("r1").await;
    stage.events.want("router", &json!({}));
    let first = stage.dial(&identity).await.unwrap();
    let second = stage.dial(&identity).await.unwrap();
    first.has_connections(0).await;
    second.settle().await;
    stage.delete(&format!("edge-routers/{}", identity.id)).await;
    let told = all_timeless(&stage.events.next(2).await);
    let expected = [status(&identity.id, true), status(&identity.id, false)];
    assert_eq!(told, expected);
    stage.stop().await;
}

#[tokio::test]
async fn changes_by_routers_are_told_with_both_ends_of_the_channel() {
    let stage = Stage::start().await;
    stage.open_routers().await;
    let service = stage.service("web").await;
    let router = stage.connect("r1").await;
    let terminators = json!({"include": "terminators"});
    stage.events.want("entityChange", &terminators);
    host(&router, &service, "t1").await;
    let told = stage.events.next(2).await;
    let created: Value = serde_json::from_str(&told[0]).unwrap();
    let source = json!({
        "type": "ctrl.channel", "localAddr": "127.0.0.1:2", "remoteAddr": "127.0.0.1:1",
    });
    assert_eq!(created["metadata"]["source"], source, "{created}");
    assert_eq!(created["metadata"].get("raft_index"), None);
    stage.stop().await;
}
