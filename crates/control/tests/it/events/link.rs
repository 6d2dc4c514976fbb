//! Links.

use super::{all_timeless, fault};
use crate::stage::Stage;
use portcullis_wire::control::ControlMessage;
use portcullis_wire::control::link::{
    FaultSubject, LinkConnection, LinkConnections, LinkState, RouterLink, RouterLinks,
};
use serde_json::json;

fn connections(iteration: u32, port: u16) -> LinkConnections {
    LinkConnections {
        iteration,
        connections: vec![LinkConnection {
            kind: "link.default".to_owned(),
            local_address: format!("tcp:127.0.0.1:{port}"),
            remote_address: "tcp:127.0.0.1:28022".to_owned(),
        }],
    }
}

fn links(all: &[(&str, &str)], is_full: bool) -> ControlMessage {
    let all = all.iter().map(|(id, to)| RouterLink {
        id: (*id).to_owned(),
        destination: (*to).to_owned(),
        protocol: "tls".to_owned(),
        dial_address: "tls:127.0.0.1:28022".to_owned(),
        iteration: 1,
        connections: Some(connections(1, 41612)),
    });
    ControlMessage::RouterLinks(RouterLinks {
        links: all.collect(),
        is_full,
    })
}

#[tokio::test]
async fn links_are_told_of_from_their_dial_to_their_end() {
    let stage = Stage::start().await;
    let first = stage.connect("r1").await;
    let second = stage.connect("r2").await;
    let absent = stage.enroll("r3").await;
    let [r1, r2, r3] = [&first.id, &second.id, &absent.id];
    stage.events.want("link", &json!({}));

    let named = |kind: &str, id: &str| {
        format!(
            r#"{{"namespace":"link","event_src_id":"ctrl-1","timestamp":"T","event_type":"{kind}","link_id":"{id}"}}"#
        )
    };
    let at_port = |port: u16| {
        format!(
            r#""connections":[{{"id":"link.default","local_addr":"tcp:127.0.0.1:{port}","remote_addr":"tcp:127.0.0.1:28022"}}]"#
        )
    };
    let described = |kind: &str, id: &str, to: &str, port: u16| {
        let connections = at_port(port);
        format!(
            r#"{{"namespace":"link","event_src_id":"ctrl-1","timestamp":"T","event_type":"{kind}","link_id":"{id}","src_router_id":"{r1}","dst_router_id":"{to}","protocol":"tls","dial_address":"tls:127.0.0.1:28022","cost":1,{connections}}}"#
        )
    };

    first.send(&links(&[("l1", r2), ("l2", r3)], true));
    first.send(&links(&[("l1", r2)], false));
    first.send(&ControlMessage::LinkState(LinkState {
        link_id: "l1".to_owned(),
        link_iteration: 1,
        connections: Some(connections(2, 7)),
    }));
    second.settle().await;
    first.settle().await;
    second.send(&fault(FaultSubject::LinkDuplicate, "l1"));
    second.send(&fault(FaultSubject::Link, "l1"));
    second.settle().await;
    // The second one is not there any more.
    first.send(&links(&[], true));
    let told = all_timeless(&stage.events.next(7).await);
    let changed = named("connectionsChanged", "l1").replace('}', &format!(",{}}}", at_port(7)));
    let expected = [
        described("routerLinkNew", "l1", r2, 41612),
        named("routerLinkDisconnectedDest", "l2"),
        described("routerLinkNew", "l2", r3, 41612),
        described("routerLinkKnown", "l1", r2, 41612),
        changed,
        described("duplicate", "l1", r2, 7),
        named("fault", "l1"),
    ];
    assert_eq!(told, expected);
    let told = all_timeless(&stage.events.next(1).await);
    assert_eq!(told, [described("fault", "l2", r3, 41612)]);
    stage.stop().await;
}
