//! Services, policies, routers and posture checks, administered with the command-line client of
//! OpenZiti.

use crate::ziti_cli::{Ziti, program};
use serde_json::{Value, json};
use std::fs;
use support::TestDirectory;

const HOST: &str = r#"{"protocol": "tcp", "address": "localhost", "port": 8080}"#;

impl Ziti<'_> {
    /// Runs what is to succeed and not to stumble over any answer.
    #[track_caller]
    fn calm(&self, arguments: &[&str]) -> String {
        let outcome = self.run(arguments).success();
        let said = outcome.stderr.clone() + &outcome.text();
        assert!(!said.contains("panic"), "{arguments:?}: {said}");
        outcome.text()
    }

    /// What a list holds, which is shown as a table too.
    #[track_caller]
    fn listed(&self, line: &[&str]) -> Vec<Value> {
        let line = [&["list"], line].concat();
        self.calm(&line);
        let text = self.calm(&[&line[..], &["--output-json"]].concat());
        let answer: Value = serde_json::from_str(&text).unwrap();
        answer["data"].as_array().cloned().unwrap_or_default()
    }

    #[track_caller]
    fn check_names(&self, line: &[&str], expected: &[&str]) {
        let listed = self.listed(line);
        let mut names: Vec<_> = listed
            .iter()
            .map(|one| one["name"].as_str().unwrap())
            .collect();
        names.sort_unstable();
        assert_eq!(names, expected, "{line:?}");
    }

    /// The one that has this name.
    #[track_caller]
    fn one(&self, kind: &str, name: &str) -> Value {
        let mut found = self.listed(&[kind, &format!("name = \"{name}\"")]);
        assert_eq!(found.len(), 1, "{kind} {name}");
        found.remove(0)
    }

    /// Creates something, and holds what is printed against the id that it has.
    #[track_caller]
    fn create(&self, line: &[&str], kind: &str, name: &str) -> Value {
        let printed = self.calm(&[&["create"], line].concat());
        let made = self.one(kind, name);
        let id = made["id"].as_str().unwrap();
        assert!(printed.contains(id), "{line:?}: {printed}");
        made
    }
}

#[test]
fn services_and_policies_are_administered_with_it() {
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
    configs(&ziti);
    services(&ziti);
    routers(&ziti);
    posture_checks(&ziti);
    policies(&ziti);
    terminators(&ziti);
    sub_lists(&ziti);
    identity_configs(&ziti);
    advice(&ziti);
    role_attributes(&ziti);
    refusals(&ziti);
    gone(&ziti);
}

fn configs(ziti: &Ziti<'_>) {
    let schema = r#"{"type": "object", "required": ["rate"]}"#;
    let line = ["config-type", "uplink", schema, "--target", "router"];
    let made = ziti.create(&line, "config-types", "uplink");
    assert_eq!(
        (&made["target"], &made["schema"]["required"]),
        (&json!("router"), &json!(["rate"]))
    );
    ziti.calm(&["update", "config-type", "uplink", "--name", "uplink.v1"]);
    assert!(
        ziti.calm(&["show", "config-type", "uplink.v1"])
            .contains("rate")
    );
    ziti.create(&["config", "host", "host.v1", HOST], "configs", "host");
    let intercept = json!({"protocols": ["tcp"], "addresses": ["wiki.test"],
        "portRanges": [{"low": 80, "high": 80}]});
    fs::write(ziti.site.file("intercept.json"), intercept.to_string()).unwrap();
    let line = [
        "config",
        "intercept",
        "intercept.v1",
        "-f",
        "intercept.json",
    ];
    let made = ziti.create(&line, "configs", "intercept");
    assert_eq!(made["configType"]["name"], "intercept.v1");
    let changed = HOST.replace("8080", "9090");
    ziti.calm(&[
        "update",
        "config",
        "host",
        "-d",
        &changed,
        "-n",
        "wiki-host",
    ]);
    assert!(ziti.calm(&["show", "config", "wiki-host"]).contains("9090"));
    ziti.check_names(&["configs"], &["intercept", "wiki-host"]);
    ziti.check_names(&["config-type", "configs", "host.v1"], &["wiki-host"]);
}

