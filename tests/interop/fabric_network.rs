//! Routers of ours without an edge.

use crate::overlay::echo::{EchoServer, exchange};
use crate::overlay::place::Place;
use crate::overlay::router::{RouterProgram, with_edge, with_links};
use crate::overlay::{Overlay, PATIENCE};
use serde_json::json;
use std::net::TcpStream;
use support::controller::free_port;
use support::{TestDirectory, Tool, tools, wait};

const CSR: &str = "csr: {sans: {dns: [localhost], ip: [127.0.0.1]}}\n";

const OURS: (&RouterProgram, Place<'static>) = (&RouterProgram::Ours, Place::LOOPBACK);

/// A program without SDK gets through a door of a router with an edge, whose identity may dial, over a link, to
/// a server beside a router that knows of no SDKs.
#[test]
fn router_without_an_edge_reaches_servers() {
    if !tools::are_available(&[Tool::Curl]) {
        return;
    }
    let site = TestDirectory::new();
    let controller = site.quickstart().start();
    let overlay = Overlay::new(&site, &controller);
    let server = EchoServer::start();
    let service = json!({"name": "echo", "encryptionRequired": false});
    let service = overlay.create("services", &service);
    let links = with_links(Place::LOOPBACK.address());

    let fabric = json!({"name": "core"});
    let sections = format!("{links}{CSR}");
    let (core, core_router) = overlay.router_of(("transit-routers", &fabric), OURS, &sections);
    overlay.create(
        "terminators",
        &json!({
            "service": service, "router": core, "binding": "transport",
            "address": format!("tcp:127.0.0.1:{}", server.port()),
        }),
    );

    let door = free_port();
    let listener =
        format!("  - {{binding: proxy, address: 'tcp:127.0.0.1:{door}', service: echo}}\n");
    let edge = json!({"name": "door", "isTunnelerEnabled": true});
    let sections = [
        with_links(Place::LOOPBACK.address()),
        with_edge(Place::LOOPBACK.address(), &listener),
    ];
    let (door_id, door_router) =
        overlay.router_of(("edge-routers", &edge), OURS, &sections.concat());
    overlay.create(
        "service-policies",
        &json!({
            "name": "door", "type": "Dial", "semantic": "AnyOf",
            "identityRoles": [format!("@{door_id}")], "serviceRoles": ["#all"],
        }),
    );
    overlay.until_online("transit-routers", &core);
    overlay.until_link();
    let exchanged = wait::until(PATIENCE, || {
        let connection = TcpStream::connect(("127.0.0.1", door))?;
        exchange(&connection, 3 << 20)
    });
    exchanged.unwrap();
    overlay.until_circuits(0);
    assert!(
        core_router.logged().contains("there is no section `edge`"),
        "{}",
        core_router.logged()
    );
    for router in [core_router, door_router] {
        router.terminate();
    }
    assert!(controller.terminate().success());
}

/// It says what it has not, and which section would bring it.
#[test]
fn router_with_the_least_file_runs() {
    if !tools::are_available(&[Tool::Curl]) {
        return;
    }
    let site = TestDirectory::new();
    let controller = site.quickstart().start();
    let overlay = Overlay::new(&site, &controller);
    let least = json!({"name": "least"});
    let (id, router) = overlay.router_of(("transit-routers", &least), OURS, CSR);
    overlay.until_online("transit-routers", &id);
    let logged = router.logged();
    for section in ["edge", "link"] {
        let said = format!("there is no section `{section}`");
        assert!(logged.contains(&said), "{said}: {logged}");
    }
    router.terminate();
    assert!(controller.terminate().success());
}
