//! Answers against the published descriptions of the APIs, held against each other by a library for
//! JSON Schema that is none of ours, nor that of the tests in the process.

use crate::own;
use portcullis_testkit::published::EXCEPTIONS;
use serde_json::{Value, json};
use std::fs;
use std::io::Write as _;
use std::process::{Command, Stdio};
use support::tools::{are_available, are_required};
use support::{Api, TestDirectory, Tool, repository};

/// Answers that were recorded for validation.
struct Recorder {
    api: Api,
    answers: Vec<Value>,
}

impl Recorder {
    /// Sends a request and records its answer under the path that the description has.
    #[track_caller]
    fn ask(&mut self, method: &str, described: &str, path: &str, body: Option<&Value>) -> Value {
        let reply = match body {
            Some(body) => self.api.send(method, path, body),
            None => self.api.get(path),
        };
        assert!(
            reply.status < 300,
            "{method} {path}: {} {}",
            reply.status,
            reply.text()
        );
        self.answers.push(json!({
            "document": "management.yml", "method": method.to_lowercase(), "path": described,
            "status": reply.status.to_string(), "body": reply.json(),
        }));
        reply.data()
    }

    /// Makes an entity; then reads it, and the list that it stands in.
    #[track_caller]
    fn make(&mut self, collection: &str, body: &Value) -> String {
        let made = self.ask("POST", collection, collection, Some(body));
        let id = made["id"].as_str().unwrap().to_owned();
        let one = format!("{collection}/{id}");
        self.ask("GET", &format!("{collection}/{{id}}"), &one, None);
        self.ask("GET", collection, &format!("{collection}?limit=500"), None);
        id
    }

    /// Reads what stands below an entity.
    #[track_caller]
    fn below(&mut self, collection: &str, id: &str, parts: &[&str]) {
        for part in parts {
            let described = format!("{collection}/{{id}}/{part}");
            self.ask(
                "GET",
                &described,
                &format!("{collection}/{id}/{part}"),
                None,
            );
        }
    }
}

#[test]
fn answers_are_as_the_published_descriptions_say() {
    if !are_available(&[Tool::Curl, Tool::Python]) {
        return;
    }
    let Some(documents) = repository::shared("spec") else {
        return;
    };
    let probe = Command::new("python3")
        .args(["-c", "import jsonschema, yaml"])
        .output()
        .unwrap();
    if !probe.status.success() {
        assert!(!are_required(), "Python has no jsonschema or yaml");
        println!("skipped: Python has not the packages jsonschema and yaml");
        return;
    }
    let site = TestDirectory::new();
    let controller = site.quickstart().start();
    let mut recorder = Recorder {
        api: Api::admin(&controller),
        answers: Vec::new(),
    };
    exchange(&mut recorder);
    let table = site.file("exceptions.txt");
    fs::write(&table, EXCEPTIONS).unwrap();
    // What it prints is what is wrong.
    let mut python = Command::new("python3")
        .arg(own("openapi.py"))
        .args([&documents, &table])
        .env("PYTHONDONTWRITEBYTECODE", "1")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let answers = serde_json::to_vec(&recorder.answers).unwrap();
    python.stdin.take().unwrap().write_all(&answers).unwrap();
    let output = python.wait_with_output().unwrap();
    let said = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{said}");
    assert!(recorder.answers.len() > 50, "{}", recorder.answers.len());
}

/// Has something of every kind made and read.
fn exchange(recorder: &mut Recorder) {
    let ids = kinds(recorder);
    policies(recorder, &ids);
    below_identities(recorder, &ids);
    below_services(recorder, &ids);
    lists(recorder);
    for (collection, id) in [
        ("/services", &ids.service),
        ("/edge-routers", &ids.router),
        ("/posture-checks", &ids.check),
    ] {
        let more = json!({"tags": {"x": 1}, "typeId": "OS"});
        let path = format!("{collection}/{id}");
        recorder.ask("PATCH", &format!("{collection}/{{id}}"), &path, Some(&more));
    }
}

/// What was made.
struct Ids {
    config: String,
    check: String,
    identity: String,
    service: String,
    router: String,
}

