//! Property S-57: each committed change leaves one line that says who did what to what, from where.

use serde_json::{Value, json};
use std::fs;
use support::api::{CLIENT, MANAGEMENT};
use support::openssl::KeyAlgorithm;
use support::tools::are_available;
use support::{Api, Openssl, TestDirectory, Tool};

/// What a line of the trail says, without what differs from run to run.
#[derive(Debug, PartialEq, Eq)]
struct Line {
    operation: String,
    entity: String,
    actor: String,
}

fn line(operation: &str, entity: &str, actor: &str) -> Line {
    Line {
        operation: operation.to_owned(),
        entity: entity.to_owned(),
        actor: actor.to_owned(),
    }
}

/// The lines of the trail, each with where and by which request it came about.
fn trail(site: &TestDirectory) -> Vec<(Line, Value)> {
    let log = fs::read_to_string(site.log()).unwrap();
    let lines = log
        .lines()
        .filter_map(|line| serde_json::from_str::<Value>(line).ok());
    lines
        .filter(|line| line["target"] == "audit")
        .map(|whole| {
            let member = |name: &str| whole[name].as_str().unwrap_or_default().to_owned();
            let line = Line {
                operation: member("operation"),
                entity: member("entity"),
                actor: member("actor"),
            };
            (line, whole)
        })
        .collect()
}

#[test]
fn every_change_is_in_the_trail() {
    if !are_available(&[Tool::Curl, Tool::Openssl]) {
        return;
    }
    let site = TestDirectory::new();
    let controller = site.quickstart().start();
    let admin = Api::admin(&controller);
    let session = |api: &Api| {
        let shown = api.curl(&format!("{CLIENT}/current-api-session")).send();
        shown.data()["id"].as_str().unwrap().to_owned()
    };
    let me = admin.curl(&format!("{MANAGEMENT}/current-identity")).send();
    let authenticator = me.data()["authenticators"]["updb"]["id"]
        .as_str()
        .unwrap()
        .to_owned();
    let me = me.data()["id"].as_str().unwrap().to_owned();
    let mut expected = vec![
        line("identity.create", &me, "controller"),
        line("authenticator.create", &authenticator, "controller"),
        line("api-session.create", &session(&admin), &me),
    ];

    let laptop = enroll(&admin, &site, &me, &mut expected);
    shut_out(&admin, &laptop, &me, &mut expected);
    let own = session(&admin);
    admin
        .curl(&format!("{CLIENT}/current-api-session"))
        .arguments(["--request", "DELETE"])
        .send()
        .expect_status(200);
    expected.push(line("api-session.end", &own, &me));
    assert!(controller.terminate().success());

    let mut trail = trail(&site);
    // The controller has begun by making the types of configurations that every controller has.
    let of_controller = ["auth-policy.create", "config-type.create"];
    let begun = trail.partition_point(|(line, _)| of_controller.contains(&&*line.operation));
    for (line, _) in trail.drain(..begun) {
        assert_eq!(line.actor, "controller", "{}", line.entity);
    }
    assert_eq!(begun, 9);
    let lines: Vec<&Line> = trail.iter().map(|(line, _)| line).collect();
    assert_eq!(lines, expected.iter().collect::<Vec<_>>());
    for (nth, (line, whole)) in trail.iter().enumerate() {
        assert_eq!(whole["seq"].as_u64(), Some(nth as u64 + 10), "{whole}");
        if line.actor != "controller" {
            assert_eq!(whole["source"], "127.0.0.1", "{whole}");
            assert!(!whole["request"].as_str().unwrap().is_empty(), "{whole}");
        }
    }
}

/// Creates an identity, changes it, and has it obtain a certificate; answers its id.
fn enroll(admin: &Api, site: &TestDirectory, me: &str, expected: &mut Vec<Line>) -> String {
    let laptop = admin.create_identity("laptop", &json!({"ott": true}));
    let id = laptop["id"].as_str().unwrap();
    let path = format!("/identities/{id}");
    let enrollment = laptop["enrollment"]["ott"]["id"].as_str().unwrap();
    admin
        .send("PATCH", &path, &json!({"tags": {"site": "berlin"}}))
        .expect_status(200);
    let body = json!({"name": "laptop", "type": "Default", "isAdmin": false});
    admin.send("PUT", &path, &body).expect_status(200);
    let later = json!({"expiresAt": "2040-01-01T00:00:00Z"});
    admin
        .send(
            "POST",
            &format!("/enrollments/{enrollment}/refresh"),
            &later,
        )
        .expect_status(200);
    let shown = admin.get(&path).data();
    let token = shown["enrollment"]["ott"]["token"].as_str().unwrap();
    let openssl = Openssl::new(site.work());
    let csr = openssl.csr("laptop", KeyAlgorithm::P256, "/CN=laptop");
    admin.enroll(token, &csr).expect_status(200);
    let shown = admin.get(&path).data();
    let authenticator = shown["authenticators"]["cert"]["id"].as_str().unwrap();
    expected.extend([
        line("identity.create", id, me),
        line("enrollment.create", enrollment, me),
        line("identity.merge", id, me),
        line("identity.replace", id, me),
        line("enrollment.refresh", enrollment, me),
        line("enrollment.redeem", enrollment, id),
        line("authenticator.create", authenticator, id),
    ]);
    id.to_owned()
}

/// Does what can be done to an identity afterwards, and what cannot.
fn shut_out(admin: &Api, id: &str, me: &str, expected: &mut Vec<Line>) {
    let path = format!("/identities/{id}");
    let again = json!({"identityId": id, "method": "ott", "expiresAt": "2040-01-01T00:00:00Z"});
    let made = admin
        .send("POST", "/enrollments", &again)
        .expect_status(201)
        .data();
    let made = made["id"].as_str().unwrap();
    admin
        .delete(&format!("/enrollments/{made}"))
        .expect_status(200);
    let minutes = json!({"durationMinutes": 5});
    admin
        .send("POST", &format!("{path}/disable"), &minutes)
        .expect_status(200);
    admin
        .send("POST", &format!("{path}/enable"), &json!({}))
        .expect_status(200);
    let shown = admin.get(&path).data();
    let authenticator = shown["authenticators"]["cert"]["id"].as_str().unwrap();
    admin.delete(&path).expect_status(200);
    // What was refused, and what changed nothing, leaves no line.
    admin.delete(&path).expect_status(404);
    admin
        .send(
            "POST",
            "/identities",
            &json!({"name": "", "isAdmin": false}),
        )
        .expect_status(400);
    expected.extend([
        line("enrollment.create", made, me),
        line("enrollment.delete", made, me),
        line("identity.disable", id, me),
        line("identity.enable", id, me),
        line("identity.delete", id, me),
        line("authenticator.delete", authenticator, me),
    ]);
}