fn services(ziti: &Ziti<'_>) {
    let line = [
        "service",
        "wiki",
        "-a",
        "intranet",
        "-c",
        "wiki-host,intercept",
        "-e",
        "OFF",
    ];
    let made = ziti.create(&line, "services", "wiki");
    assert_eq!(made["encryptionRequired"], false);
    assert_eq!(made["terminatorStrategy"], "smartrouting");
    let update = [
        "update",
        "service",
        "wiki",
        "-a",
        "intranet,berlin",
        "--max-idle-time",
        "5m",
    ];
    ziti.calm(&update);
    let changed = ziti.one("services", "wiki");
    assert_eq!(changed["id"], made["id"]);
    assert_eq!(changed["maxIdleTimeMillis"], 300_000);
    assert_eq!(changed["roleAttributes"].as_array().unwrap().len(), 2);
    ziti.create(
        &["service", "other", "--terminator-strategy", "random"],
        "services",
        "other",
    );
    ziti.check_names(&["services", "--role-filters", "#intranet"], &["wiki"]);
    ziti.check_names(&["service", "configs", "wiki"], &["intercept", "wiki-host"]);
    ziti.check_names(&["config", "services", "wiki-host"], &["wiki"]);
}

fn routers(ziti: &Ziti<'_>) {
    let token = |file: &str| fs::read_to_string(ziti.site.file(file)).unwrap();
    let line = [
        "edge-router",
        "r1",
        "-a",
        "public",
        "--cost",
        "7",
        "-t",
        "-o",
        "r1.jwt",
    ];
    let made = ziti.create(&line, "edge-routers", "r1");
    assert_eq!(
        (&made["cost"], &made["isTunnelerEnabled"]),
        (&json!(7), &json!(true))
    );
    assert_eq!(made["enrollmentJwt"], token("r1.jwt").trim());
    ziti.calm(&["update", "edge-router", "r1", "--no-traversal", "-t=false"]);
    let changed = ziti.one("edge-routers", "r1");
    assert_eq!(
        (&changed["noTraversal"], &changed["cost"]),
        (&json!(true), &json!(7))
    );
    ziti.calm(&[
        "update",
        "edge-router",
        "r1",
        "-a",
        "public",
        "-n",
        "r1",
        "--use-put",
    ]);
    let replaced = ziti.one("edge-routers", "r1");
    assert_eq!(replaced["roleAttributes"], json!(["public"]));
    ziti.calm(&["re-enroll", "edge-router", "r1", "-o", "again.jwt"]);
    let reset = ziti.one("edge-routers", "r1");
    assert_ne!(reset["enrollmentToken"], made["enrollmentToken"]);
    assert_eq!(reset["enrollmentJwt"], token("again.jwt").trim());

    let line = ["transit-router", "t1", "--cost", "9", "-o", "t1.jwt"];
    let made = ziti.create(&line, "transit-routers", "t1");
    assert_eq!(made["enrollmentJwt"], token("t1.jwt").trim());
    ziti.check_names(&["transit-routers"], &["r1", "t1"]);
    ziti.check_names(&["edge-routers"], &["r1"]);
}

fn posture_checks(ziti: &Ziti<'_>) {
    let (hash, signer) = ("a".repeat(128), "b".repeat(40));
    for (kind, created, updated, member, expected) in [
        (
            "os",
            &["-o", "Windows:>=10.0.19041:11.x,Linux"][..],
            &["-o", "macOS"][..],
            "/operatingSystems/0/type",
            json!("macOS"),
        ),
        (
            "mac",
            &["-m", "00:0C:29:be:84:aa"],
            &["-m", "000c29be84ab"],
            "/macAddresses",
            json!(["000c29be84ab"]),
        ),
        (
            "domain",
            &["-d", "a,b"],
            &["-d", "c"],
            "/domains",
            json!(["c"]),
        ),
        (
            "process",
            &["Linux", "/usr/sbin/clamd", "-s", &hash, "-f", &signer],
            &["-p", "/opt/clamd"],
            "/process/path",
            json!("/opt/clamd"),
        ),
        (
            "mfa",
            &["-s", "900", "-w"],
            &["-s", "60"],
            "/timeoutSeconds",
            json!(60),
        ),
    ] {
        let line = [&["posture-check", kind, kind], created, &["-a", "desk"]].concat();
        let made = ziti.create(&line, "posture-checks", kind);
        assert_eq!(made["typeId"], kind.to_uppercase());
        ziti.calm(&[&["update", "posture-check", kind, kind], updated].concat());
        let changed = ziti.one("posture-checks", kind);
        assert_eq!(changed.pointer(member), Some(&expected), "{changed}");
        assert_eq!(
            (&changed["id"], &changed["roleAttributes"]),
            (&made["id"], &json!(["desk"]))
        );
    }
    let line = [
        "posture-check",
        "process-multi",
        "several",
        "AnyOf",
        "Linux,macOS",
        "/a,/b",
    ];
    let made = ziti.create(&line, "posture-checks", "several");
    assert_eq!(made["typeId"], "PROCESS_MULTI");
    assert_eq!(made["processes"][1]["path"], "/b");
    let types = ziti.listed(&["posture-check-types"]);
    assert_eq!(types.len(), 5);
}

