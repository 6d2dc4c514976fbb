//! Routers that say something else than the controller, and what `portcullis fabric doctor` makes of it.

use crate::Session;
use crate::answering_router::{AnsweringRouter, Said};
use crate::fabric_doctor::document;
use portcullis_wire::control::ControlMessage;
use portcullis_wire::control::data_model::DataStateDiff;
use portcullis_wire::control::link::{RouterLink, RouterLinks};
use serde_json::{Value, json};
use std::time::Duration;
use support::{Tool, tools, wait};

/// The link from one router to another, as the one that dialed reports it.
fn link_to(destination: &str) -> ControlMessage {
    ControlMessage::RouterLinks(RouterLinks {
        links: vec![RouterLink {
            id: "l1".to_owned(),
            destination: destination.to_owned(),
            protocol: "tls".to_owned(),
            iteration: 1,
            ..RouterLink::default()
        }],
        is_full: true,
    })
}

/// The same link as one of its routers has it.
fn has_link(destination: &str, is_dialed: bool) -> (&'static str, Value) {
    let link = json!({"id": "l1", "dest": destination, "dialed": is_dialed, "iteration": 1});
    ("links", json!({"links": [link]}))
}

#[tokio::test(flavor = "multi_thread")]
async fn what_routers_say_otherwise_is_told_with_its_age_and_what_to_do() {
    if !tools::are_available(&[Tool::Curl]) {
        return;
    }
    let session = Session::logged_in();
    let lisbon = AnsweringRouter::connect(&session, "lisbon").await;
    let porto = AnsweringRouter::connect(&session, "porto").await;
    lisbon.send(&link_to(&porto.id));
    lisbon.settle().await;
    let controller = porto.controller_id.clone();
    session.json(&["service", "create", "wiki"]);
    let terminator = session.json(&["terminator", "create", "wiki", "lisbon", "tcp:localhost:80"]);
    let terminator = terminator["id"].as_str().unwrap();

    let of_nobody = json!({"circuits": {"c9": {"id": "c9", "ctrlId": controller}}});
    let of_lisbon = Said {
        terminator_fault: Some("nobody is at this address"),
        model_difference: Some(DataStateDiff {
            entity_type: "service".to_owned(),
            entity_id: "s9".to_owned(),
            kind: "added".to_owned(),
            detail: "the router alone has it".to_owned(),
        }),
        ..Said::default()
    };
    let connected = json!({"identity_connections": {"i9": {"connections": [{"id": "1"}]}}});
    let of_porto = Said {
        values: [
            has_link(&lisbon.id, false),
            ("router-circuits", of_nobody),
            ("identity-connection-statuses", connected),
        ]
        .into(),
        ..Said::default()
    };
    let lisbon = AnsweringRouter::answers(lisbon, of_lisbon);
    let porto = AnsweringRouter::answers(porto, of_porto);
    let problems = disagreements(&session, (&lisbon, &porto), terminator);
    let shown = session.run(&["fabric", "doctor"]).expect_code(1).text();
    for lines in problems {
        assert!(shown.contains(&lines), "{lines}{shown}");
    }
    assert!(shown.ends_with("\n5 problems\n"), "{shown}");

    // Once they say the same, all is well.
    lisbon.says(Said {
        values: [has_link(&porto.id, true)].into(),
        ..Said::default()
    });
    porto.says(Said {
        values: [has_link(&lisbon.id, false)].into(),
        ..Said::default()
    });
    let (report, code) = document(&session, &["fabric", "doctor"]);
    assert_eq!((&report["isHealthy"], code), (&json!(true), 0), "{report}");

    // A router that is cut is one problem, with what leads there.
    porto.cut();
    lisbon.cut();
    let gone = wait::until(Duration::from_secs(20), || {
        let (report, code) = document(&session, &["fabric", "doctor"]);
        let findings = report["findings"].as_array().unwrap();
        let problem = "it is not connected; a terminator leads there";
        let is_told = |finding: &Value| {
            finding["problem"] == problem && finding["since"].is_string() && code == 1
        };
        if findings.iter().any(is_told) {
            Ok(())
        } else {
            Err(report)
        }
    });
    gone.unwrap();
}

/// Checks what programs get, and answers what people are to be shown of it up to the age of each.
fn disagreements(
    session: &Session,
    (lisbon, porto): (&AnsweringRouter, &AnsweringRouter),
    terminator: &str,
) -> Vec<String> {
    let (report, code) = document(session, &["fabric", "doctor"]);
    assert_eq!((&report["isHealthy"], code), (&json!(false), 1));
    let problems = [
        (
            ("lisbon", &lisbon.id, "links"),
            format!(
                "the controller has link l1 to router `porto` ({}), which the router does not have",
                porto.id
            ),
            true,
            "Circuits that take this link fail.",
            Value::Null,
        ),
        (
            ("porto", &porto.id, "circuits"),
            "circuit c9 is missing in the controller".to_owned(),
            false,
            "It may have just ended: ask again.",
            Value::Null,
        ),
        (
            ("lisbon", &lisbon.id, "terminators"),
            format!(
                "the controller has terminator {terminator}, which its router does not have: nobody is at \
                 this address (of service `wiki`)"
            ),
            true,
            "Delete the terminator: dials that choose it fail.",
            json!(format!("portcullis terminator delete {terminator}")),
        ),
        (
            ("lisbon", &lisbon.id, "data-model"),
            "service id: s9 added: the router alone has it".to_owned(),
            false,
            "A change may be on its way: ask again in a minute.",
            Value::Null,
        ),
        (
            ("porto", &porto.id, "identity-connections"),
            "router reports identity i9 connected, but controller disagrees".to_owned(),
            false,
            "The router reports all of them from time to time: ask again in some minutes",
            Value::Null,
        ),
    ];
    let findings = report["findings"].as_array().unwrap();
    assert_eq!(findings.len(), problems.len(), "{findings:#?}");
    let told = findings.iter().zip(problems);
    let lines = told.map(
        |(finding, ((name, id, check), problem, has_age, advice, command))| {
            assert_eq!(finding["severity"], "problem", "{finding}");
            assert_eq!(finding["router"], json!({"id": id, "name": name}));
            assert_eq!(finding["checks"], json!([check]), "{finding}");
            assert_eq!(finding["problem"], *problem);
            assert_eq!(finding["since"].is_string(), has_age, "{finding}");
            assert!(
                finding["advice"].as_str().unwrap().starts_with(advice),
                "{finding}"
            );
            assert_eq!(finding["command"], command);
            let next = if has_age { "since 20" } else { advice };
            format!("\nrouter `{name}`: {problem}\n  {next}")
        },
    );
    lines.collect()
}