fn kinds(recorder: &mut Recorder) -> Ids {
    let config = recorder.make(
        "/configs",
        &json!({"name": "c", "configTypeId": "NH5p4FpGR", "tags": {"a": "b"},
                "data": {"protocol": "tcp", "address": "db", "port": 80}}),
    );
    recorder.make("/config-types", &json!({"name": "own"}));
    let check = recorder.make(
        "/posture-checks",
        &json!({"name": "os", "typeId": "OS", "roleAttributes": ["p"],
                "operatingSystems": [{"type": "Linux", "versions": [">=5.0.0"]}]}),
    );
    let identity = recorder.make(
        "/identities",
        &json!({"name": "ann", "type": "Default", "isAdmin": false, "roleAttributes": ["a"],
                "enrollment": {"ott": true}}),
    );
    let service = recorder.make(
        "/services",
        &json!({"name": "s", "encryptionRequired": true, "configs": [config],
                "roleAttributes": ["s"], "terminatorStrategy": "sticky"}),
    );
    let router = recorder.make(
        "/edge-routers",
        &json!({"name": "r", "roleAttributes": ["r"], "isTunnelerEnabled": true}),
    );
    recorder.make("/transit-routers", &json!({"name": "t"}));
    recorder.make(
        "/terminators",
        &json!({"service": service, "router": router, "binding": "transport",
                "address": "tcp:localhost:80", "precedence": "failed", "cost": 3}),
    );
    Ids {
        config,
        check,
        identity,
        service,
        router,
    }
}

fn policies(recorder: &mut Recorder, ids: &Ids) {
    let id = recorder.make(
        "/service-policies",
        &json!({"name": "p", "type": "Dial", "semantic": "AnyOf", "identityRoles": ["#all"],
                "serviceRoles": [format!("@{}", ids.service)],
                "postureCheckRoles": [format!("@{}", ids.check)]}),
    );
    let parts = ["identities", "posture-checks", "services"];
    recorder.below("/service-policies", &id, &parts);
    let id = recorder.make(
        "/edge-router-policies",
        &json!({"name": "p", "semantic": "AllOf", "identityRoles": ["#a"],
                "edgeRouterRoles": [format!("@{}", ids.router)]}),
    );
    recorder.below(
        "/edge-router-policies",
        &id,
        &["edge-routers", "identities"],
    );
    let id = recorder.make(
        "/service-edge-router-policies",
        &json!({"name": "p", "semantic": "AnyOf", "serviceRoles": ["#all"],
                "edgeRouterRoles": ["#all"]}),
    );
    let parts = ["edge-routers", "services"];
    recorder.below("/service-edge-router-policies", &id, &parts);
}

fn below_identities(recorder: &mut Recorder, ids: &Ids) {
    let Ids {
        identity, service, ..
    } = ids;
    let assigned = json!([{"serviceId": service, "configId": ids.config}]);
    let path = format!("/identities/{identity}/service-configs");
    let described = "/identities/{id}/service-configs";
    recorder.ask("POST", described, &path, Some(&assigned));
    let parts = [
        "edge-router-policies",
        "edge-routers",
        "failed-service-requests",
        "posture-data",
        "service-configs",
        "service-policies",
        "services",
    ];
    recorder.below("/identities", identity, &parts);
    let advice = format!("/identities/{identity}/policy-advice/{service}");
    let described = "/identities/{id}/policy-advice/{serviceId}";
    recorder.ask("GET", described, &advice, None);
}

fn below_services(recorder: &mut Recorder, ids: &Ids) {
    let parts = [
        "configs",
        "edge-routers",
        "identities",
        "service-edge-router-policies",
        "service-policies",
        "terminators",
    ];
    recorder.below("/services", &ids.service, &parts);
    let parts = ["edge-router-policies", "identities", "services"];
    recorder.below("/edge-routers", &ids.router, &parts);
    recorder.below("/configs", &ids.config, &["services"]);
    recorder.below("/config-types", "NH5p4FpGR", &["configs"]);
}

fn lists(recorder: &mut Recorder) {
    for list in [
        "/identity-role-attributes",
        "/service-role-attributes",
        "/edge-router-role-attributes",
        "/posture-check-role-attributes",
        "/posture-check-types",
        "/posture-check-types/OS",
        "/sessions",
        "/enrollments",
        "/routers",
    ] {
        recorder.ask("GET", &list.replace("/OS", "/{id}"), list, None);
    }
}
