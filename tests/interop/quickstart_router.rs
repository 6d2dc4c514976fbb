//! `quickstart --router`: a network in one line.

use crate::overlay::place::Place;
use crate::overlay::sdk::Sdk;
use crate::overlay::{self, Overlay};
use serde_json::{Value, json};
use std::fs;
use std::process::Command;
use std::time::Duration;
use support::{Api, Controller, TestDirectory, Tool, tools, wait, wheel};

/// Time for the router to be online.
const PATIENCE: Duration = Duration::from_secs(30);

#[test]
fn router_beside_the_controller_outlives_restarts() {
    if !tools::are_available(&[Tool::Curl]) {
        return;
    }
    let site = TestDirectory::new();
    let with_router = ["--router", "--router-port", "0"];
    let controller = site.quickstart().with(with_router).start();
    let router = online(&controller);
    let shown = wait::until(PATIENCE, || {
        let shown = controller.printed();
        shown.contains("Router ").then_some(shown).ok_or(())
    });
    assert!(shown.unwrap().contains("  Router         localhost:"));
    let admin = Api::admin(&controller);
    for kind in ["edge-router-policies", "service-edge-router-policies"] {
        let policies = admin.get(&format!("/{kind}")).data();
        assert_eq!(
            policies[0]["edgeRouterRoles"],
            json!(["#all"]),
            "{policies}"
        );
    }
    assert!(controller.terminate().success());

    // A home that has a router keeps it.
    let controller = site.quickstart().start();
    assert_eq!(online(&controller)["id"], router["id"]);
    assert!(controller.terminate().success());

    // Without its certificate it enrolls again.
    fs::remove_file(site.home().join("router/router.cert")).unwrap();
    let controller = site.quickstart().with(["--router"]).start();
    let again = online(&controller);
    assert_eq!(again["id"], router["id"]);
    assert_ne!(again["fingerprint"], router["fingerprint"]);
    assert!(controller.terminate().success());
}

/// A service is dialed through the router that comes with the controller.
#[test]
fn sdk_hosts_and_another_one_dials_at_the_router() {
    if !tools::are_available(&[Tool::Curl]) {
        return;
    }
    let Some(python) = wheel::python() else {
        return;
    };
    let site = TestDirectory::new();
    // The SDK knows RS256 as the only signature of tokens.
    let options = ["--router", "--router-port", "0", "--key-type", "rsa2048"];
    let controller = site.quickstart().with(options).start();
    online(&controller);
    let overlay = Overlay::with_policies(&site, &controller);
    overlay.service("echo", &[overlay::intercept("echo.test")]);
    overlay.allow("Bind", "host");
    overlay.allow("Dial", "client");
    let [host, client] = ["host", "client"].map(|name| overlay.identity(name, "none"));
    let sdk = Sdk::C(python.into());
    let _host = sdk.host(&site, &host, "echo");
    overlay.until_hosted("echo");
    sdk.exchange(&site, (&client, Place::LOOPBACK), ("echo", 1_000_000));
    assert!(controller.terminate().success());
}

/// The file of the router names the files of a home from the root on.
#[test]
fn router_of_a_copied_home_has_its_own_files() {
    if !tools::are_available(&[Tool::Curl]) {
        return;
    }
    let (site, other) = (TestDirectory::new(), TestDirectory::new());
    let with_router = ["--router", "--router-port", "0"];
    let controller = site.quickstart().with(with_router).start();
    let router = online(&controller);
    assert!(controller.terminate().success());
    let copied = Command::new("cp")
        .arg("-a")
        .args([site.home(), other.home()])
        .status();
    assert!(copied.unwrap().success());
    fs::remove_dir_all(site.home()).unwrap();

    let controller = other.quickstart().start();
    assert_eq!(online(&controller)["id"], router["id"]);
    assert!(controller.terminate().success());
    let file = fs::read_to_string(other.home().join("router/router.yml")).unwrap();
    assert!(!file.contains(&site.home().display().to_string()), "{file}");
    assert!(!site.home().exists());
}

#[test]
fn no_router_is_made_unasked() {
    if !tools::are_available(&[Tool::Curl]) {
        return;
    }
    let site = TestDirectory::new();
    let controller = site.quickstart().start();
    let routers = Api::admin(&controller).get("/edge-routers").data();
    assert_eq!(routers, json!([]));
    assert!(!site.home().join("router").exists());
}

/// The router, once it is online.
fn online(controller: &Controller) -> Value {
    let admin = Api::admin(controller);
    let online = wait::until(PATIENCE, || {
        let routers = admin.get("/edge-routers").data();
        let router = routers[0].clone();
        let is_online = router["isOnline"] == json!(true);
        is_online.then_some(router).ok_or(routers)
    });
    online.unwrap()
}
