//! Three routers of ours, of which two are linked directly and by the third one: circuits take the way that the
//! controller chooses, and another one when that is gone.
//!
//! ```text
//! client - door of A -- line -- C - server
//!                   \          /
//!                    `--- B --'
//! ```

use crate::overlay::echo::{EchoServer, OpenConnection};
use crate::overlay::line::Line;
use crate::overlay::load::Load;
use crate::overlay::place::Place;
use crate::overlay::router::{Router, RouterProgram, with_edge};
use crate::overlay::{Overlay, PATIENCE};
use serde_json::{Value, json};
use std::io::Read as _;
use std::net::{Ipv4Addr, TcpStream};
use support::controller::free_port;
use support::{Controller, TestDirectory, Tool, tools, wait};

/// What has to pass before and after something happens.
const MUCH: usize = 8 << 20;

/// The service that clients at the door of A reach.
const SERVICE: &str = "echo";

/// Routers that dial servers, and keep the latencies of links what they are taken to be at first, so that only
/// costs differ.
const SECTIONS: &str = "dialers: [{binding: transport}]\nmetrics: {reportInterval: 1h}\n";

#[test]
fn circuit_goes_on_over_other_links_when_its_own_dies_under_load() {
    let Some(site) = site() else { return };
    let triangle = Triangle::start(&site);
    triangle.terminator("c", &EchoServer::start(), &json!({}));
    let load = Load::start(triangle.connect());
    load.until_moved(MUCH);
    assert_eq!(triangle.ways(), [["a", "c"]]);
    triangle.line.cut();
    load.until_moved(MUCH);
    assert_eq!(triangle.ways(), [["a", "b", "c"]]);
    load.finish();
    triangle.overlay.until_circuits(0);
}

#[test]
fn costs_of_links_and_routers_tell_the_way() {
    let Some(site) = site() else { return };
    let triangle = Triangle::start(&site);
    triangle.terminator("c", &EchoServer::start(), &json!({}));
    assert_eq!(triangle.way(), ["a", "c"]);
    let direct = triangle.link("a", "c");
    triangle.patch(
        &format!("links/{direct}"),
        &json!({"staticCost": 1_000_000}),
    );
    assert_eq!(triangle.way(), ["a", "b", "c"]);
    let b = triangle.overlay.id("edge-routers", "b");
    triangle.patch_router(&b, &json!({"cost": 65_535}));
    triangle.patch(&format!("links/{direct}"), &json!({"staticCost": 150_000}));
    assert_eq!(triangle.way(), ["a", "c"]);
    triangle.patch_router(&b, &json!({"cost": 0}));
    assert_eq!(triangle.way(), ["a", "b", "c"]);

    triangle.patch_router(&b, &json!({"noTraversal": true}));
    assert_eq!(triangle.way(), ["a", "c"]);
    triangle.patch(&format!("links/{direct}"), &json!({"down": true}));
    triangle.is_refused();
    // It may still be an end.
    triangle.terminator("b", &EchoServer::start(), &json!({}));
    assert_eq!(triangle.way(), ["a", "b"]);
}

#[test]
fn precedence_and_cost_of_terminators_tell_where_a_circuit_ends() {
    let Some(site) = site() else { return };
    let triangle = Triangle::start(&site);
    let server = EchoServer::start();
    let at_c = triangle.terminator("c", &server, &json!({}));
    let at_b = triangle.terminator("b", &server, &json!({"cost": 100}));
    assert_eq!(triangle.way(), ["a", "c"]);
    let change = |terminator: &str, change: &Value| {
        triangle
            .overlay
            .admin
            .send("PATCH", &format!("/terminators/{terminator}"), change)
            .expect_status(200);
    };
    change(&at_c, &json!({"cost": 65_535}));
    assert_eq!(triangle.way(), ["a", "b"]);
    change(&at_c, &json!({"precedence": "required"}));
    assert_eq!(triangle.way(), ["a", "c"]);
    change(&at_c, &json!({"precedence": "failed"}));
    assert_eq!(triangle.way(), ["a", "b"]);
    change(&at_b, &json!({"precedence": "failed"}));
    assert_eq!(
        triangle.way(),
        ["a", "b"],
        "what has failed is better than nothing"
    );
}

