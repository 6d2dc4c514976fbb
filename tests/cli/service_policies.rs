//! The policies that select both of their sides.

use crate::Session;
use crate::lists::names;
use serde_json::{Value, json};

/// A network with something to select.
fn network() -> Session {
    let session = Session::logged_in();
    session.json(&["identity", "create", "anna", "--role-attributes", "staff"]);
    session.json(&["service", "create", "wiki", "-a", "intranet"]);
    session.json(&["edge-router", "create", "r1", "-a", "public"]);
    session.json(&["posture-check", "create", "mfa", "code", "-a", "strict"]);
    session
}

fn id(session: &Session, noun: &str, name: &str) -> String {
    let found = session.json(&[noun, "show", name]);
    found["id"].as_str().unwrap().to_owned()
}

#[test]
fn policies_live_from_creation_to_deletion() {
    let session = network();
    for (noun, kind, sides) in [
        (
            "service-policy",
            Some("dial"),
            &[
                (
                    "--service-roles",
                    "serviceRoles",
                    "service",
                    "wiki",
                    "#intranet",
                ),
                (
                    "--identity-roles",
                    "identityRoles",
                    "identity",
                    "anna",
                    "#staff",
                ),
                (
                    "-p",
                    "postureCheckRoles",
                    "posture-check",
                    "code",
                    "#strict",
                ),
            ][..],
        ),
        (
            "edge-router-policy",
            None,
            &[
                (
                    "--edge-router-roles",
                    "edgeRouterRoles",
                    "edge-router",
                    "r1",
                    "#public",
                ),
                (
                    "--identity-roles",
                    "identityRoles",
                    "identity",
                    "anna",
                    "#staff",
                ),
            ],
        ),
        (
            "service-edge-router-policy",
            None,
            &[
                (
                    "--service-roles",
                    "serviceRoles",
                    "service",
                    "wiki",
                    "#intranet",
                ),
                (
                    "--edge-router-roles",
                    "edgeRouterRoles",
                    "edge-router",
                    "r1",
                    "#public",
                ),
            ],
        ),
    ] {
        let mut create = vec![noun, "create", "p"];
        create.extend(kind);
        let selectors: Vec<_> = (sides.iter())
            .map(|(_, _, _, name, attribute)| format!("{attribute},@{name}"))
            .collect();
        for ((option, ..), selectors) in sides.iter().zip(&selectors) {
            create.extend([*option, selectors]);
        }
        let made = session.json(&create);
        assert_eq!(made["semantic"], "AnyOf");
        for (_, member, of, name, attribute) in sides {
            let by_id = format!("@{}", id(&session, of, name));
            let mut roles: Vec<_> = made[member].as_array().unwrap().clone();
            roles.sort_by_key(Value::to_string);
            assert_eq!(roles, [json!(attribute), json!(by_id)], "{noun} {member}");
            let display = made[format!("{member}Display")].to_string();
            assert!(display.contains(&format!("\"@{name}\"")), "{display}");
        }
        changed_and_deleted(&session, noun, &made, sides[0]);
    }
}

fn changed_and_deleted(
    session: &Session,
    noun: &str,
    made: &Value,
    (option, member, of, name, _): (&str, &str, &str, &str, &str),
) {
    let policy = made["id"].as_str().unwrap();
    assert_eq!(&session.json(&[noun, "show", policy]), made);
    let by_id = format!("@{}", id(session, of, name));
    let update = [noun, "update", "p", "--name", "q", "--semantic", "all-of"];
    let changed = session.json(&[&update[..], &[option, &by_id]].concat());
    assert_eq!(changed[member], json!([by_id]));
    assert_eq!(
        (&changed["name"], &changed["semantic"]),
        (&json!("q"), &json!("AllOf"))
    );
    assert_eq!(changed["id"], made["id"]);
    let table = session
        .run(&[noun, "list", "--filter", "name = \"q\""])
        .success()
        .text();
    assert!(table.contains(&format!("@{name}")), "{table}");
    let empty = session.json(&[noun, "update", "q", option, ""]);
    assert!(empty[member].is_null(), "{empty}");
    let shown = session.run(&[noun, "show", "q"]).success().text();
    assert!(shown.contains("none"), "{shown}");
    session.run(&[noun, "delete", "q"]).success();
    let left = session.json(&[noun, "list", "--filter", "name = \"q\""]);
    assert!(names(&left).is_empty());
}

#[test]
fn selectors_that_mean_nothing_are_refused() {
    let session = network();
    let wiki = id(&session, "service", "wiki");
    // A service whose name is the id of another one.
    session.json(&["service", "create", &wiki]);
    let unclear = format!("@{wiki}");
    let create = ["service-policy", "create"];
    session.json(&[&create[..], &["taken", "dial"]].concat());
    for (arguments, code, told) in [
        (
            &["p", "dial", "--service-roles", "@nope"][..],
            1,
            "--service-roles `@nope`: no ",
        ),
        (
            &["p", "dial", "--identity-roles", "@wiki"],
            1,
            "--identity-roles `@wiki`: no ",
        ),
        (
            &["p", "dial", "-p", "@nope"],
            1,
            "--posture-check-roles `@nope`: no ",
        ),
        (
            &["p", "dial", "--service-roles", &unclear],
            1,
            "is ambiguous",
        ),
        (&["p", "dial", "--service-roles", "wiki"], 2, "`@wiki`"),
        (&["p", "dial", "--service-roles", "#all,#a"], 2, "#all"),
        (&["p", "carry"], 2, "dial"),
        (&["p"], 2, "TYPE"),
        (&["p", "dial", "--semantic", "most-of"], 2, "all-of"),
        (&["taken", "bind"], 1, "name"),
    ] {
        let line = [&create[..], arguments].concat();
        let refused = session.run(&line).expect_code(code).stderr;
        assert!(refused.contains(told), "{line:?}: {refused}");
    }
    for noun in [
        "service-policy",
        "edge-router-policy",
        "service-edge-router-policy",
    ] {
        let nothing = session
            .run(&[noun, "update", "taken"])
            .expect_code(2)
            .stderr;
        assert!(nothing.contains("nothing to change"), "{nothing}");
        let missing = session.run(&[noun, "show", "nobody"]).expect_code(1).stderr;
        assert!(
            missing.contains(&format!("portcullis {noun} list")),
            "{missing}"
        );
    }
    let unknown = [
        "edge-router-policy",
        "create",
        "p",
        "--edge-router-roles",
        "@nope",
    ];
    let refused = session.run(&unknown).expect_code(1).stderr;
    assert!(refused.contains("--edge-router-roles `@nope`"), "{refused}");
    assert_eq!(names(&session.json(&["service-policy", "list"])), ["taken"]);
}
