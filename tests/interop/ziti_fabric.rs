//! The fabric and the store, administered with the command-line client of OpenZiti.

use crate::ziti_cli::{Ziti, program};
use serde_json::{Value, json};
use std::fs;
use support::tools::are_available;
use support::{Openssl, TestDirectory, Tool};

impl Ziti<'_> {
    /// Runs a command of the fabric that is to succeed.
    #[track_caller]
    fn weave(&self, arguments: &[&str]) -> String {
        let outcome = self.run_in("fabric", arguments).success();
        let said = outcome.stderr.clone() + &outcome.text();
        assert!(!said.contains("panic"), "{arguments:?}: {said}");
        outcome.text()
    }

    /// The entities of a list of the fabric, which is shown as a table too.
    #[track_caller]
    fn woven(&self, kind: &str) -> Vec<Value> {
        self.weave(&["list", kind]);
        let text = self.weave(&["list", kind, "true", "--output-json"]);
        let answer: Value = serde_json::from_str(&text).unwrap();
        answer["data"].as_array().unwrap().clone()
    }

    /// The only entity of a kind.
    #[track_caller]
    fn only(&self, kind: &str) -> Value {
        let mut all = self.woven(kind);
        assert_eq!(all.len(), 1, "{kind}: {all:?}");
        all.remove(0)
    }
}

#[test]
fn the_fabric_is_administered_with_it() {
    let (Some(program), true) = (program(), are_available(&[Tool::Openssl])) else {
        return;
    };
    let site = TestDirectory::new();
    let controller = site.quickstart().start();
    let ziti = Ziti {
        program,
        site: &site,
    };
    ziti.log_in(&controller);
    routers(&ziti);
    services(&ziti);
    terminators(&ziti);
    nothing_else(&ziti);
    gone(&ziti);
    store(&ziti);
}

fn routers(ziti: &Ziti<'_>) {
    let openssl = Openssl::new(ziti.site.work());
    let (certificate, _key) = openssl.self_signed("core-1");
    let certificate = certificate.display().to_string();
    ziti.weave(&[
        "create",
        "router",
        &certificate,
        "--name",
        "core",
        "--cost",
        "7",
    ]);
    let made = ziti.only("routers");
    assert_eq!(made["name"], "core");
    assert_eq!(
        (&made["cost"], &made["connected"]),
        (&json!(7), &json!(false))
    );
    assert_eq!(made["fingerprint"].as_str().map(str::len), Some(40));
    ziti.weave(&[
        "update",
        "router",
        "core",
        "--no-traversal",
        "--name",
        "heart",
    ]);
    let changed = ziti.only("routers");
    assert_eq!(
        (&changed["name"], &changed["noTraversal"], &changed["cost"]),
        (&json!("heart"), &json!(true), &json!(7))
    );
    assert_eq!(changed["fingerprint"], made["fingerprint"]);
}

fn services(ziti: &Ziti<'_>) {
    let flags = ["--terminator-strategy", "weighted", "--max-idle-time", "1m"];
    ziti.weave(&[&["create", "service", "pipe"], &flags[..]].concat());
    ziti.weave(&[
        "update",
        "service",
        "pipe",
        "--terminator-strategy",
        "sticky",
    ]);
    let service = ziti.only("services");
    assert_eq!(
        (
            &service["terminatorStrategy"],
            &service["maxIdleTimeMillis"]
        ),
        (&json!("sticky"), &json!(60_000))
    );
    assert_eq!(ziti.list("services", "true"), Vec::<Value>::new());
}

fn terminators(ziti: &Ziti<'_>) {
    let line = ["create", "terminator", "pipe", "heart", "tcp:localhost:80"];
    ziti.weave(&[&line[..], &["--binding", "transport", "-c", "3"]].concat());
    let made = ziti.only("terminators");
    assert_eq!(made["service"]["name"], "pipe");
    let id = made["id"].as_str().unwrap();
    ziti.weave(&["update", "terminator", id, "-p", "required", "-c", "4"]);
    let changed = ziti.only("terminators");
    assert_eq!(
        (&changed["precedence"], &changed["cost"]),
        (&json!("required"), &json!(4))
    );
}

fn nothing_else(ziti: &Ziti<'_>) {
    for kind in ["links", "circuits"] {
        assert_eq!(ziti.woven(kind), Vec::<Value>::new());
    }
    for line in [
        ["update", "link", "nope"].as_slice(),
        &["delete", "circuit", "nope"],
    ] {
        let refused = ziti.run_in("fabric", line);
        assert_ne!(refused.code(), 0, "{line:?}");
    }
    let seen = ziti.weave(&["inspect", ".*", "links"]);
    assert!(seen.contains("links"), "{seen}");
}

fn gone(ziti: &Ziti<'_>) {
    let id = ziti.only("terminators")["id"].as_str().unwrap().to_owned();
    ziti.weave(&["delete", "terminator", &id]);
    ziti.weave(&["delete", "service", "pipe"]);
    ziti.weave(&["delete", "router", "heart"]);
    for kind in ["routers", "services", "terminators"] {
        assert_eq!(ziti.woven(kind), Vec::<Value>::new());
    }
}

fn store(ziti: &Ziti<'_>) {
    let said = ziti.weave(&["db", "snapshot", "before-the-move"]);
    assert!(said.contains("before-the-move"), "{said}");
    let copies = fs::read_dir(ziti.site.home()).unwrap();
    let mut names = copies.map(|entry| entry.unwrap().file_name());
    assert!(names.any(|name| name == "before-the-move"));
    ziti.weave(&["db", "start-check-integrity"]);
    ziti.weave(&["db", "check-integrity-status"]);
}
