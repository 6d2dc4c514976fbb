//! What an operator asks a running network with the command-line client of OpenZiti: inspections, validations and
//! streams, one test for each command. They share a network with a router of ours and one of theirs.

mod cut_router;
mod inspections;
mod reaper;
mod streams;
mod traces;
mod validations;

use crate::overlay::echo::{EchoServer, OpenConnection, exchange};
use crate::overlay::place::Place;
use crate::overlay::router::{Router, RouterProgram, with_edge, with_links};
use crate::overlay::tunneler::{self, Proxy};
use crate::overlay::{self, Overlay};
use crate::ziti_cli::{Ziti, program};
use reaper::Reaper;
use serde_json::json;
use std::ffi::OsString;
use std::process::Command;
use std::sync::LazyLock;
use std::time::Duration;
use support::{CommandOutput, Controller, Running, TestDirectory, Tool, tools, wait};

const PATIENCE: Duration = Duration::from_secs(30);

/// Routers tell at once what they measure.
const METRICS: &str = "metrics: {reportInterval: 1s, intervalAgeThreshold: 0s}\n";

/// A network in which a client at their router uses what is hosted at ours. Its circuits take the link.
struct Stage {
    ziti: Ziti<'static>,
    overlay: Overlay<'static>,
    /// Id of the controller.
    controller_id: String,
    /// Ids of the routers.
    ours: String,
    theirs: String,
    /// Id of the circuit that stays.
    circuit: String,
    proxy: Proxy,
    controller: &'static Controller,
    _open: OpenConnection,
    _programs: (Router, Router, Running),
    _reaper: Reaper,
}

/// The network of this process, if there is the client to ask it with.
fn stage() -> Option<&'static Stage> {
    static STAGE: LazyLock<Stage> = LazyLock::new(|| Stage::start(&found().expect("the program")));
    found().map(|_program| &*STAGE)
}

/// The client of OpenZiti, if there is all that these tests need.
fn found() -> Option<OsString> {
    program().filter(|_| tools::are_available(&[Tool::Curl]))
}

impl Stage {
    /// Nothing of it is ever dropped; its programs end with this process.
    fn start(program: &OsString) -> Self {
        let site: &'static TestDirectory = Box::leak(Box::new(TestDirectory::new()));
        let reaper = Reaper::start(site.folder());
        let controller: &'static Controller = Box::leak(Box::new(site.quickstart().start()));
        reaper.add(controller.process());
        let server = EchoServer::start();
        let overlay = Overlay::new(site, controller);
        let router = |name: &str, program: &RouterProgram| {
            let sections = [
                with_links(Place::LOOPBACK.address()),
                with_edge(Place::LOOPBACK.address(), ""),
                METRICS.to_owned(),
            ];
            let router = json!({"name": name, "roleAttributes": [name]});
            let program = (program, Place::LOOPBACK);
            let (id, router) =
                overlay.router_of(("edge-routers", &router), program, &sections.concat());
            reaper.add(router.process());
            (id, router)
        };
        let (ours, our_router) = router("r1", &RouterProgram::Ours);
        let (theirs, their_router) = router("r2", &RouterProgram::OpenZiti(program.clone()));
        let configs = [
            overlay::host(server.port()),
            overlay::intercept("echo.ziti"),
        ];
        overlay.service("echo", &configs);
        overlay.allow("Bind", "host");
        overlay.allow("Dial", "client");
        let host = overlay.identity("host", "r1");
        let client = overlay.identity("client", "r2");
        let host = tunneler::host(site, program, &host);
        reaper.add(host.process());
        let proxy = Proxy::start(site, program, &client, "echo");
        reaper.add(proxy.process());
        overlay.until_linked();
        proxy.until_reachable();
        // Those of the attempts are over, so the next one is that which stays.
        overlay.until_circuits(0);
        let open = proxy.open();
        overlay.until_circuits(1);
        let ziti = Ziti {
            program: program.clone(),
            site,
        };
        ziti.log_in(controller);
        Self {
            controller_id: controller_id(&overlay),
            circuit: only_circuit(&overlay),
            _open: open,
            ziti,
            overlay,
            ours,
            theirs,
            proxy,
            controller,
            _programs: (our_router, their_router, host),
            _reaper: reaper,
        }
    }

    /// A circuit that comes, carries something, and goes.
    fn use_service(&self) {
        exchange(&self.proxy.connect(), 64 << 10).unwrap();
    }
}

/// The id of the only circuit.
fn only_circuit(overlay: &Overlay<'_>) -> String {
    let circuits = overlay.admin.curl("/fabric/v1/circuits").send().data();
    let [circuit] = &circuits.as_array().unwrap()[..] else {
        panic!("{circuits}");
    };
    circuit["id"].as_str().unwrap().to_owned()
}

/// The id by which a controller is inspected.
fn controller_id(overlay: &Overlay<'_>) -> String {
    let body = json!({"appRegex": ".*", "requestedValues": ["connected-routers"]});
    let path = "/fabric/v1/inspections";
    let told = overlay.admin.curl(path).json("POST", &body).send().json();
    told["values"][0]["appId"].as_str().unwrap().to_owned()
}

impl Ziti<'_> {
    /// Runs a command of the fabric to its end.
    #[track_caller]
    fn fabric(&self, arguments: &[&str]) -> (CommandOutput, String) {
        let outcome = self.run_in("fabric", arguments);
        let said = outcome.stderr.clone() + &outcome.text();
        assert!(!said.contains("panic"), "{arguments:?}: {said}");
        (outcome, said)
    }

    /// What a question of the fabric is answered with.
    #[track_caller]
    fn asked(&self, arguments: &[&str]) -> String {
        let (outcome, said) = self.fabric(arguments);
        let _output = outcome.success();
        said
    }

    /// Runs a command of the fabric until the test ends it.
    fn follows(&self, name: &str, arguments: &[&str]) -> Running {
        let mut command = Command::new(&self.program);
        command
            .arg("fabric")
            .args(arguments)
            .env("ZITI_CONFIG_DIR", self.site.work());
        Running::start(self.site, name, command)
    }

    /// Runs a validation until what has just ended is known to nobody any more.
    fn agrees(&self, arguments: &[&str]) -> String {
        let validated = wait::until(PATIENCE, || {
            let (outcome, said) = self.fabric(&[&["validate"], arguments].concat());
            if outcome.code() == 0 {
                Ok(said)
            } else {
                Err(said)
            }
        });
        let told = validated.unwrap_or_else(|told| panic!("{arguments:?}: {told}"));
        assert!(told.contains("started validation of"), "{told}");
        told
    }
}
