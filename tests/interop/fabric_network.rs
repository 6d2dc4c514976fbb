//! Routers of ours without an edge.

use crate::overlay::echo::{EchoServer, exchange};
use crate::overlay::load::Load;
use crate::overlay::place::Place;
use crate::overlay::router::{Router, RouterProgram, with_edge, with_links};
use crate::overlay::{Overlay, PATIENCE};
use serde_json::json;
use std::net::TcpStream;
use support::controller::free_port;
use support::{TestDirectory, Tool, tools, wait};

const CSR: &str = "csr: {sans: {dns: [localhost], ip: [127.0.0.1]}}\n";

const OURS: (&RouterProgram, Place<'static>) = (&RouterProgram::Ours, Place::LOOPBACK);

/// A router without an edge beside a server, and one with a door to that.
pub(crate) struct Doors {
    core: (String, Router),
    door: (String, Router),
    /// Where programs without SDK get to the server.
    port: u16,
}

impl Doors {
    /// The identity of the router with the door may dial.
    fn open(overlay: &Overlay<'_>, server: &EchoServer) -> Self {
        Self::open_with(overlay, server, "")
    }

    /// With `further` sections in the files of both routers.
    pub(crate) fn open_with(overlay: &Overlay<'_>, server: &EchoServer, further: &str) -> Self {
        let service = json!({"name": "echo", "encryptionRequired": false});
        let service = overlay.create("services", &service);
        let links = with_links(Place::LOOPBACK.address());
        let fabric = json!({"name": "core"});
        let sections = format!("{links}{CSR}{further}");
        let core = overlay.router_of(("transit-routers", &fabric), OURS, &sections);
        overlay.create(
            "terminators",
            &json!({
                "service": service, "router": core.0, "binding": "transport",
                "address": format!("tcp:127.0.0.1:{}", server.port()),
            }),
        );
        let port = free_port();
        let listener =
            format!("  - {{binding: proxy, address: 'tcp:127.0.0.1:{port}', service: echo}}\n");
        let edge = json!({"name": "door", "isTunnelerEnabled": true});
        let sections = [
            with_links(Place::LOOPBACK.address()),
            with_edge(Place::LOOPBACK.address(), &listener),
            further.to_owned(),
        ];
        let door = overlay.router_of(("edge-routers", &edge), OURS, &sections.concat());
        overlay.create(
            "service-policies",
            &json!({
                "name": "door", "type": "Dial", "semantic": "AnyOf",
                "identityRoles": [format!("@{}", door.0)], "serviceRoles": ["#all"],
            }),
        );
        let doors = Self { core, door, port };
        doors.until_ready(overlay);
        overlay.until_link();
        doors.exchange();
        doors
    }

    fn until_ready(&self, overlay: &Overlay<'_>) {
        overlay.until_online("transit-routers", &self.core.0);
        overlay.until_online("edge-routers", &self.door.0);
    }

    pub(crate) fn connect(&self) -> std::io::Result<TcpStream> {
        TcpStream::connect(("127.0.0.1", self.port))
    }

    /// Exchanges bytes with the server, once it is reached.
    fn exchange(&self) {
        let exchanged = wait::until(PATIENCE, || exchange(&self.connect()?, 3 << 20));
        exchanged.unwrap();
    }

    pub(crate) fn close(self) {
        for (_, router) in [self.core, self.door] {
            router.terminate();
        }
    }
}

/// A program without SDK gets through a door of a router with an edge, over a link, to a server beside a router
/// that knows of no SDKs.
#[test]
fn router_without_an_edge_reaches_servers() {
    if !tools::are_available(&[Tool::Curl]) {
        return;
    }
    let site = TestDirectory::new();
    let controller = site.quickstart().start();
    let overlay = Overlay::new(&site, &controller);
    let server = EchoServer::start();
    let doors = Doors::open(&overlay, &server);
    overlay.until_circuits(0);
    let logged = doors.core.1.logged();
    assert!(logged.contains("there is no section `edge`"), "{logged}");
    doors.close();
    assert!(controller.terminate().success());
}

/// Streams do not need the controller, and routers are there again soon after it is.
#[test]
fn controller_is_killed_under_traffic() {
    if !tools::are_available(&[Tool::Curl]) {
        return;
    }
    let site = TestDirectory::new();
    let controller = site.quickstart().start();
    let overlay = Overlay::new(&site, &controller);
    let server = EchoServer::start();
    let doors = Doors::open(&overlay, &server);
    let load = Load::start(doors.connect().unwrap());
    load.until_moved(4 << 20);
    controller.kill();
    load.until_moved(16 << 20);
    let controller = site.quickstart().start();
    doors.until_ready(&overlay);
    load.until_moved(4 << 20);
    doors.exchange();
    load.finish();
    overlay.until_circuits(0);
    doors.close();
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
