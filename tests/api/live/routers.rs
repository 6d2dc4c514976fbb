//! What of routers, terminators and identities is known at the moment.

use super::{Live, connection, ids};
use crate::support::{create, edit_entity};
use http::Method;
use portcullis_domain::clock::Timestamp;
use portcullis_domain::router::{NetworkInterface, Router, RouterVersion};
use portcullis_domain::view::RouterConnection;
use portcullis_storage::tables::UniqueIndex;
use serde_json::{Value, json};

#[tokio::test]
async fn a_router_is_online_while_it_is_connected() {
    let live = Live::start().await;
    let router = live.edge_router("r").await;
    let edge = format!("/edge-routers/{router}");
    let offline = live.read(&edge).await;
    assert_eq!(
        (&offline["isOnline"], &offline["syncStatus"]),
        (&json!(false), &json!("SYNC_UNKNOWN"))
    );
    live.network
        .set_router(&router, connection(Timestamp::UNIX_EPOCH));
    let online = live.read(&edge).await;
    for (member, value) in [
        ("isOnline", json!(true)),
        ("syncStatus", json!("SYNC_DONE")),
        ("hostname", json!("edge.example")),
        (
            "supportedProtocols",
            json!({"tls": "tls://edge.example:443"}),
        ),
        (
            "versionInfo",
            json!({
                "arch": "arm64", "buildDate": "", "os": "linux", "revision": "", "version": "v2.1.0",
            }),
        ),
    ] {
        assert_eq!(online[member], value, "{member}");
    }
    let transit = live.read(&format!("/transit-routers/{router}")).await;
    assert_eq!(transit["isOnline"], true);
    let fabric = live.look(&format!("/routers/{router}")).await.data();
    assert_eq!(fabric["connected"], true);
    assert_eq!(fabric["connectedAt"], "1970-01-01T00:00:00.000Z");
    assert_eq!(fabric.get("disconnectedAt"), None);
    assert_eq!(fabric["versionInfo"]["version"], "v2.1.0");
    assert_eq!(
        fabric["listenerAddresses"],
        json!([{"address": "tls:edge.example:6262", "protocol": "tls"}])
    );

    let lost = RouterConnection {
        disconnected_at: Some(Timestamp::UNIX_EPOCH),
        ..RouterConnection::default()
    };
    live.network.set_router(&router, lost);
    assert_eq!(live.read(&edge).await, offline);
    let fabric = live.look(&format!("/routers/{router}")).await.data();
    assert_eq!(fabric["connected"], false);
    assert_eq!(fabric.get("connectedAt"), None);
    assert_eq!(fabric["disconnectedAt"], "1970-01-01T00:00:00.000Z");
}

#[tokio::test]
async fn routers_are_found_by_whether_they_are_connected() {
    let live = Live::start().await;
    let mut routers = Vec::new();
    for name in ["a", "b", "c"] {
        routers.push(live.edge_router(name).await);
    }
    live.network
        .set_router(&routers[1], connection(Timestamp::UNIX_EPOCH));
    for (path, expected) in [
        ("/edge-routers?filter=connected%3Dtrue", "b"),
        ("/edge-routers?filter=online", "b"),
        ("/edge-routers?filter=online%20and%20name%3D%22a%22", ""),
        (
            "/edge-routers?filter=not%20online%20sort%20by%20name",
            "a c",
        ),
        ("/edge-routers?sort=connected%20desc,name", "b a c"),
        (
            "/transit-routers?filter=connected%3Dfalse%20sort%20by%20name",
            "a c",
        ),
    ] {
        let list = live.read(path).await;
        let names = list.as_array().unwrap().iter();
        let names: Vec<_> = names.map(|one| one["name"].as_str().unwrap()).collect();
        assert_eq!(names.join(" "), expected, "{path}");
    }
    let connected = live.ids("/routers?filter=connected%3Dtrue").await;
    assert_eq!(connected, [&*routers[1]]);
    let refused = live.controller.manage(
        Method::GET,
        "/edge-routers?filter=isOnline%3Dtrue",
        &live.admin,
    );
    assert_eq!(
        refused.send().await.error(),
        (400, "INVALID_FILTER".to_owned())
    );
}

