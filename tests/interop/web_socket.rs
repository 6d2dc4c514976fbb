//! SDKs in browsers, by a WebSocket of a router.

use crate::overlay::Overlay;
use crate::overlay::place::Place;
use crate::overlay::router::{RouterProgram, with_edge};
use crate::own;
use serde_json::json;
use std::process::Command;
use support::controller::free_port;
use support::{TestDirectory, Tool, run, tools};

/// What the Python of the test has to have.
const MODULE: &str = "websockets";

/// By the client of another project, with TLS of another one within its messages.
#[test]
fn sdk_gets_in_through_a_web_socket() {
    if !tools::are_available(&[Tool::Curl]) {
        return;
    }
    let Some(python) = tools::python_with(MODULE) else {
        assert!(
            !tools::are_required(),
            "no Python with the package {MODULE} is installed"
        );
        println!("skipped: no Python with the package {MODULE} is installed");
        return;
    };
    let site = TestDirectory::new();
    let controller = site.quickstart().start();
    let overlay = Overlay::new(&site, &controller);
    let port = free_port();
    let listener = format!(
        "  - binding: edge\n    address: wss:127.0.0.1:{port}\n    options: {{advertise: \
         'localhost:{port}'}}\n"
    );
    let place = Place::LOOPBACK;
    let router = json!({"name": "web", "roleAttributes": ["web"]});
    let sections = with_edge(place.address(), &listener);
    let program = (&RouterProgram::Ours, place);
    let (id, router) = overlay.router_of(("edge-routers", &router), program, &sections);
    overlay.until_online("edge-routers", &id);
    let identity = overlay.identity("browser", "web");
    let mut sdk = Command::new(python);
    sdk.arg(own("web_socket_sdk.py"))
        .arg(&identity)
        .arg(port.to_string());
    let said = run(&mut sdk).success().stdout;
    assert_eq!(said, b"let in\n");
    router.terminate();
    assert!(controller.terminate().success());
}
