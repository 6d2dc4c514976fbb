//! Routers made of the project's own parts, over sockets and TLS.

use portcullis_channel::CloseReason;
use portcullis_channel::group::DialFailure;
use portcullis_simulated_router::{
    Refused, RouterEnrollment, RouterIdentity, RouterOptions, SimulatedRouter, TlsConnector,
};
use portcullis_testkit::tls_client::{Client, say, soon};
use serde_json::{Value, json};
use std::net::{SocketAddr, ToSocketAddrs as _};
use std::time::Duration;
use support::tools::are_available;
use support::{Api, TestDirectory, Tool};
use tokio::time::sleep;

/// The address of a controller that serves everything on one port.
fn address(controller: &support::Controller) -> SocketAddr {
    let mut found = controller.host_port().to_socket_addrs().unwrap();
    found.find(SocketAddr::is_ipv4).unwrap()
}

async fn enrolled(admin: &Api, name: &str, address: SocketAddr) -> RouterIdentity {
    let created = admin.send("POST", "/edge-routers", &json!({"name": name}));
    let id = created.expect_status(201).data()["id"].clone();
    let id = id.as_str().unwrap();
    let router = admin.get(&format!("/edge-routers/{id}")).data();
    let token = router["enrollmentToken"].as_str().unwrap();
    let enrollment = RouterEnrollment::new(id);
    let body = enrollment.request().to_string();
    let request = format!(
        "POST {} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n\
         Content-Length: {}\r\n\r\n{body}",
        RouterEnrollment::path(token),
        body.len()
    );
    let mut stream = Client::anonymous().connect(address).await;
    let reply = say(&mut stream, request.as_bytes()).await;
    assert_eq!(reply.status, 200, "{}", reply.text());
    let reply: Value = serde_json::from_str(reply.text()).unwrap();
    enrollment.finish(&reply["data"])
}

async fn connect(
    address: SocketAddr,
    identity: &RouterIdentity,
    options: RouterOptions,
) -> Result<SimulatedRouter, Refused> {
    let connector = TlsConnector::new(address, identity);
    SimulatedRouter::connect(connector, &identity.id, options).await
}

fn is_online(admin: &Api, id: &str) -> bool {
    admin.get(&format!("/edge-routers/{id}")).data()["isOnline"] == Value::Bool(true)
}

async fn until_online(admin: &Api, id: &str, expected: bool) {
    soon(async {
        while is_online(admin, id) != expected {
            sleep(Duration::from_millis(20)).await;
        }
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn router_comes_online_and_outlives_its_controller() {
    if !are_available(&[Tool::Curl]) {
        return;
    }
    let site = TestDirectory::new();
    let controller = site.quickstart().start();
    let (admin, address) = (Api::admin(&controller), address(&controller));
    let identity = enrolled(&admin, "r1", address).await;
    assert!(!is_online(&admin, &identity.id));

    let options = RouterOptions::default().with_two_connections();
    let router = connect(address, &identity, options).await.unwrap();
    assert!(controller.printed().contains("Routers"));
    router.has_connections(2).await;
    until_online(&admin, &identity.id, true).await;

    // The same port again: its connections are gone, and it founds its group anew.
    assert!(controller.terminate().success());
    router.has_connections(0).await;
    let controller = site.quickstart().start();
    let admin = Api::admin(&controller);
    until_online(&admin, &identity.id, true).await;
    assert_eq!(router.channel.close_reason(), None);
    drop(router);
    until_online(&admin, &identity.id, false).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn strangers_are_told_that_they_are_refused() {
    if !are_available(&[Tool::Curl]) {
        return;
    }
    let site = TestDirectory::new();
    let controller = site.quickstart().start();
    let (admin, address) = (Api::admin(&controller), address(&controller));
    let identity = enrolled(&admin, "r1", address).await;
    let other = enrolled(&admin, "r2", address).await;
    let liar = identity.posing_as(&other.id);
    let refused = connect(address, &liar, RouterOptions::default()).await;
    assert_eq!(refused.unwrap_err().failure, DialFailure::Rejected);

    let router = connect(address, &identity, RouterOptions::default())
        .await
        .unwrap();
    let path = format!("/edge-routers/{}", identity.id);
    admin.delete(&path).expect_status(200);
    router.has_connections(0).await;
    assert_ne!(router.channel.close_reason(), Some(CloseReason::Requested));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_hundred_routers_live_in_one_process() {
    if !are_available(&[Tool::Curl]) {
        return;
    }
    let site = TestDirectory::new();
    let controller = site.quickstart().start();
    let (admin, address) = (Api::admin(&controller), address(&controller));
    let identity = enrolled(&admin, "r0", address).await;
    // All of them are the same to TLS; only the first is known to the controller.
    let mut connecting = tokio::task::JoinSet::new();
    for number in 0..100 {
        let stranger = identity.posing_as(&format!("stranger-{number}"));
        connecting
            .spawn(async move { connect(address, &stranger, RouterOptions::default()).await });
    }
    let known = connect(address, &identity, RouterOptions::default())
        .await
        .unwrap();
    while let Some(refused) = connecting.join_next().await {
        assert_eq!(refused.unwrap().unwrap_err().failure, DialFailure::Rejected);
    }
    assert_eq!(known.channel.connections(), 1);
}
