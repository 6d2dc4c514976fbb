//! What an operator asks a running network with the command-line client of OpenZiti: inspections, validations and
//! streams, each command once, with a router of ours and one of theirs.

use crate::overlay::echo::{EchoServer, exchange};
use crate::overlay::router::RouterProgram;
use crate::overlay::tunneler::{self, Proxy};
use crate::overlay::{self, Overlay};
use crate::ziti_cli::{Ziti, program};
use serde_json::Value;
use std::process::Command;
use std::time::Duration;
use support::{Running, TestDirectory, wait};

const PATIENCE: Duration = Duration::from_secs(30);

impl Ziti<'_> {
    /// What a question of the fabric is answered with.
    #[track_caller]
    fn asked(&self, arguments: &[&str]) -> String {
        let outcome = self.run_in("fabric", arguments).success();
        let said = outcome.stderr.clone() + &outcome.text();
        assert!(!said.contains("panic"), "{arguments:?}: {said}");
        said
    }

    /// Runs a command of the fabric until the test ends it.
    fn follows(&self, name: &str, arguments: &[&str]) -> Running {
        let mut command = Command::new(&self.program);
        command
            .arg("fabric")
            .args(arguments)
            .current_dir(self.site.work())
            .env("HOME", self.site.work())
            .env("ZITI_CONFIG_DIR", self.site.work());
        Running::start(self.site, name, command)
    }

    /// Asks for values as JSON, by the id of who has them.
    #[track_caller]
    fn inspected(&self, arguments: &[&str]) -> String {
        self.asked(&[&["inspect"], arguments, &["--format", "json"]].concat())
    }
}

#[test]
fn a_network_is_looked_into_with_it() {
    let Some(program) = program() else {
        return;
    };
    let site = TestDirectory::new();
    let controller = site.quickstart().start();
    let server = EchoServer::start();
    let overlay = Overlay::new(&site, &controller);
    let theirs = RouterProgram::OpenZiti(program.clone());
    let _ours = overlay.router("r1", &RouterProgram::Ours);
    let _theirs = overlay.router("r2", &theirs);
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
    proxy.until_reachable();
    let ziti = Ziti {
        program,
        site: &site,
    };
    ziti.log_in(&controller);
    let events = ziti.follows("events", &["stream", "events", "--all"]);
    let traces = ziti.follows("traces", &["stream", "traces"]);
    let open = proxy.open();

    let [ours, theirs] = ["r1", "r2"].map(|name| overlay.id("edge-routers", name));
    inspections(&ziti, (&ours, &theirs), &overlay);
    validations(&ziti);
    traced(&ziti, &traces, (&ours, &theirs));
    exchange(&proxy.connect(), 64 << 10).unwrap();
    streamed(&events);
    drop(open);
}

fn inspections(ziti: &Ziti<'_>, (ours, theirs): (&str, &str), overlay: &Overlay<'_>) {
    let of_routers = [
        "links",
        "router-circuits",
        "router-controllers",
        "router-data-model-index",
        "router-edge-circuits",
        "router-sdk-circuits",
        "ert-terminators",
        "sdk-terminators",
        "config",
        "metrics",
        "stackdump",
        "identity-connection-statuses",
        "router-data-model",
    ];
    for name in of_routers {
        let told = ziti.inspected(&[name]);
        for router in [ours, theirs] {
            assert!(told.contains(&format!("{router}.{name}")), "{name}: {told}");
        }
    }
    let of_controllers = [
        "config",
        "connected-routers",
        "data-model-index",
        "identity-connection-statuses",
        "metrics",
        "router-data-model",
        "router-data-model-index",
        "router-messaging",
        "stackdump",
        "terminator-costs",
    ];
    let told = ziti.inspected(&["connected-routers"]);
    let controller = told.split(".connected-routers").next().unwrap();
    let controller = controller.split_whitespace().last().unwrap();
    for name in of_controllers {
        let told = ziti.inspected(&[name, &format!("^{controller}$")]);
        assert!(
            told.contains(&format!("{controller}.{name}")),
            "{name}: {told}"
        );
    }
    // What only a cluster has, and a controller that dials routers.
    for name in [
        "cluster-config",
        "connected-peers",
        "ctrl-dialer",
        "ctrl-peer-dialer",
    ] {
        let told = ziti.inspected(&[name]);
        assert!(!told.contains(name), "{name}: {told}");
    }
    let told = ziti.inspected(&["router-config-registry"]);
    assert!(told.contains(theirs), "{told}");
    let circuits: Value = overlay.admin.curl("/fabric/v1/circuits").send().data();
    let circuit = circuits[0]["id"].as_str().unwrap();
    let told = ziti.asked(&["inspect", "circuit", circuit]);
    assert!(told.contains(ours) && told.contains(theirs), "{told}");
    let host = overlay.id("identities", "host");
    let told = ziti.asked(&["inspect", "sdk", ours, &host]);
    assert!(told.contains("virtualConns"), "{told}");
}

fn validations(ziti: &Ziti<'_>) {
    for kind in [
        "circuits",
        "identity-connection-statuses",
        "router-data-model",
        "router-ert-terminators",
        "router-links",
        "router-sdk-terminators",
        "terminators",
    ] {
        // What has just ended is still known to some for a while.
        let validated = wait::until(PATIENCE, || {
            let outcome = ziti.run_in("fabric", &["validate", kind]);
            let said = outcome.stderr.clone() + &outcome.text();
            if outcome.code() == 0 {
                Ok(said)
            } else {
                Err(said)
            }
        });
        let told = validated.unwrap_or_else(|told| panic!("{kind}: {told}"));
        assert!(told.contains("started validation of"), "{kind}: {told}");
    }
    let refused = ziti.run_in("fabric", &["validate", "controller-dialers"]);
    assert_ne!(refused.code(), 0, "{}", refused.text());
}

fn traced(ziti: &Ziti<'_>, traces: &Running, (ours, theirs): (&str, &str)) {
    let told = ziti.asked(&["stream", "traces", "toggle", "pipe", "on", ".*", ".*"]);
    for answer in [
        format!("App {ours} matched? true"),
        format!("Link {theirs}.ctrl/"),
    ] {
        assert!(told.contains(&answer), "{told}");
    }
    // Each line begins with the time and who has seen the message.
    let is_traced = wait::until(PATIENCE, || {
        let logged = traces.logged();
        let has_seen = |router| logged.contains(&format!(": {router}"));
        if has_seen(ours) && has_seen(theirs) {
            Ok(())
        } else {
            Err(logged)
        }
    });
    is_traced.unwrap();
    ziti.asked(&["stream", "traces", "toggle", "pipe", "off", ".*", ".*"]);
}

fn streamed(events: &Running) {
    let heard = wait::until(PATIENCE, || {
        let logged = events.logged();
        let has_both = ["\"circuit\"", "\"connect\""]
            .iter()
            .all(|kind| logged.contains(kind));
        if has_both { Ok(()) } else { Err(logged) }
    });
    heard.unwrap();
}
