//! Networks of our parts and those of OpenZiti: routers that link with each other's, at either's controller, and
//! programs of OpenZiti at their edges.
//!
//! `PORTCULLIS_TEST_ZITI` names the program `ziti`, `PORTCULLIS_TEST_GO_SDK` the one that `overlay/go_sdk.go` is
//! built to.

use crate::overlay::echo::{EchoServer, exchange};
use crate::overlay::place::Place;
use crate::overlay::router::{RouterProgram, with_edge, with_links_at};
use crate::overlay::sdk::{GoLogin, Sdk};
use crate::overlay::tunneler::{self, Proxy};
use crate::overlay::{self, Overlay, PATIENCE};
use crate::ziti_cli;
use serde_json::json;
use std::ffi::{OsStr, OsString};
use std::process::Command;
use std::thread;
use std::time::Duration;
use support::api::MANAGEMENT;
use support::controller::free_port;
use support::{Api, Running, TestDirectory, Tool, tools, wait};

const OURS: RouterProgram = RouterProgram::Ours;

fn theirs(program: &OsStr) -> RouterProgram {
    RouterProgram::OpenZiti(program.to_owned())
}

/// The program `ziti`, if there is all that these tests need.
fn ziti() -> Option<OsString> {
    ziti_cli::program().filter(|_| tools::are_available(&[Tool::Curl]))
}

#[test]
fn tunnelers_reach_each_other_through_our_routers() {
    if let Some(program) = ziti() {
        tunnel(&program, [OURS, OURS]);
    }
}

#[test]
fn our_router_dials_hosts_at_openzitis() {
    if let Some(program) = ziti() {
        tunnel(&program, [theirs(&program), OURS]);
    }
}

#[test]
fn openzitis_router_dials_hosts_at_ours() {
    if let Some(program) = ziti() {
        tunnel(&program, [OURS, theirs(&program)]);
    }
}

#[test]
fn tunnelers_reach_each_other_through_routers_of_openziti() {
    if let Some(program) = ziti() {
        tunnel(&program, [theirs(&program), theirs(&program)]);
    }
}

#[test]
fn our_routers_serve_openzitis_controller() {
    if let Some(program) = ziti() {
        serve_their_controller(&program, [OURS, OURS]);
    }
}

#[test]
fn our_router_and_openzitis_serve_its_controller() {
    if let Some(program) = ziti() {
        serve_their_controller(&program, [theirs(&program), OURS]);
    }
}

#[test]
fn openzitis_routers_serve_its_controller() {
    if let Some(program) = ziti() {
        serve_their_controller(&program, [theirs(&program), theirs(&program)]);
    }
}

#[test]
fn go_sdk_exchanges_megabytes_through_our_routers() {
    for login in [GoLogin::Legacy, GoLogin::Oidc] {
        if let Some(sdk) = Sdk::go(login) {
            exchange_by(&sdk, [OURS, OURS]);
        }
    }
}

#[test]
fn go_sdk_exchanges_megabytes_through_routers_of_openziti() {
    for login in [GoLogin::Legacy, GoLogin::Oidc] {
        if let (Some(sdk), Some(program)) = (Sdk::go(login), ziti()) {
            exchange_by(&sdk, [theirs(&program), theirs(&program)]);
        }
    }
}

#[test]
fn go_sdk_dials_what_it_hosts_over_one_channel() {
    for login in [GoLogin::Legacy, GoLogin::Oidc] {
        let Some(sdk) = Sdk::go(login).filter(|_| tools::are_available(&[Tool::Curl])) else {
            return;
        };
        let site = TestDirectory::new();
        let controller = site.quickstart().start();
        let overlay = Overlay::new(&site, &controller);
        overlay.service("echo", &[]);
        let _router = overlay.router("r1", &OURS);
        for right in ["Bind", "Dial"] {
            overlay.allow(right, "both");
        }
        let identity = overlay.identity("both", "r1");
        for flow in ["router", "sdk"] {
            sdk.exchange_with_itself(&site, &identity, ("echo", 8 << 20), flow);
            overlay.until_circuits(0);
        }
        assert!(controller.terminate().success());
    }
}

/// Each dials the other: there is a link for each direction, and none is dialed again and again.
#[test]
fn routers_whose_interfaces_have_other_names_keep_both_links() {
    let Some(program) = ziti() else {
        return;
    };
    let site = TestDirectory::new();
    let controller = site.quickstart().start();
    let overlay = Overlay::new(&site, &controller);
    let place = Place::LOOPBACK;
    let _routers = [(theirs(&program), "red"), (OURS, "blue")].map(|(program, interface)| {
        let record = json!({"name": interface, "roleAttributes": [interface]});
        let sections = [
            with_links_at(place.address(), interface),
            with_edge(place.address(), ""),
        ];
        let router = ("edge-routers", &record);
        overlay.router_of(router, (&program, place), &sections.concat())
    });
    let both = wait::until(PATIENCE, || {
        let links = overlay.links();
        (links.len() == 2).then_some(links).ok_or("not two links")
    });
    let both = both.unwrap();
    // One that is not wanted is closed after half a minute.
    let changed = wait::until(Duration::from_secs(40), || {
        let links = overlay.links();
        (links != both).then_some(links).ok_or("the same links")
    });
    assert!(changed.is_err(), "{both:?} became {changed:?}");
    assert!(controller.terminate().success());
}

