//! Requests that a program of others makes up from the descriptions of the APIs, for as long as is wanted: none may
//! end in a fault of the controller, or in an answer of another shape than described. The descriptions are the published
//! ones where these lie beside the repository, and otherwise the controller's own.

use crate::own;
use portcullis_http::path::Api;
use portcullis_http::{openapi, routes};
use portcullis_testkit::published::{DOCUMENTS, EXCEPTIONS};
use serde_json::{Value, json};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;
use support::tools::are_available;
use support::{Controller, TestDirectory, Tool, command, repository};

/// Names the variable that says for how many seconds each document is run.
const SECONDS: &str = "PORTCULLIS_SCHEMATHESIS_SECONDS";

/// Time beyond that in which a run has to come to its end.
const GRACE: Duration = Duration::from_mins(2);

/// What the runs begin from, so that a failure can be had again.
const SEED: &str = "1";

/// What is left out besides operations that nobody performs: it ends the session of the run.
const ENDING: &str = "DELETE /current-api-session";

#[test]
fn requests_that_are_made_up_find_no_fault() {
    let Ok(seconds) = std::env::var(SECONDS) else {
        println!("skipped: {SECONDS} is not set");
        return;
    };
    if !are_available(&[Tool::Curl, Tool::Python, Tool::Schemathesis]) {
        return;
    }
    let published = repository::shared("spec");
    let site = TestDirectory::new();
    let controller = site.quickstart().start();
    seed(&support::Api::admin(&controller));
    for api in [Api::Client, Api::Management, Api::Fabric] {
        let name = DOCUMENTS.into_iter().find(|(of, _)| *of == api);
        let document = match (&published, name) {
            (Some(folder), Some((_, name))) => prepared(&site, api, &folder.join(name)),
            // Nothing is published of the fabric, or nothing is at hand.
            _ => own_description(&site, api),
        };
        run(
            &site,
            &controller,
            api,
            document.to_str().unwrap(),
            &seconds,
        );
    }
    let logged = site.logged();
    assert!(!logged.contains("panicked"), "{logged}");
}

/// Makes things to begin with that are not easily made up.
fn seed(api: &support::Api) {
    let made = |path: &str, body: Value| {
        let made = api.send("POST", path, &body).expect_status(201).data();
        made["id"].as_str().unwrap().to_owned()
    };
    let config = made(
        "/configs",
        json!({"name": "c", "configTypeId": "NH5p4FpGR",
               "data": {"protocol": "tcp", "address": "db", "port": 80}}),
    );
    made(
        "/services",
        json!({"name": "s", "encryptionRequired": true, "configs": [config]}),
    );
    made(
        "/edge-routers",
        json!({"name": "r", "isTunnelerEnabled": true}),
    );
    made(
        "/service-policies",
        json!({"name": "dial", "type": "Dial", "semantic": "AnyOf",
               "identityRoles": ["#all"], "serviceRoles": ["#all"]}),
    );
    made(
        "/edge-router-policies",
        json!({"name": "all", "semantic": "AnyOf", "identityRoles": ["#all"],
               "edgeRouterRoles": ["#all"]}),
    );
    made(
        "/posture-checks",
        json!({"name": "os", "typeId": "OS", "operatingSystems": [{"type": "Linux"}]}),
    );
    made(
        "/identities",
        json!({"name": "ann", "type": "Default", "isAdmin": false, "enrollment": {"ott": true}}),
    );
}

/// The operations of an API that are left out, as METHOD PATH.
fn left_out(api: Api) -> impl Iterator<Item = String> {
    let unperformed = routes::all()
        .into_iter()
        .filter(move |route| !route.is_implemented && route.apis.contains(&api))
        .map(|route| format!("{} {}", route.method, route.path));
    unperformed.chain([ENDING.to_owned()])
}

/// Writes the controller's own description of an API, without what is left out.
fn own_description(site: &TestDirectory, api: Api) -> PathBuf {
    let document = openapi::document(api).unwrap();
    let mut document: Value = serde_json::from_slice(&document.json.plain).unwrap();
    for operation in left_out(api) {
        let (method, path) = operation.split_once(' ').unwrap();
        if let Some(methods) = document["paths"].get_mut(path) {
            let methods = methods.as_object_mut().unwrap();
            methods.remove(&method.to_ascii_lowercase());
        }
    }
    let prepared = site.file(&format!("{}.json", api.binding()));
    fs::write(&prepared, document.to_string()).unwrap();
    prepared
}

/// Writes a published description as one that requests can be made up from.
fn prepared(site: &TestDirectory, api: Api, document: &Path) -> PathBuf {
    let table = site.file("exceptions.txt");
    fs::write(&table, EXCEPTIONS).unwrap();
    let mut script = Command::new("python3");
    script
        .env("PYTHONDONTWRITEBYTECODE", "1")
        .arg(own("schemathesis_document.py"))
        .args([document, &table])
        .args(left_out(api));
    let prepared = site.file(&format!("{}.json", api.binding()));
    fs::write(&prepared, command::run(&mut script).success().stdout).unwrap();
    prepared
}

/// Runs the program on a description, which is a file or the address of one.
fn run(site: &TestDirectory, controller: &Controller, api: Api, description: &str, seconds: &str) {
    let admin = support::Api::admin(controller);
    let session = admin.get("/current-api-session").data();
    let own_ids = ["id", "identityId", "authenticatorId"].map(|name| session[name].as_str());
    let own_ids = own_ids.map(|id| id.expect("a session names them"));
    let mut schemathesis = Command::new("python3");
    schemathesis
        .args(["-m", "schemathesis.cli", "run", description])
        .args(["--url", &format!("{}{}", controller.url(), api.base_path())])
        .arg("--tls-verify")
        .arg(controller.ca())
        .args(["--header", &format!("zt-session: {}", admin.token())])
        .args(["--checks", "not_a_server_error,response_schema_conformance"])
        // The phase of coverage sends methods that nobody described, and ends its own session so.
        .args(["--phases", "fuzzing,stateful", "--continue-on-failure"])
        .args(["--max-time", seconds, "--seed", SEED])
        .args(["--generation-database", "none", "--no-color"])
        .args(["--output-truncate", "false", "--warnings", "off"])
        .env("SCHEMATHESIS_HOOKS", "schemathesis_hooks")
        .env("PYTHONPATH", own(""))
        .env("PYTHONDONTWRITEBYTECODE", "1")
        // Nobody logs in without the policy.
        .env("PORTCULLIS_OWN", format!("{},default", own_ids.join(",")))
        .current_dir(site.work());
    let seconds = seconds.parse().expect("seconds are a number");
    let deadline = Duration::from_secs(seconds) + GRACE;
    let outcome = command::run_with(&mut schemathesis, &[], deadline);
    println!("{}", outcome.text());
    let _ = outcome.success();
    // Had the session ended, all else would have been refused, and nothing found.
    admin.get("/current-api-session").expect_status(200);
}
