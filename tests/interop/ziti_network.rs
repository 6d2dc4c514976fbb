//! A network of OpenZiti's routers and tunnelers: connections from end to end, and what ends them.

use crate::overlay::echo::{EchoServer, exchange};
use crate::overlay::router::RouterProgram;
use crate::overlay::tunneler::{self, Proxy};
use crate::overlay::{self, Overlay};
use crate::ziti_cli::program;
use serde_json::json;
use std::io::Read as _;
use std::thread;
use std::time::{Duration, Instant};
use support::{Api, TestDirectory, Tool, tools};

/// How soon a connection has to end whose right has.
const CUT: Duration = Duration::from_secs(1);

#[test]
fn clients_reach_hosts_through_it_as_long_as_they_may() {
    let (Some(program), true) = (program(), tools::are_available(&[Tool::Curl])) else {
        return;
    };
    let site = TestDirectory::new();
    let controller = site.quickstart().start();
    let server = EchoServer::start();
    let mut overlay = Overlay::new(&site, &controller);
    let theirs = RouterProgram::OpenZiti(program.clone());
    let _routers = ["r1", "r2"].map(|name| overlay.router(name, &theirs));
    let configs = [
        overlay::host(server.port()),
        overlay::intercept("echo.ziti"),
    ];
    overlay.service("echo", &configs);
    overlay.allow("Bind", "host");
    overlay.allow("Dial", "client");
    let host = overlay.identity("host", "r1");
    let client = overlay.identity("client", "r2");
    let _host = tunneler::host(&site, &program, &host);
    let proxy = Proxy::start(&site, &program, &client, "echo");
    overlay.until_linked();

    // Megabytes both ways; the host answers once the client has closed its half.
    proxy.until_reachable();
    exchange(&proxy.connect(), 4 << 20).unwrap();
    let many: Vec<_> = (0..64)
        .map(|_| proxy.connect())
        .map(|connection| thread::spawn(move || exchange(&connection, 64 << 10)))
        .collect();
    for exchanged in many {
        exchanged.join().unwrap().unwrap();
    }

    // What is open survives the controller, and ends with its right after that.
    let mut open = proxy.open();
    let (url, ca, password) = (
        controller.url().to_owned(),
        controller.ca(),
        controller.password(),
    );
    controller.kill();
    let config = site.home().join("controller.yml");
    let controller = site.run(&config).at(&url).start();
    overlay.admin = Api::at(&url, &ca).log_in("admin", &password);
    overlay.until_linked();
    open.echo(b"after a restart");
    overlay.until_circuits(1);
    overlay.forbid("Dial");
    let forbidden = Instant::now();
    let mut rest = Vec::new();
    // An error says so as well.
    let _ = open.read_to_end(&mut rest);
    assert!(forbidden.elapsed() < CUT, "{:?}", forbidden.elapsed());

    overlay.allow("Dial", "client");
    proxy.until_reachable();
    let mut open = proxy.open();
    let client = overlay.id("identities", "client");
    overlay.admin.delete(&format!("/identities/{client}"));
    let deleted = Instant::now();
    let _ = open.read_to_end(&mut rest);
    assert!(deleted.elapsed() < CUT, "{:?}", deleted.elapsed());
    let terminators = overlay.admin.get("/terminators").data();
    assert_ne!(terminators, json!([]), "the host goes on");
    assert!(controller.terminate().success());
}