/// Tunnelers of OpenZiti at our controller: the host at the first router, the client at the second.
fn tunnel(program: &OsStr, routers: [RouterProgram; 2]) {
    let site = TestDirectory::new();
    let controller = site.quickstart().start();
    pass_through(&Overlay::new(&site, &controller), program, routers);
    assert!(controller.terminate().success());
}

/// The same at OpenZiti's controller.
fn serve_their_controller(program: &OsStr, routers: [RouterProgram; 2]) {
    let site = TestDirectory::new();
    let (_running, admin, address) = their_controller(&site, program);
    pass_through(&Overlay::around(&site, admin, &address), program, routers);
}

fn pass_through(overlay: &Overlay<'_>, program: &OsStr, [first, second]: [RouterProgram; 2]) {
    let server = EchoServer::start();
    let configs = [
        overlay::host(server.port()),
        overlay::intercept("echo.ziti"),
    ];
    overlay.service("echo", &configs);
    let _routers = [overlay.router("r1", &first), overlay.router("r2", &second)];
    overlay.allow("Bind", "host");
    overlay.allow("Dial", "client");
    let (host, client) = (
        overlay.identity("host", "r1"),
        overlay.identity("client", "r2"),
    );
    overlay.until_linked();
    let _host = tunneler::host(overlay.site, program, &host);
    let proxy = Proxy::start(overlay.site, program, &client, "echo");
    proxy.until_reachable();
    // Megabytes both ways; the host answers once the client has closed its half.
    exchange(&proxy.connect(), 4 << 20).unwrap();
    let many: Vec<_> = (0..32)
        .map(|_| proxy.connect())
        .map(|connection| thread::spawn(move || exchange(&connection, 64 << 10)))
        .collect();
    for exchanged in many {
        exchanged.join().unwrap().unwrap();
    }
    let mut open = proxy.open();
    open.echo(b"still here");
    overlay.until_circuits(1);
    drop(open);
    overlay.until_circuits(0);
}

fn exchange_by(sdk: &Sdk, [first, second]: [RouterProgram; 2]) {
    if !tools::are_available(&[Tool::Curl]) {
        return;
    }
    let site = TestDirectory::new();
    let controller = site.quickstart().start();
    let overlay = Overlay::new(&site, &controller);
    overlay.service("echo", &[]);
    let _routers = [overlay.router("r1", &first), overlay.router("r2", &second)];
    overlay.allow("Bind", "host");
    overlay.allow("Dial", "client");
    let (host, client) = (
        overlay.identity("host", "r1"),
        overlay.identity("client", "r2"),
    );
    overlay.until_linked();
    let _host = sdk.host(&site, &host, "echo");
    overlay.until_hosted("echo");
    for bytes in [1, 8 << 20] {
        sdk.exchange(&site, (&client, Place::LOOPBACK), ("echo", bytes));
    }
    overlay.until_circuits(0);
    assert!(controller.terminate().success());
}

/// OpenZiti's controller with an administrator who is logged in, and its address.
fn their_controller(site: &TestDirectory, program: &OsStr) -> (Running, Api, String) {
    let (home, port) = (site.home(), free_port());
    let password = "overlay-password";
    let mut command = Command::new(program);
    command
        .args(["edge", "quickstart", "--no-router", "--home"])
        .arg(&home)
        .args(["--ctrl-address", "localhost", "--ctrl-port"])
        .arg(port.to_string())
        .args(["--username", "admin", "--password", password]);
    let running = Running::start(site, "their-controller", command);
    let address = format!("localhost:{port}");
    let authorities = home.join("pki/root-ca/certs/root-ca.cert");
    let api = Api::at(&format!("https://{address}"), &authorities);
    let path = format!("{MANAGEMENT}/authenticate?method=password");
    let credentials = json!({"username": "admin", "password": password});
    let is_ready = wait::until(PATIENCE, || {
        let request = api.curl(&path).json("POST", &credentials);
        let tried = request.argument("--fail").output();
        tried.status.success().then_some(()).ok_or(tried.stderr)
    });
    is_ready.unwrap();
    let admin = api.log_in("admin", password);
    (running, admin, address)
}