fn policies(ziti: &Ziti<'_>) {
    ziti.calm(&["create", "identity", "anna", "-a", "staff"]);
    let sides = [
        "--service-roles",
        "@wiki",
        "--identity-roles",
        "#staff",
        "-p",
        "@mfa,#desk",
    ];
    let line = [&["service-policy", "dial", "Dial"], &sides[..]].concat();
    let dial = ziti.create(&line, "service-policies", "dial");
    let service = ziti.one("services", "wiki")["id"].clone();
    let service = format!("@{}", service.as_str().unwrap());
    assert_eq!(dial["serviceRoles"], json!([service]));
    assert_eq!(dial["serviceRolesDisplay"][0]["name"], "@wiki");
    assert_eq!(dial["semantic"], "AnyOf");
    let line = ["service-policy", "bind", "Bind", "--semantic", "AllOf"];
    ziti.create(&line, "service-policies", "bind");
    ziti.calm(&[
        "update",
        "service-policy",
        "bind",
        "--identity-roles",
        "#staff",
    ]);
    let sides = ["--edge-router-roles", "#all", "--identity-roles", "@anna"];
    let line = [&["edge-router-policy", "routers"], &sides[..]].concat();
    ziti.create(&line, "edge-router-policies", "routers");
    ziti.calm(&[
        "update",
        "edge-router-policy",
        "routers",
        "--identity-roles",
        "#staff",
    ]);
    let sides = ["--edge-router-roles", "@r1", "--service-roles", "#intranet"];
    let line = [&["service-edge-router-policy", "through"], &sides[..]].concat();
    ziti.create(&line, "service-edge-router-policies", "through");
    ziti.calm(&[
        "update",
        "service-edge-router-policy",
        "through",
        "-n",
        "way",
    ]);
    ziti.check_names(&["service-policies"], &["bind", "dial"]);
    ziti.check_names(&["service-edge-router-policies"], &["way"]);
}

fn terminators(ziti: &Ziti<'_>) {
    let create = ["create", "terminator", "wiki", "r1", "tcp:localhost:8080"];
    let printed = ziti.calm(&[&create[..], &["-c", "5", "-p", "required"]].concat());
    let made = &ziti.listed(&["terminators", "service.name = \"wiki\""])[0];
    let id = made["id"].as_str().unwrap();
    assert!(printed.contains(id), "{printed}");
    assert_eq!(
        (&made["precedence"], &made["binding"]),
        (&json!("required"), &json!("edge_transport"))
    );
    // It looks names up when terminators are created, and not when they change.
    let router = ziti.one("transit-routers", "t1")["id"].clone();
    let router = router.as_str().unwrap();
    ziti.calm(&["update", "terminator", id, "--router", router, "-c", "6"]);
    let changed = &ziti.listed(&["service", "terminators", "wiki"])[0];
    assert_eq!(
        (&changed["router"]["name"], &changed["cost"]),
        (&json!("t1"), &json!(6))
    );
}

