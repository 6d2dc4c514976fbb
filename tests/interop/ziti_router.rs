//! Edge routers of OpenZiti that enroll: with files that either program wrote, on a host of their own
//! and on that of the controller.

use crate::ziti_cli::{Ziti, program};
use std::ffi::OsStr;
use std::fs;
use std::process::Command;
use support::tools::are_available;
use support::{Api, CommandOutput, Controller, Openssl, TestDirectory, Tool, binaries, command};

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

    // Its own generator puts the name of the machine into the request, too.
    let id = create(&ziti, &controller, "own");
    let mut generator = Command::new(&ziti.program);
    let address = [
        ("HOME", site.work().into_os_string()),
        ("ZITI_HOME", site.work().into_os_string()),
        ("ZITI_CTRL_ADVERTISED_ADDRESS", "ctrl.example.test".into()),
        ("ZITI_ROUTER_ADVERTISED_ADDRESS", "r2.example.test".into()),
    ];
    let file = ["-n", "own", "-o", "own.yml"].map(OsStr::new);
    generator
        .args(["create", "config", "router", "edge"])
        .args(file)
        .envs(address)
        .current_dir(site.work());
    command::run(&mut generator).success();
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
