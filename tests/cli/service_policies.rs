//! The policies that select both of their sides.

use crate::Session;
use crate::lists::names;
use insta::assert_snapshot;
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
    let other = session.json(&["service", "create", &wiki]);
    let other = other["id"].as_str().unwrap();
    let unclear = format!("@{wiki}");
    session.json(&["service-policy", "create", "taken", "dial"]);
    let transcript = session.transcript(&[
        "service-policy create p dial --service-roles @nope",
        "service-policy create p dial --identity-roles @wiki",
        "service-policy create p dial -p @nope",
        &format!("service-policy create p dial --service-roles {unclear}"),
        "service-policy create p dial --service-roles wiki",
        "service-policy create p dial --service-roles #all,#a",
        "service-policy create p carry",
        "service-policy create p",
        "service-policy create p dial --semantic most-of",
        "service-policy create taken bind",
        "service-policy update taken",
        "service-policy show nobody",
        "edge-router-policy create p --edge-router-roles @nope",
        "edge-router-policy update taken",
        "edge-router-policy show nobody",
        "service-edge-router-policy update taken",
        "service-edge-router-policy show nobody",
    ]);
    let transcript = transcript.replace(&wiki, "WIKI").replace(other, "OTHER");
    assert_snapshot!(transcript, @r"
        $ portcullis service-policy create p dial --service-roles @nope
        error: --service-roles `@nope`: no service with id or name `nope` exists
        hint: run `portcullis service list` to list them
        [1]
        $ portcullis service-policy create p dial --identity-roles @wiki
        error: --identity-roles `@wiki`: no identity with id or name `wiki` exists
        hint: run `portcullis identity list` to list them
        [1]
        $ portcullis service-policy create p dial -p @nope
        error: --posture-check-roles `@nope`: no posture check with id or name `nope` exists
        hint: run `portcullis posture-check list` to list them
        [1]
        $ portcullis service-policy create p dial --service-roles @WIKI
        error: --service-roles `@WIKI`: `WIKI` is ambiguous: it is the id of the service with name `wiki` and the name of the service with id `OTHER`
        hint: use `id:WIKI` or `name:WIKI`
        [1]
        $ portcullis service-policy create p dial --service-roles wiki
        error: invalid value 'wiki' for '--service-roles <SELECTORS>': `wiki` is not a selector: use `#wiki` for a role attribute, or `@wiki` for a name or id

        For more information, try '--help'.
        [2]
        $ portcullis service-policy create p dial --service-roles #all,#a
        warning: --service-roles: no service has the role attribute `#a` yet
        error: --service-roles: these selectors cannot be combined: --service-roles: #all must be the only selector; remove the others
        [2]
        $ portcullis service-policy create p carry
        error: invalid value 'carry' for '<TYPE>'
          [possible values: dial, bind]

        For more information, try '--help'.
        [2]
        $ portcullis service-policy create p
        error: the following required arguments were not provided:
          <TYPE>

        Usage: portcullis service-policy create <NAME> <TYPE>

        For more information, try '--help'.
        [2]
        $ portcullis service-policy create p dial --semantic most-of
        error: invalid value 'most-of' for '--semantic <SEMANTIC>'
          [possible values: all-of, any-of]

        For more information, try '--help'.
        [2]
        $ portcullis service-policy create taken bind
        error: a service policy named `taken` exists already
        hint: see it with `portcullis service-policy show taken`
        request id: REQUEST
        [1]
        $ portcullis service-policy update taken
        error: nothing to change: no options were given
        hint: see `portcullis service-policy update --help`
        [2]
        $ portcullis service-policy show nobody
        error: no service policy with id or name `nobody` exists
        hint: run `portcullis service-policy list` to list them
        [1]
        $ portcullis edge-router-policy create p --edge-router-roles @nope
        error: --edge-router-roles `@nope`: no edge router with id or name `nope` exists
        hint: run `portcullis edge-router list` to list them
        [1]
        $ portcullis edge-router-policy update taken
        error: nothing to change: no options were given
        hint: see `portcullis edge-router-policy update --help`
        [2]
        $ portcullis edge-router-policy show nobody
        error: no edge-router policy with id or name `nobody` exists
        hint: run `portcullis edge-router-policy list` to list them
        [1]
        $ portcullis service-edge-router-policy update taken
        error: nothing to change: no options were given
        hint: see `portcullis service-edge-router-policy update --help`
        [2]
        $ portcullis service-edge-router-policy show nobody
        error: no service-edge-router policy with id or name `nobody` exists
        hint: run `portcullis service-edge-router-policy list` to list them
        [1]
        ");
    assert_eq!(names(&session.json(&["service-policy", "list"])), ["taken"]);
}
