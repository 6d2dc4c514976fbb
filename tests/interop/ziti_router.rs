//! Edge routers of OpenZiti that enroll: with files that either program wrote, on a host of their own
//! and on that of the controller; and routers of ours that run by files that its program wrote.

use crate::overlay::Overlay;
use crate::ziti_cli::{Ziti, program};
use std::fs;
use std::process::Command;
use support::controller::free_port;
use support::tools::are_available;
use support::{
    Api, CommandOutput, Controller, Openssl, Running, TestDirectory, Tool, binaries, command,
};

/// Makes the controller one that is reached from elsewhere.
const OVERLAY: &str = "\
ctrl:
  options:
    advertiseAddress: tls:ctrl.example.test:6262
";

const SHARED: &str = "\
edge:
  enrollment:
    sharedHosts: [ctrl.example.test]
";

/// Creates an edge router; answers its id.
fn create(ziti: &Ziti<'_>, controller: &Controller, name: &str) -> String {
    let token = format!("{name}.jwt");
    ziti.done(&["create", "edge-router", name, "--jwt-output-file", &token]);
    let routers = Api::admin(controller).get("/edge-routers").data();
    let mut routers = routers.as_array().unwrap().iter();
    let router = routers.find(|router| router["name"] == name).unwrap();
    router["id"].as_str().unwrap().to_owned()
}

/// Writes a router's file, as our users do.
fn generate(site: &TestDirectory, name: &str, host: &str) {
    let mut generate = Command::new(binaries::cli());
    let file = format!("{name}.yml");
    let about = ["--name", name, "--host", host, "--out", &file];
    let edge = ["router-config", "generate", "edge"];
    generate.args(edge).args(about).current_dir(site.work());
    command::run(&mut generate).success();
}

/// Writes a router's file, as OpenZiti's users do. It puts the name of the machine into the request, too.
fn generate_with_it(ziti: &Ziti<'_>, name: &str, kind: &[&str], variables: &[(&str, &str)]) {
    let work = ziti.site.work();
    let file = format!("{name}.yml");
    let mut generate = Command::new(&ziti.program);
    generate
        .args(["create", "config", "router"])
        .args(kind)
        .args(["-n", name, "-o", &file])
        .env("HOME", &work)
        .env("ZITI_HOME", &work)
        .envs(variables.iter().copied())
        .current_dir(&work);
    command::run(&mut generate).success();
}

fn enroll(ziti: &Ziti<'_>, name: &str) -> CommandOutput {
    let [file, token] = [format!("{name}.yml"), format!("{name}.jwt")];
    let enroll = ["enroll", &file, "--jwt", &token, "--keyAlg", "EC"];
    ziti.run_in("router", &enroll)
}

/// Checks the certificates that a router wrote.
fn check(site: &TestDirectory, openssl: &Openssl, (name, id): (&str, &str), host: &str) {
    for (file, usage) in [
        (format!("{name}.cert"), "TLS Web Client Authentication"),
        (
            format!("{name}.server.chain.cert"),
            "TLS Web Server Authentication",
        ),
    ] {
        let text = openssl.describe(&site.work().join(&file));
        let subjects = [format!("CN = {id}"), format!("CN={id}")];
        assert!(subjects.iter().any(|one| text.contains(one)), "{text}");
        assert!(text.contains(usage), "{file}: {text}");
        assert!(text.contains(&format!("DNS:{host}")), "{file}: {text}");
    }
    for file in ["key", "cas"] {
        let file = site.work().join(format!("{name}.{file}"));
        assert!(file.exists(), "{}", file.display());
    }
}