#[tokio::test]
async fn advice_tells_which_routers_are_connected() {
    let live = Live::start().await;
    let router = live.edge_router("r").await;
    live.network
        .set_router(&router, connection(Timestamp::UNIX_EPOCH));
    let service = live.service("s").await;
    let identity = create(&live.controller, &live.admin, "laptop", json!({})).await;
    for (collection, roles) in [
        ("/edge-router-policies", "identityRoles"),
        ("/service-edge-router-policies", "serviceRoles"),
    ] {
        let body = json!({
            "name": "all", "semantic": "AnyOf", "edgeRouterRoles": ["#all"], roles: ["#all"],
        });
        live.manage(Method::POST, collection, body).await.id();
    }
    let path = format!("/identities/{identity}/policy-advice/{service}");
    let advice = live.read(&path).await;
    assert_eq!(advice["commonRouters"][0]["isOnline"], true);
}

#[tokio::test]
async fn terminators_have_the_cost_of_the_moment() {
    let live = Live::start().await;
    let (router, service) = (live.edge_router("r").await, live.service("s").await);
    let body = json!({
        "service": service, "router": router, "binding": "transport", "address": "tcp:a:1",
    });
    let terminator = live.manage(Method::POST, "/terminators", body).await.id();
    live.network.set_dynamic_cost(&terminator, 22);
    let shown = live.read(&format!("/terminators/{terminator}")).await;
    assert_eq!(
        (&shown["cost"], &shown["dynamicCost"]),
        (&json!(0), &json!(22))
    );
    for path in [
        "/terminators".to_owned(),
        format!("/services/{service}/terminators"),
        format!("/routers/{router}/terminators"),
    ] {
        let shown = live.look(&path).await.data();
        assert_eq!(shown[0]["dynamicCost"], 22, "{path}");
    }
}

#[tokio::test]
async fn identities_tell_whether_they_are_connected() {
    let live = Live::start().await;
    let (on, off) = (
        create(&live.controller, &live.admin, "on", json!({})).await,
        create(&live.controller, &live.admin, "off", json!({})).await,
    );
    live.network.set_identity_online(&on);
    for (id, status, has) in [(on, "online", true), (off, "offline", false)] {
        let identity = live.read(&format!("/identities/{id}")).await;
        assert_eq!(
            (
                &identity["edgeRouterConnectionStatus"],
                &identity["hasEdgeRouterConnection"]
            ),
            (&json!(status), &json!(has))
        );
    }
}

/// What a router has reported is kept while it is offline.
#[tokio::test]
async fn a_router_that_is_offline_has_what_it_reported() {
    let live = Live::start().await;
    let id = live.edge_router("r").await;
    edit_entity(
        &live.controller,
        UniqueIndex::RouterId,
        &id,
        |router: &mut Router| {
            let reported = &mut router.spec.reported;
            let version = RouterVersion {
                version: "v2.0.0".to_owned(),
                ..RouterVersion::default()
            };
            reported.set_software(version, 4_611_686_018_427_388_022);
            reported.set_interfaces(vec![NetworkInterface {
                name: "eth0".to_owned(),
                hardware_address: "00:11:22:33:44:55".to_owned(),
                mtu: 1500,
                index: 2,
                flags: 0b11_0011,
                addresses: vec!["192.0.2.1/24".to_owned()],
            }]);
        },
    )
    .await;
    let interfaces = json!([{
        "addresses": ["192.0.2.1/24"], "hardwareAddress": "00:11:22:33:44:55", "index": 2,
        "isBroadcast": true, "isLoopback": false, "isMulticast": true, "isRunning": true,
        "isUp": true, "mtu": 1500, "name": "eth0",
    }]);
    let edge = live.read(&format!("/edge-routers/{id}")).await;
    for (member, value) in [
        ("isOnline", json!(false)),
        ("interfaces", interfaces.clone()),
        (
            "capabilities",
            json!([
                "MULTI_CHANNEL",
                "CONNECT_V2",
                "SERVICE_SUBSCRIPTIONS",
                "POSTURE_CHECKS",
                "BIND_SUCCESS",
            ]),
        ),
        ("capabilitiesMask", json!(4_611_686_018_427_388_022_u64)),
    ] {
        assert_eq!(edge[member], value, "{member}");
    }
    assert_eq!(edge["versionInfo"]["version"], "v2.0.0");
    let fabric = live.look(&format!("/routers/{id}")).await.data();
    assert_eq!(fabric["interfaces"], interfaces);
    assert_eq!(fabric.get("versionInfo"), None::<&Value>);
    let transit = live.read("/transit-routers").await;
    assert_eq!(transit[0]["interfaces"], interfaces);
    assert_eq!(ids(&transit), [id]);
}
