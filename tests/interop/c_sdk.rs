//! The C SDK of 2022 at the controller, without routers.
//!
//! It knows nothing of OpenID Connect, and takes no notice of a controller that offers it. It knows RS256 as the
//! only signature of tokens, so it needs a controller with an RSA leaf.

use crate::foreign_pki;
use serde_json::{Value, json};
use std::fs::{self, File};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;
use support::tools::are_available;
use support::{Api, TestDirectory, Tool, TotpProgram, run, wait, wheel};

const ENROLL: &str = "\
import openziti
open('laptop.json', 'w').write(openziti.enroll('laptop.jwt'))
";

/// In a network without services this call waits for the first one, so the test looks at the log
/// and then ends the process.
const LOAD: &str = "\
import openziti
openziti.load('laptop.json')
";

/// What the SDK logs on its way, in any order.
const MILESTONES: [&str; 5] = [
    "completed POST[/authenticate?method=cert]",
    "logged in successfully",
    "completed GET[/current-identity]",
    "completed paging request GET[/current-identity/edge-routers]",
    "completed paging request GET[/services]",
];

#[test]
fn c_sdk_enrolls_and_loads() {
    if !are_available(&[Tool::Curl, Tool::Openssl, Tool::Python]) {
        return;
    }
    let Some(python) = wheel::python() else {
        return;
    };

    let site = TestDirectory::new();
    let controller = site.quickstart().with(["--key-type", "rsa2048"]).start();
    let admin = Api::admin(&controller);
    check(&python, &site, &admin);
    see_services(&python, &site, &admin);
    ask_for_a_code(&python, &site, &admin);

    let site = TestDirectory::new();
    let controller = foreign_pki::start(&site);
    let api = Api::at(controller.url(), &foreign_pki::authorities(&site));
    check(&python, &site, &api.log_in("admin", foreign_pki::PASSWORD));
}

fn check(python: &Path, site: &TestDirectory, admin: &Api) {
    let identity = admin.create_identity("laptop", &json!({"ott": true}));
    let jwt = identity["enrollment"]["ott"]["jwt"].as_str().unwrap();
    fs::write(site.file("laptop.jwt"), jwt).unwrap();
    let _ = run(sdk(python, site).args(["-c", ENROLL])).success();

    let log = load(python, site, &MILESTONES);
    assert!(!log.contains(" ERROR "), "{log}");
}

/// The SDK lists what policies let the identity use, understands all that is said of it, and hands it to
/// its application.
fn see_services(python: &Path, site: &TestDirectory, admin: &Api) {
    let data = json!({
        "protocols": ["tcp"], "addresses": ["echo.example.test"],
        "portRanges": [{"low": 7, "high": 7}],
    });
    let config = json!({"name": "echo", "configTypeId": "g7cIWbcGg", "data": data});
    let config = admin.send("POST", "/configs", &config).data()["id"].clone();
    for (name, configs) in [("echo", json!([config])), ("hidden", json!([]))] {
        let service = json!({
            "name": name, "encryptionRequired": true, "configs": configs, "roleAttributes": [name],
        });
        let _ = admin.send("POST", "/services", &service).expect_status(201);
    }
    for kind in ["Dial", "Bind"] {
        let policy = json!({
            "name": kind, "type": kind, "semantic": "AnyOf", "identityRoles": ["#all"],
            "serviceRoles": ["#echo"],
        });
        let _ = admin
            .send("POST", "/service-policies", &policy)
            .expect_status(201);
    }
    // Of two services it sees the one that it may use; it logs no names.
    let seen = [
        "received 1/1 for paging request GET[/services]",
        "sending service event 1 added, 0 removed, 0 changed",
    ];
    let log = load(python, site, &seen);
    assert!(!log.contains(" ERROR "), "{log}");
}

/// The SDK understands that a code is asked for. What the package offers of it has no way to give
/// one, so there it stops.
fn ask_for_a_code(python: &Path, site: &TestDirectory, admin: &Api) {
    let identity = fs::read_to_string(site.file("laptop.json")).unwrap();
    let identity: Value = serde_json::from_str(&identity).unwrap();
    let [chain, key] = ["cert", "key"].map(|member| {
        let pem = identity["id"][member].as_str().unwrap();
        let file = site.file(&format!("laptop.{member}"));
        fs::write(&file, pem.trim_start_matches("pem:")).unwrap();
        file
    });
    let session = admin.log_in_with(&chain, &key).data();
    let session = admin
        .with_token(session["token"].as_str().unwrap())
        .with_certificate(&chain, &key);
    let _ = session.enroll_in_mfa(TotpProgram::Python);
    let asked = "sending auth query mfa authentication event";
    let log = load(python, site, &["logged in successfully", asked]);
    assert!(!log.contains(" ERROR "), "{log}");
    assert!(!log.contains("GET[/services]"), "{log}");
}

/// Loads the identity until the log has all of `milestones`, and answers the log.
fn load(python: &Path, site: &TestDirectory, milestones: &[&str]) -> String {
    let log = site.file("load.log");
    let mut child = sdk(python, site)
        .args(["-c", LOAD])
        .stdin(Stdio::null())
        .stdout(File::create(&log).unwrap())
        .stderr(File::options().append(true).open(&log).unwrap())
        .spawn()
        .unwrap();
    let reached = wait::until(Duration::from_secs(30), || {
        let text = fs::read_to_string(&log).unwrap();
        let missing = milestones
            .iter()
            .find(|milestone| !text.contains(*milestone));
        missing.map_or(Ok(()), |milestone| {
            Err(format!("no {milestone:?} in {text}"))
        })
    });
    let _ = child.kill();
    let _ = child.wait();
    reached.unwrap();
    fs::read_to_string(&log).unwrap()
}

/// A process of the SDK that logs what it does.
fn sdk(python: &Path, site: &TestDirectory) -> Command {
    let mut command = Command::new(python);
    command.current_dir(site.work()).env("ZITI_LOG", "4");
    command
}
