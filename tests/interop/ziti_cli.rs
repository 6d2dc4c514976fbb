//! The command-line client of OpenZiti, as its users have it: `PORTCULLIS_TEST_ZITI` names the
//! program, of version 2.1; without it there is nothing to test with.

use serde_json::Value;
use std::ffi::OsString;
use std::process::Command;
use support::{Controller, Outcome, Site, command};

/// The program with a home of its own.
struct Ziti<'s> {
    program: OsString,
    site: &'s Site,
}

impl Ziti<'_> {
    fn run(&self, arguments: &[&str]) -> Outcome {
        let mut command = Command::new(&self.program);
        command
            .arg("edge")
            .args(arguments)
            .current_dir(self.site.work())
            .env("HOME", self.site.work())
            .env("ZITI_CONFIG_DIR", self.site.work());
        command::run(&mut command)
    }

    /// Runs what is to succeed; answers what it printed.
    #[track_caller]
    fn done(&self, arguments: &[&str]) -> String {
        let outcome = self.run(arguments).success();
        String::from_utf8_lossy(&outcome.stdout).into_owned()
    }

    /// The entities of a list.
    #[track_caller]
    fn list(&self, kind: &str, filter: &str) -> Vec<Value> {
        let text = self.done(&["list", kind, filter, "--output-json"]);
        let answer: Value = serde_json::from_str(&text).unwrap();
        answer["data"].as_array().unwrap().clone()
    }

    fn log_in(&self, controller: &Controller) {
        let (ca, password) = (controller.ca(), controller.password());
        let ca = ca.to_str().unwrap();
        let who = ["-u", "admin", "-p", &password, "--ca", ca, "--yes"];
        self.done(&[&["login", controller.url()], &who[..]].concat());
    }
}

#[test]
fn first_identities_are_administered_with_it() {
    let Some(program) = std::env::var_os("PORTCULLIS_TEST_ZITI") else {
        println!("skipped: PORTCULLIS_TEST_ZITI names no program");
        return;
    };
    let site = Site::new();
    let controller = site.quickstart().start();
    let ziti = Ziti {
        program,
        site: &site,
    };
    ziti.log_in(&controller);

    ziti.done(&[
        "create",
        "identity",
        "laptop",
        "-a",
        "red,blue",
        "-o",
        "laptop.jwt",
    ]);
    ziti.done(&[
        "create",
        "identity",
        "person",
        "--updb",
        "a-person",
        "-o",
        "person.jwt",
    ]);
    assert_eq!(ziti.list("enrollments", "true").len(), 2);
    ziti.done(&[
        "enroll",
        "laptop.jwt",
        "-o",
        "laptop.json",
        "--keyAlg",
        "EC",
    ]);
    ziti.done(&[
        "enroll",
        "person.jwt",
        "--username",
        "a-person",
        "--password",
        "a-password",
    ]);
    assert_eq!(ziti.list("enrollments", "true").len(), 0);
    let authenticators = ziti.list("authenticators", r#"method = "cert""#);
    assert_eq!(authenticators[0]["identity"]["name"], "laptop");
    assert_eq!(ziti.list("api-sessions", "true").len(), 1);
    assert_eq!(ziti.list("auth-policies", r#"name = "Default""#).len(), 1);

    ziti.done(&[
        "update",
        "identity",
        "laptop",
        "-a",
        "green",
        "--tags",
        "site=berlin",
    ]);
    let found = ziti.list(
        "identities",
        r#"tags.site = "berlin" and anyOf(roleAttributes) = "green""#,
    );
    assert_eq!(found[0]["name"], "laptop");
    let refused = ziti.run(&["list", "identities", r#"name == "x""#]);
    assert!(!refused.status.success());
    let said = refused.stderr.clone() + &refused.text();
    assert!(said.contains("INVALID_FILTER"), "{said}");

    ziti.done(&["delete", "identity", "person"]);
    ziti.done(&["delete", "identities", "where", r#"name contains "lap""#]);
    let left = ziti.list("identities", "sort by name");
    assert_eq!(left.len(), 1, "{left:?}");
    assert_eq!(left[0]["isDefaultAdmin"], true);
}