fn sub_lists(ziti: &Ziti<'_>) {
    for (of, kind, name, expected) in [
        ("identity", "services", "anna", &["wiki"][..]),
        ("identity", "service-policies", "anna", &["bind", "dial"]),
        ("identity", "edge-router-policies", "anna", &["routers"]),
        ("identity", "edge-routers", "anna", &["r1"]),
        ("service", "identities", "wiki", &["anna"]),
        ("service", "service-policies", "wiki", &["dial"]),
        ("service", "service-edge-router-policies", "wiki", &["way"]),
        ("service", "edge-routers", "wiki", &["r1"]),
        ("edge-router", "edge-router-policies", "r1", &["routers"]),
        (
            "edge-router",
            "service-edge-router-policies",
            "r1",
            &["way"],
        ),
        ("edge-router", "identities", "r1", &["anna"]),
        ("edge-router", "services", "r1", &["wiki"]),
        ("service-policy", "services", "dial", &["wiki"]),
        ("service-policy", "identities", "dial", &["anna"]),
        (
            "service-policy",
            "posture-checks",
            "dial",
            &["domain", "mac", "mfa", "os", "process"],
        ),
        ("edge-router-policy", "edge-routers", "routers", &["r1"]),
        ("edge-router-policy", "identities", "routers", &["anna"]),
        ("service-edge-router-policy", "edge-routers", "way", &["r1"]),
        ("service-edge-router-policy", "services", "way", &["wiki"]),
    ] {
        ziti.check_names(&[of, kind, name], expected);
    }
    let sessions = ziti.listed(&["sessions"]);
    assert!(sessions.is_empty(), "{sessions:?}");
}

fn identity_configs(ziti: &Ziti<'_>) {
    let assign = ["update", "identity-configs", "anna", "wiki", "wiki-host"];
    ziti.calm(&assign);
    let listed = ziti.listed(&["identity", "service-configs", "anna"]);
    assert_eq!(listed.len(), 1, "{listed:?}");
    ziti.calm(&[&assign[..], &["--remove"]].concat());
    assert_eq!(
        ziti.listed(&["identity", "service-configs", "anna"]),
        [] as [Value; 0]
    );
}

fn advice(ziti: &Ziti<'_>) {
    for line in [
        &["identities", "anna", "wiki"][..],
        &["identities", "anna"],
        &["services", "wiki"],
        &["services"],
        &["identities"],
    ] {
        let said = ziti.calm(&[&["policy-advisor"], line].concat());
        assert!(
            said.contains("anna") && said.contains("wiki"),
            "{line:?}: {said}"
        );
    }
}

fn role_attributes(ziti: &Ziti<'_>) {
    for (kind, expected) in [
        ("identity", json!(["staff"])),
        ("service", json!(["berlin", "intranet"])),
        ("edge-router", json!(["public"])),
        ("posture-check", json!(["desk"])),
    ] {
        let listed = ziti.listed(&[&format!("{kind}-role-attributes")]);
        assert_eq!(Value::from(listed), expected, "{kind}");
    }
}

/// It ends with what it was told, some commands by a panic of their own.
fn refusals(ziti: &Ziti<'_>) {
    for (line, told) in [
        (&["create", "service", "wiki"][..], "name"),
        (
            &["create", "config", "x", "host.v1", r#"{"port": "many"}"#],
            "port",
        ),
        (&["create", "edge-router", "r1"], "name"),
        (
            &["create", "posture-check", "os", "x", "-o", "Windows:1"],
            "versions",
        ),
        (&["delete", "config-type", "host.v1"], "REFERENCED"),
    ] {
        let refused = ziti.run(line);
        assert!(!refused.status.success(), "{line:?}");
        let said = refused.stderr.clone() + &refused.text();
        assert!(said.contains(told), "{line:?}: {said}");
    }
}

fn gone(ziti: &Ziti<'_>) {
    let terminator = ziti.listed(&["terminators"])[0]["id"].clone();
    for (kind, one, list) in [
        ("terminator", terminator.as_str().unwrap(), "terminators"),
        (
            "service-edge-router-policy",
            "way",
            "service-edge-router-policies",
        ),
        ("edge-router-policy", "routers", "edge-router-policies"),
        ("transit-router", "t1", "edge-routers"),
        ("edge-router", "r1", "transit-routers"),
        ("config", "wiki-host", "configs"),
    ] {
        ziti.calm(&["delete", kind, one]);
        let left = ziti.listed(&[list]);
        assert!(
            left.iter().all(|left| left["name"] != one),
            "{kind}: {left:?}"
        );
    }
    ziti.calm(&["delete", "config-type", "uplink.v1"]);
    for (kind, list) in [
        ("service-policies", "service-policies"),
        ("services", "services"),
        ("posture-checks", "posture-checks"),
        ("configs", "configs"),
    ] {
        ziti.calm(&["delete", kind, "where", "true"]);
        assert_eq!(ziti.listed(&[list]), [] as [Value; 0], "{kind}");
    }
}
