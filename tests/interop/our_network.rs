//! A controller and two routers of ours, with a link between them, and the C SDK at their edges: hosts at one
//! router, clients at the other.
//!
//! The same with routers of OpenZiti, where there are any, shows what is the SDK's own doing.

use crate::overlay::place::Place;
use crate::overlay::router::{Router, RouterProgram};
use crate::overlay::sdk::{EXCHANGE_TIMEOUT, Sdk};
use crate::overlay::{self, Overlay};
use crate::{own, ziti_cli};
use portcullis_bad_line::{self as bad_line, BadLine, Quality};
use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};
use support::{Api, Running, TestDirectory, Tool, tools, wheel};

/// What goes there and back.
const MEGABYTES: usize = 8 << 20;

/// A round trip takes 50 ms, but for every fourth packet, which overtakes those that wait.
const BAD: Quality = Quality {
    delay: Duration::from_millis(25),
    loss: 1,
    reorder: 25,
};

#[test]
fn c_sdk_exchanges_megabytes_through_two_routers() {
    if let Some(python) = python() {
        exchange(&python, &RouterProgram::Ours);
    }
}

#[test]
fn c_sdk_exchanges_megabytes_through_two_routers_of_openziti() {
    if let (Some(python), Some(ziti)) = (python(), ziti_cli::program()) {
        exchange(&python, &RouterProgram::OpenZiti(ziti));
    }
}

#[test]
fn python_serves_and_fetches_pages_through_two_routers() {
    if let Some(python) = python() {
        fetch(&python, &RouterProgram::Ours);
    }
}

#[test]
fn python_serves_and_fetches_pages_through_two_routers_of_openziti() {
    if let (Some(python), Some(ziti)) = (python(), ziti_cli::program()) {
        fetch(&python, &RouterProgram::OpenZiti(ziti));
    }
}

#[test]
fn c_sdk_exchanges_megabytes_over_a_bad_link() {
    if let Some(python) = python() {
        exchange_over_bad_link(&python, &RouterProgram::Ours);
    }
}

#[test]
fn c_sdk_exchanges_megabytes_over_a_bad_link_of_openziti() {
    if let (Some(python), Some(ziti)) = (python(), ziti_cli::program()) {
        exchange_over_bad_link(&python, &RouterProgram::OpenZiti(ziti));
    }
}

fn python() -> Option<PathBuf> {
    tools::are_available(&[Tool::Curl])
        .then(wheel::python)
        .flatten()
}

fn exchange(python: &Path, program: &RouterProgram) {
    let site = TestDirectory::new();
    // The SDK knows RS256 as the only signature of tokens.
    let controller = site.quickstart().with(["--key-type", "rsa2048"]).start();
    let overlay = Overlay::new(&site, &controller);
    overlay.service("echo", &[overlay::intercept("echo.test")]);
    let ([first, second], [host, client]) = network(&overlay, program);
    let sdk = Sdk::C(python.into());
    let _host = sdk.host(&site, &host, "echo");
    overlay.until_hosted("echo");
    let exchange = |bytes| sdk.exchange(&site, (&client, Place::LOOPBACK), ("echo", bytes));
    for bytes in [1, MEGABYTES, 100_000] {
        exchange(bytes);
    }
    overlay.until_circuits(0);
    // A router that was killed is there again as soon as it runs again.
    let second = second.restart(&site, program);
    overlay.until_linked();
    exchange(MEGABYTES);
    for router in [first, second] {
        router.terminate();
    }
    assert!(controller.terminate().success());
}

fn fetch(python: &Path, program: &RouterProgram) {
    let site = TestDirectory::new();
    let controller = site.quickstart().with(["--key-type", "rsa2048"]).start();
    let overlay = Overlay::new(&site, &controller);
    overlay.service("page", &[overlay::intercept("page.test")]);
    let (_routers, [host, client]) = network(&overlay, program);
    let script = |name: &str, identity: &Path, argument: &str| {
        let mut command = Command::new(python);
        command
            .arg(own(&format!("overlay/{name}.py")))
            .args([identity.as_os_str(), OsStr::new(argument)]);
        Running::start(&site, name, command).with_timeout(EXCHANGE_TIMEOUT)
    };
    let mut server = script("page_server", &host, "page");
    server.until_logged("listening");
    overlay.until_hosted("page");
    let mut fetching = script("page_client", &client, "http://page.test/");
    fetching.until_logged("fetched 3000000 bytes");
    fetching.until_done();
    assert!(controller.terminate().success());
}

/// The second router and its client are behind a line that delays, loses and reorders packets.
fn exchange_over_bad_link(python: &Path, program: &RouterProgram) {
    let line = match BadLine::start(BAD) {
        Ok(line) => line,
        Err(problem) => {
            assert!(
                !(tools::are_required() && bad_line::is_allowed()),
                "{problem}"
            );
            println!("skipped: {problem}");
            return;
        },
    };
    let site = TestDirectory::new();
    let near = BadLine::NEAR;
    let shared = site.file("shared.yml");
    let hosts = format!("edge:\n  enrollment:\n    sharedHosts: ['{near}']\n");
    fs::write(&shared, hosts).unwrap();
    let controller = site
        .quickstart()
        .with([
            "--key-type",
            "rsa2048",
            "--config",
            shared.to_str().unwrap(),
        ])
        .with(["--ctrl-address", &near.to_string()])
        .start();
    let port = controller.url().rsplit(':').next().unwrap();
    let address = format!("{near}:{port}");
    let overlay = Overlay::around(&site, Api::admin(&controller), &address);
    overlay.service("echo", &[overlay::intercept("echo.test")]);
    let _routers = [
        overlay.router_at(Place::Here(near), "r1", program),
        overlay.router_at(Place::Behind(&line), "r2", program),
    ];
    let [host, client] = people(&overlay);
    let sdk = Sdk::C(python.into());
    let _host = sdk.host(&site, &host, "echo");
    overlay.until_hosted("echo");
    let began = Instant::now();
    sdk.exchange(&site, (&client, Place::Behind(&line)), ("echo", 2 << 20));
    println!("2 MiB went there and back in {:.1?}", began.elapsed());
    overlay.until_circuits(0);
    assert!(controller.terminate().success());
}

/// Two routers that are linked, an identity that may bind at the first, and one that may dial at the second.
fn network(overlay: &Overlay<'_>, program: &RouterProgram) -> ([Router; 2], [PathBuf; 2]) {
    let routers = ["r1", "r2"].map(|name| overlay.router(name, program));
    let people = people(overlay);
    (routers, people)
}

/// The host and the client, once their routers are linked.
fn people(overlay: &Overlay<'_>) -> [PathBuf; 2] {
    overlay.allow("Bind", "host");
    overlay.allow("Dial", "client");
    let people = [("host", "r1"), ("client", "r2")];
    let people = people.map(|(name, router)| overlay.identity(name, router));
    overlay.until_linked();
    people
}