#[test]
fn what_is_taken_away_ends_at_once() {
    let Some(site) = site() else { return };
    let triangle = Triangle::start(&site);
    triangle.terminator("c", &EchoServer::start(), &json!({}));
    let overlay = &triangle.overlay;

    // A circuit that an administrator deletes.
    let connection = triangle.open();
    let circuits = triangle.fabric("circuits");
    let id = circuits[0]["id"].as_str().unwrap();
    let path = format!("/fabric/v1/circuits/{id}");
    let deleting = overlay.admin.curl(&path).json("DELETE", &json!({}));
    deleting.send().expect_status(200);
    ends(connection);

    // A router on its way that is removed.
    triangle.line.cut();
    triangle.until("two links", |links| links.len() == 2);
    let connection = triangle.open_over(&["a", "b", "c"]);
    let b = overlay.id("edge-routers", "b");
    overlay.admin.delete(&format!("/edge-routers/{b}")).data();
    ends(connection);
    overlay.until_circuits(0);
    triangle.until("no links with a router that is gone", <[Value]>::is_empty);
}

#[test]
fn circuits_end_when_the_router_of_their_end_is_disabled() {
    let Some(site) = site() else { return };
    let triangle = Triangle::start(&site);
    triangle.terminator("c", &EchoServer::start(), &json!({}));
    let connection = triangle.open();
    let c = triangle.overlay.id("edge-routers", "c");
    triangle.patch_router(&c, &json!({"disabled": true}));
    ends(connection);
    triangle.is_refused();
    triangle.patch_router(&c, &json!({"disabled": false}));
    triangle.open_over(&["a", "c"]);
}

/// A folder, if there is all that these tests need.
fn site() -> Option<TestDirectory> {
    tools::are_available(&[Tool::Curl]).then(TestDirectory::new)
}

/// The other side closes a connection soon.
fn ends(mut connection: OpenConnection) {
    let read = connection.read(&mut [0]);
    assert!(matches!(read, Ok(0)) || is_reset(&read), "{read:?}");
}

fn is_reset(read: &std::io::Result<usize>) -> bool {
    let kind = read.as_ref().err().map(std::io::Error::kind);
    kind == Some(std::io::ErrorKind::ConnectionReset)
}

struct Triangle<'s> {
    overlay: Overlay<'s>,
    line: Line,
    /// Port of A that leads to the service.
    door: u16,
    _routers: [Router; 3],
    _controller: Controller,
}

impl<'s> Triangle<'s> {
    fn start(site: &'s TestDirectory) -> Self {
        let controller = site.quickstart().start();
        let overlay = Overlay::new(site, &controller);
        overlay.plain_service(SERVICE);
        let (door, port) = (free_port(), free_port());
        let line = Line::to(port);
        let begin = "link:\n  dialers: [{binding: transport, groups: [ab, ac]}]\n".to_owned();
        let middle = format!(
            "link:\n  dialers: [{{binding: transport, groups: [bc]}}]\n  listeners:\n{}",
            listener(free_port(), None, "ab")
        );
        let end = format!(
            "link:\n  listeners:\n{}{}",
            listener(port, Some(line.port()), "ac"),
            listener(free_port(), None, "bc")
        );
        let proxy = format!(
            "  - {{binding: proxy, address: 'tcp:127.0.0.1:{door}', service: {SERVICE}}}\n"
        );
        let run = |name: &str, links: String, listeners: &str| {
            let router = json!({"name": name, "isTunnelerEnabled": true});
            let edge = with_edge(Ipv4Addr::LOCALHOST, listeners);
            let sections = [SECTIONS, &links, &edge].concat();
            let program = (&RouterProgram::Ours, Place::LOOPBACK);
            let (_id, router) = overlay.router_of(("edge-routers", &router), program, &sections);
            router
        };
        let routers = [
            run("a", begin, &proxy),
            run("b", middle, ""),
            run("c", end, ""),
        ];
        let triangle = Self {
            overlay,
            line,
            door,
            _routers: routers,
            _controller: controller,
        };
        triangle.until("three links", |links| links.len() == 3);
        triangle
    }