#[test]
fn edge_routers_enroll_with_it() {
    let (Some(program), true) = (program(), are_available(&[Tool::Openssl])) else {
        return;
    };
    let site = TestDirectory::new();
    let overlay = site.file("overlay.yml");
    fs::write(&overlay, OVERLAY).unwrap();
    let arguments = ["--config", overlay.to_str().unwrap()];
    let controller = site.quickstart().with(arguments).start();
    let url = controller.url().to_owned();
    let openssl = Openssl::new(site.work());
    let ziti = Ziti {
        program,
        site: &site,
    };
    ziti.log_in(&controller);

    let id = create(&ziti, &controller, "elsewhere");
    generate(&site, "elsewhere", "r1.example.test");
    let _ = enroll(&ziti, "elsewhere").success();
    check(&site, &openssl, ("elsewhere", &id), "r1.example.test");

    let id = create(&ziti, &controller, "own");
    let addresses = [
        ("ZITI_CTRL_ADVERTISED_ADDRESS", "ctrl.example.test"),
        ("ZITI_ROUTER_ADVERTISED_ADDRESS", "r2.example.test"),
    ];
    generate_with_it(&ziti, "own", &["edge"], &addresses);
    let _ = enroll(&ziti, "own").success();
    check(&site, &openssl, ("own", &id), "r2.example.test");

    // On the controller's host once the controller's file says so, with the same token.
    let id = create(&ziti, &controller, "beside");
    generate(&site, "beside", "ctrl.example.test");
    let refused = enroll(&ziti, "beside");
    assert!(!refused.status.success());
    let said = refused.stderr.clone() + &refused.text();
    assert!(said.contains("edge.enrollment.sharedHosts"), "{said}");
    assert!(controller.terminate().success());
    fs::write(&overlay, format!("{OVERLAY}{SHARED}")).unwrap();
    let controller = site.quickstart().at(&url).with(arguments).start();
    let _ = enroll(&ziti, "beside").success();
    check(&site, &openssl, ("beside", &id), "ctrl.example.test");

    let routers = Api::admin(&controller).get("/edge-routers").data();
    for router in routers.as_array().unwrap() {
        assert_eq!(router["isVerified"], true, "{router}");
    }
}

#[test]
fn files_that_it_generates_run_our_routers() {
    let Some(program) = program() else {
        return;
    };
    let site = TestDirectory::new();
    let controller = site.quickstart().start();
    let ziti = Ziti {
        program,
        site: &site,
    };
    ziti.log_in(&controller);
    let overlay = Overlay::new(&site, &controller);
    let (host, port) = controller.host_port().rsplit_once(':').unwrap();
    for (name, router, kind) in [
        ("e1", "edge-router", &["edge", "--tunnelerMode", "none"][..]),
        (
            "e2",
            "edge-router",
            &["edge", "--tunnelerMode", "none", "--wss"],
        ),
        (
            "e3",
            "edge-router",
            &["edge", "--tunnelerMode", "none", "--private"],
        ),
        ("f1", "transit-router", &["fabric"]),
    ] {
        let token = format!("{name}.jwt");
        ziti.done(&["create", router, name, "--jwt-output-file", &token]);
        let [edge, link] = [free_port(), free_port()].map(|port| port.to_string());
        let addresses = [
            ("ZITI_CTRL_ADVERTISED_ADDRESS", host),
            ("ZITI_CTRL_ADVERTISED_PORT", port),
            ("ZITI_ROUTER_ADVERTISED_ADDRESS", "localhost"),
            ("ZITI_ROUTER_PORT", edge.as_str()),
            ("ZITI_ROUTER_LISTENER_BIND_PORT", link.as_str()),
        ];
        generate_with_it(&ziti, name, kind, &addresses);

        let file = format!("{name}.yml");
        let ours = |arguments: &[&str]| {
            let mut command = Command::new(binaries::router());
            command.args(arguments).current_dir(site.work());
            command
        };
        command::run(&mut ours(&["enroll", &file, "--jwt", &token])).success();
        let running = Running::start(&site, name, ours(&["run", &file]));
        let kind = format!("{router}s");
        overlay.until_online(&kind, &overlay.id(&kind, name));
        running.terminate();
    }
}
