//! What a router says of its health to those who watch it.

use crate::overlay::Overlay;
use crate::overlay::place::Place;
use crate::overlay::router::{RouterProgram, with_edge, with_health};
use serde_json::{Value, json};
use std::net::Ipv4Addr;
use std::path::PathBuf;
use std::time::Duration;
use support::controller::free_port;
use support::{Controller, Curl, Reply, TestDirectory, Tool, tools, wait};

/// Time for a check to notice a change.
const PATIENCE: Duration = Duration::from_secs(30);

/// Checks run often enough for a test.
const CHECKS: &str = "ctrlPingCheck: {initialDelay: 100ms, interval: 100ms, timeout: 5s}";

/// Where a router tells of its health.
struct Watched {
    url: String,
    authorities: PathBuf,
}

impl Watched {
    fn new(controller: &Controller, port: u16) -> Self {
        Self {
            url: format!("https://localhost:{port}"),
            authorities: controller.ca(),
        }
    }

    fn ask(&self, target: &str) -> Reply {
        Curl::new(&format!("{}{target}", self.url), &self.authorities).send()
    }

    /// Waits until a probe by status is answered with this one.
    fn until_status(&self, status: u16) {
        let answered = wait::until(PATIENCE, || {
            let reply = self.ask("/health-checks?status=code");
            (reply.status == status).then_some(()).ok_or(reply)
        });
        answered.unwrap_or_else(|reply| panic!("not {status}: {reply:?}"));
    }

    /// What is said of everything, and of each check. The status is 200 in any case.
    fn health(&self) -> [Value; 3] {
        let document = self.ask("/health-checks").expect_status(200).data();
        let checks = document["checks"].as_array().unwrap();
        let check = |id: &str| checks.iter().find(|check| check["id"] == id).unwrap();
        [
            document["healthy"].clone(),
            check("controllerPing").clone(),
            check("link.health").clone(),
        ]
    }
}

#[test]
fn router_is_healthy_as_long_as_it_has_a_controller() {
    if !tools::are_available(&[Tool::Curl]) {
        return;
    }
    let site = TestDirectory::new();
    let controller = site.quickstart().start();
    let overlay = Overlay::new(&site, &controller);
    let port = free_port();
    let sections = [
        with_edge(Ipv4Addr::LOCALHOST, ""),
        with_health(port, CHECKS),
    ];
    let program = (&RouterProgram::Ours, Place::LOOPBACK);
    let made = ("edge-routers", &json!({"name": "r1"}));
    let (id, router) = overlay.router_of(made, program, &sections.concat());
    overlay.until_online("edge-routers", &id);
    let watched = Watched::new(&controller, port);
    watched.until_status(200);
    let [healthy, ping, links] = watched.health();
    assert_eq!([&healthy, &ping["healthy"], &links["healthy"]], [true; 3]);
    assert_eq!(ping["consecutiveFailures"], Value::Null, "{ping}");

    controller.kill();
    watched.until_status(503);
    let [healthy, ping, links] = watched.health();
    let expected = [false, false, true];
    assert_eq!([&healthy, &ping["healthy"], &links["healthy"]], expected);
    assert!(ping["consecutiveFailures"].as_u64() >= Some(1), "{ping}");
    assert!(ping["failingSince"].is_string(), "{ping}");
    assert!(ping["err"].is_object(), "{ping}");
    let probed = watched.ask("/?type=short").expect_status(200).data();
    let told = json!({"id": "controllerPing", "healthy": false});
    assert!(probed["checks"].as_array().unwrap().contains(&told));

    let controller = site.quickstart().start();
    watched.until_status(200);
    router.terminate();
    assert!(controller.terminate().success());
}

#[test]
fn router_that_needs_links_is_not_healthy_without_any() {
    if !tools::are_available(&[Tool::Curl]) {
        return;
    }
    let site = TestDirectory::new();
    let controller = site.quickstart().start();
    let overlay = Overlay::new(&site, &controller);
    let port = free_port();
    let checks =
        format!("{CHECKS}, linkCheck: {{initialDelay: 100ms, interval: 100ms, minLinks: 1}}");
    let sections = [
        with_edge(Ipv4Addr::LOCALHOST, ""),
        with_health(port, &checks),
    ];
    let program = (&RouterProgram::Ours, Place::LOOPBACK);
    let made = ("edge-routers", &json!({"name": "r1"}));
    let (id, router) = overlay.router_of(made, program, &sections.concat());
    overlay.until_online("edge-routers", &id);
    let watched = Watched::new(&controller, port);
    let seen = wait::until(PATIENCE, || {
        let [healthy, ping, links] = watched.health();
        let told = [&healthy, &ping["healthy"], &links["healthy"]];
        (told == [false, true, false]).then_some(()).ok_or(links)
    });
    seen.unwrap_or_else(|links| panic!("{links}"));
    watched.until_status(503);
    router.terminate();
    assert!(controller.terminate().success());
}