    /// Lets a router lead to a server.
    fn terminator(&self, router: &str, server: &EchoServer, more: &Value) -> String {
        let mut terminator = json!({
            "service": self.overlay.id("services", SERVICE),
            "router": self.overlay.id("edge-routers", router),
            "binding": "transport",
            "address": format!("tcp:127.0.0.1:{}", server.port()),
        });
        let members = terminator.as_object_mut().unwrap();
        members.extend(more.as_object().unwrap().clone());
        self.overlay.create("terminators", &terminator)
    }

    fn connect(&self) -> TcpStream {
        TcpStream::connect(("127.0.0.1", self.door)).unwrap()
    }

    fn open(&self) -> OpenConnection {
        OpenConnection::new(self.connect())
    }

    /// Opens a connection, once the controller knows this way to be the best.
    fn open_over(&self, way: &[&str]) -> OpenConnection {
        let opened = wait::until(PATIENCE, || {
            let connection = OpenConnection::try_new(self.connect()).map_err(|_| Vec::new())?;
            let ways = self.ways();
            if ways == [way] {
                Ok(connection)
            } else {
                Err(ways)
            }
        });
        opened.unwrap_or_else(|ways| panic!("{ways:?}"))
    }

    /// A connection is closed before anything comes back.
    fn is_refused(&self) {
        let refused = OpenConnection::try_new(self.connect());
        assert!(refused.is_err(), "{:?}", self.ways());
    }

    /// The routers that a new circuit passes.
    fn way(&self) -> Vec<String> {
        let connection = self.open();
        let way = self.ways().pop().unwrap();
        drop(connection);
        self.overlay.until_circuits(0);
        way
    }

    /// The routers that circuits pass.
    fn ways(&self) -> Vec<Vec<String>> {
        let circuits = self.fabric("circuits").into_iter();
        let ways = circuits.map(|circuit| {
            let nodes = circuit["path"]["nodes"].as_array().unwrap().iter();
            let names = nodes.map(|node| node["name"].as_str().unwrap().to_owned());
            names.collect()
        });
        ways.collect()
    }

    /// The id of the link from one router to another.
    fn link(&self, from: &str, to: &str) -> String {
        let links = self.fabric("links");
        let ends = |link: &&Value| {
            link["sourceRouter"]["name"] == from && link["destRouter"]["name"] == to
        };
        let found = links.iter().find(ends).unwrap();
        found["id"].as_str().unwrap().to_owned()
    }

    fn fabric(&self, kind: &str) -> Vec<Value> {
        let all = self.overlay.admin.curl(&format!("/fabric/v1/{kind}"));
        all.send().data().as_array().unwrap().clone()
    }

    fn patch(&self, path: &str, change: &Value) {
        let patching = self.overlay.admin.curl(&format!("/fabric/v1/{path}"));
        patching.json("PATCH", change).send().expect_status(200);
    }

    fn patch_router(&self, id: &str, change: &Value) {
        let patching = self
            .overlay
            .admin
            .send("PATCH", &format!("/edge-routers/{id}"), change);
        patching.expect_status(200);
    }

    fn until(&self, what: &str, condition: impl Fn(&[Value]) -> bool) {
        let seen = wait::until(PATIENCE, || {
            let links = self.fabric("links");
            if condition(&links) {
                Ok(())
            } else {
                Err(links)
            }
        });
        seen.unwrap_or_else(|links| panic!("{what}: {links:#?}"));
    }
}

/// A listener for links at a port, which others may have to dial at another one.
fn listener(port: u16, dialed: Option<u16>, group: &str) -> String {
    let dialed = dialed.unwrap_or(port);
    format!(
        "    - {{binding: transport, bind: 'tls:127.0.0.1:{port}', \
         advertise: 'tls:127.0.0.1:{dialed}', groups: [{group}]}}\n"
    )
}
