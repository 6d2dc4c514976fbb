//! A network of OpenZiti's routers and tunnelers: connections from end to end, and what ends them.

mod echo;
mod parts;

use crate::ziti_cli::{Ziti, program};
use echo::{EchoServer, exchange};
use parts::Network;
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
    let ziti = Ziti {
        program,
        site: &site,
    };
    let server = EchoServer::start();
    let network = Network::start(&ziti, &controller, server.port());
    parts::until_linked(&Api::admin(&controller));

    // Megabytes both ways; the host answers once the client has closed its half.
    network.until_reachable();
    exchange(&network.connect(), 4 << 20).unwrap();
    let many: Vec<_> = (0..64)
        .map(|_| network.connect())
        .map(|connection| thread::spawn(move || exchange(&connection, 64 << 10)))
        .collect();
    for exchanged in many {
        exchanged.join().unwrap().unwrap();
    }

    // What is open survives the controller, and ends with its right after that.
    let mut open = network.open();
    let (url, ca, password) = (
        controller.url().to_owned(),
        controller.ca(),
        controller.password(),
    );
    controller.kill();
    let config = site.home().join("controller.yml");
    let controller = site.run(&config).at(&url).start();
    let admin = Api::at(&url, &ca).log_in("admin", &password);
    parts::until_linked(&admin);
    open.echo(b"after a restart");
    parts::until_circuits(&admin, 1);
    parts::forbid_dialing(&admin);
    let forbidden = Instant::now();
    let mut rest = Vec::new();
    // An error says so as well.
    let _ = open.read_to_end(&mut rest);
    assert!(forbidden.elapsed() < CUT, "{:?}", forbidden.elapsed());

    parts::allow_dialing(&admin);
    network.until_reachable();
    let mut open = network.open();
    let client = parts::client_id(&admin);
    admin.delete(&format!("/identities/{client}"));
    let deleted = Instant::now();
    let _ = open.read_to_end(&mut rest);
    assert!(deleted.elapsed() < CUT, "{:?}", deleted.elapsed());
    let terminators = admin.get("/terminators").data();
    assert_ne!(terminators, json!([]), "the host goes on");
    assert!(controller.terminate().success());
}
