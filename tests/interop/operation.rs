//! Looking after a router of ours: orders of its operator, and controllers that are away or none of its network.

use crate::overlay::Overlay;
use crate::overlay::echo::EchoServer;
use crate::overlay::place::Place;
use crate::overlay::router::{Router, RouterProgram, with_edge};
use serde_json::{Value, json};
use std::fs;
use std::net::Ipv4Addr;
use std::process::Command;
use support::controller::free_port;
use support::{CommandOutput, TestDirectory, Tool, binaries, run, tools};

#[test]
fn operator_quiesces_renews_and_decommissions_a_router() {
    let Some(site) = site() else { return };
    let controller = site.quickstart().start();
    let overlay = Overlay::new(&site, &controller);
    let (id, router) = run_router(&overlay, "");
    overlay.plain_service("echo");
    let terminator = json!({
        "service": overlay.id("services", "echo"),
        "router": id,
        "binding": "transport",
        "address": format!("tcp:127.0.0.1:{}", EchoServer::start().port()),
    });
    let terminator = overlay.create("terminators", &terminator);
    let precedence = || shown(&overlay, &format!("terminators/{terminator}"), "precedence");
    assert_eq!(
        order(&router, &["quiesce"]).success().text(),
        "router quiesced\n"
    );
    assert_eq!(precedence(), "failed");
    assert_eq!(
        order(&router, &["dequiesce"]).success().text(),
        "router dequiesced\n"
    );
    assert_eq!(precedence(), "default");

    let path = format!("edge-routers/{id}");
    let before = shown(&overlay, &path, "fingerprint");
    let renewed = order(&router, &["renew"]).success().text();
    assert_eq!(renewed, "the router has new certificates\n");
    assert_ne!(shown(&overlay, &path, "fingerprint"), before);

    order(&router, &["decommission"]).expect_code(2);
    let gone = order(&router, &["decommission", "--yes"]).success().text();
    assert_eq!(gone, "router decommissioned\n");
    assert_eq!(overlay.admin.get("/edge-routers").data(), json!([]));
    let config = router.config().to_owned();
    router.until_ended();
    let mut late = Command::new(binaries::router());
    let late = run(late.arg("quiesce").arg(&config)).expect_code(1);
    assert!(late.stderr.contains("no router"), "{}", late.stderr);
    assert!(controller.terminate().success());
}

#[test]
fn controllers_that_are_away_or_of_another_network_keep_nobody_from_the_others() {
    let Some(site) = site() else { return };
    let (own, other) = (site.quickstart().start(), TestDirectory::new());
    let stranger = other.quickstart().start();
    let overlay = Overlay::new(&site, &own);
    let places = [
        format!("127.0.0.1:{}", free_port()),
        stranger.host_port().to_owned(),
        own.host_port().to_owned(),
    ];
    // Of two equal keys, the last one counts.
    let places = places.map(|place| format!("'tls:{place}'")).join(", ");
    let (id, mut router) = run_router(&overlay, &format!("ctrl: {{endpoints: [{places}]}}\n"));
    router.until_logged("addresses of controllers written to the endpoints file");
    let endpoints = fs::read_to_string(site.file("endpoints.yml")).unwrap();
    assert!(endpoints.contains(own.host_port()), "{endpoints}");
    assert!(!endpoints.contains(stranger.host_port()), "{endpoints}");
    // It lives by that list from now on.
    let router = router.restart(&site, &RouterProgram::Ours);
    overlay.until_online("edge-routers", &id);
    router.terminate();
    for controller in [own, stranger] {
        assert!(controller.terminate().success());
    }
}

fn site() -> Option<TestDirectory> {
    tools::are_available(&[Tool::Curl]).then(TestDirectory::new)
}

/// Runs an edge router with these sections, until it is online. Answers its id as well.
fn run_router(overlay: &Overlay<'_>, sections: &str) -> (String, Router) {
    let edge = with_edge(Ipv4Addr::LOCALHOST, "");
    let sections = ["dialers: [{binding: transport}]\n", sections, &edge].concat();
    let router = json!({"name": "r1"});
    let program = (&RouterProgram::Ours, Place::LOOPBACK);
    let (id, router) = overlay.router_of(("edge-routers", &router), program, &sections);
    overlay.until_online("edge-routers", &id);
    (id, router)
}

/// Runs a command for a router that runs.
fn order(router: &Router, words: &[&str]) -> CommandOutput {
    let mut command = Command::new(binaries::router());
    command.arg(words[0]).arg(router.config()).args(&words[1..]);
    run(&mut command)
}

fn shown(overlay: &Overlay<'_>, path: &str, member: &str) -> String {
    let entity: Value = overlay.admin.get(&format!("/{path}")).data();
    entity[member].as_str().unwrap().to_owned()
}
