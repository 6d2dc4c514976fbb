//! Who connects to the controller and to routers, and which identities are online.

use super::{all_timeless, connection, report_connections};
use crate::stage::Stage;
use serde_json::json;

fn sdk(word: &str, identity: &str) -> String {
    format!(
        r#"{{"namespace":"sdk","event_src_id":"ctrl-1","timestamp":"T","event_type":"sdk-{word}","identity_id":"{identity}"}}"#
    )
}

#[tokio::test]
async fn routers_connect_to_the_controller() {
    let stage = Stage::start().await;
    let identity = stage.enroll("r1").await;
    stage.events.want("connect", &json!({}));
    let router = stage.dial(&identity).await.unwrap();
    let addresses = stage.controller.app.network().control_addresses();
    let address = addresses[0].strip_prefix("tls:").unwrap();
    let id = &router.id;
    let expected = format!(
        r#"{{"namespace":"connect","event_src_id":"ctrl-1","timestamp":"T","src_type":"router","dst_type":"ctrl","src_id":"{id}","src_addr":"127.0.0.1:1","dst_id":"ctrl-1","dst_addr":"{address}"}}"#
    );
    assert_eq!(all_timeless(&stage.events.next(1).await), [expected]);
    stage.stop().await;
}

#[tokio::test]
async fn each_connection_of_an_identity_is_told_once() {
    let stage = Stage::start().await;
    let identity = stage.enroll("r1").await;
    let router = stage.dial(&identity).await.unwrap();
    let id = router.id.clone();
    stage.events.want("connect", &json!({}));
    let line = |time: &str| {
        format!(
            r#"{{"namespace":"connect","event_src_id":"ctrl-1","timestamp":"{time}","src_type":"identity","dst_type":"router","src_id":"i1","src_addr":"127.0.0.1:52368","dst_id":"{id}","dst_addr":"127.0.0.1:28012"}}"#
        )
    };
    let at = |millis: i64| vec![connection("i1", true, millis)];
    report_connections(&router, at(1_795_389_076_529), true);
    report_connections(&router, at(1_795_389_076_529), false);
    report_connections(&router, at(1_795_389_077_000), false);
    let told = stage.events.next(2).await;
    let expected = [
        line("2026-11-22T23:11:16.529Z"),
        line("2026-11-22T23:11:17Z"),
    ];
    assert_eq!(told, expected);

    stage.events.want("router", &json!({}));
    router.channel.close();
    stage.events.next(1).await;
    let router = stage.dial(&identity).await.unwrap();
    report_connections(&router, at(1_795_389_077_000), true);
    router.settle().await;
    // The router itself has connected.
    let told = stage.events.next(2).await;
    assert!(told.iter().all(|line| !line.contains("i1")), "{told:?}");
    stage.stop().await;
}

#[tokio::test]
async fn identities_are_online_while_a_router_has_them() {
    let stage = Stage::start().await;
    let (first, second) = (stage.enroll("r1").await, stage.enroll("r2").await);
    stage.events.want("sdk", &json!({}));
    let first = stage.dial(&first).await.unwrap();
    let second = stage.dial(&second).await.unwrap();
    let mut told = all_timeless(&stage.events.next(2).await);
    told.sort();
    let mut own = [sdk("online", &first.id), sdk("online", &second.id)];
    own.sort();
    assert_eq!(told, own);

    report_connections(&first, vec![connection("i1", true, 1)], true);
    assert_eq!(
        all_timeless(&stage.events.next(1).await),
        [sdk("online", "i1")]
    );
    report_connections(&second, vec![connection("i1", true, 1)], false);
    second.settle().await;
    report_connections(&first, vec![connection("i1", false, 2)], false);
    first.settle().await;
    // Nobody can be named by such a text.
    report_connections(&second, vec![connection(&"x".repeat(129), true, 1)], false);
    report_connections(&second, Vec::new(), true);
    assert_eq!(
        all_timeless(&stage.events.next(1).await),
        [sdk("offline", "i1")]
    );
    stage.stop().await;
}
