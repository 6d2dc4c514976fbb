//! `roleFilter` and `roleSemantic`: lists restricted by selectors.

use crate::support::lists::{list, names, pagination};
use crate::support::{create, revision, text};
use portcullis_testkit::Harness;
use serde_json::json;

/// Three identities with attributes and one without; their ids are in the order of their names.
async fn coloured() -> (Harness, String, Vec<String>) {
    let controller = Harness::start().await;
    let admin = controller.admin().await;
    let mut ids = Vec::new();
    for (name, attributes) in [
        ("a", json!(["red", "blue"])),
        ("b", json!(["red"])),
        ("c", json!(["green", "with space"])),
        ("d", json!([])),
    ] {
        let more = json!({"roleAttributes": attributes});
        ids.push(create(&controller, &admin, name, more).await);
    }
    (controller, admin, ids)
}

#[tokio::test]
async fn selectors_choose_who_carries_or_is_named() {
    let (controller, admin, ids) = coloured().await;
    let everybody = &["a", "admin", "b", "c", "d"][..];
    let by_id = format!("@{}", ids[3]);
    for (selectors, semantic, expected) in [
        (&["#red"][..], None, &["a", "b"][..]),
        (&["#with space"], None, &["c"]),
        (&["#nobody"], None, &[]),
        (&["#Red"], None, &[]),
        (&["#all"], None, everybody),
        (&[&*by_id], None, &["d"]),
        (&["@d"], None, &["d"]),
        (&["@nobody"], None, &[]),
        (&["#red", "#blue"], None, &["a"]),
        (&["#red", "#blue"], Some("AllOf"), &["a"]),
        (&["#red", "#blue"], Some("allof"), &["a"]),
        (&["#red", "#blue"], Some(""), &["a"]),
        (&["#red", "#green"], None, &[]),
        (&["#red", "#green"], Some("AnyOf"), &["a", "b", "c"]),
        (&["#red", "#green"], Some("ANYOF"), &["a", "b", "c"]),
        (&["#red", "#all"], None, &["a", "b"]),
        (&["#red", "#all"], Some("AnyOf"), everybody),
        // Who is named is selected, whatever the semantic is.
        (&["@c", "@d"], None, &["c", "d"]),
        (&["@c", &*by_id], Some("AllOf"), &["c", "d"]),
        (&["#red", "@d"], None, &["a", "b", "d"]),
        (&["#red", "#blue", "@d"], None, &["a", "d"]),
        (&["#red", "#blue", "@d"], Some("AnyOf"), &["a", "b", "d"]),
        (&["#red", "@a"], None, &["a", "b"]),
        (&["#red", "@nobody"], None, &["a", "b"]),
    ] {
        let mut parameters = vec![("sort", "name")];
        parameters.extend(selectors.iter().map(|selector| ("roleFilter", *selector)));
        parameters.extend(semantic.map(|semantic| ("roleSemantic", semantic)));
        let reply = list(&controller, &admin, "/identities", &parameters).await;
        assert_eq!(names(&reply), expected, "{parameters:?}");
        assert_eq!(pagination(&reply).2, expected.len(), "{parameters:?}");
    }
}

#[tokio::test]
async fn selectors_restrict_what_filters_leave() {
    let (controller, admin, ids) = coloured().await;
    let red = ("roleFilter", "#red");
    let not_a = ("filter", r#"name != "a""#);
    for (parameters, expected, total) in [
        (vec![red, not_a], &["b"][..], 1),
        (vec![red, ("filter", "false")], &[], 0),
        (vec![red, ("filter", r#"name = "c" or name = "d""#)], &[], 0),
        (vec![red, ("sort", "name desc")], &["b", "a"], 2),
        (vec![red, ("sort", "name"), ("limit", "1")], &["a"], 2),
        (vec![red, ("sort", "name"), ("offset", "1")], &["b"], 2),
        (vec![red, ("offset", "2")], &[], 2),
        (
            vec![red, ("filter", "sort by name desc skip 1 limit 1")],
            &["a"],
            2,
        ),
        (
            vec![red, ("filter", "sort by name limit none")],
            &["a", "b"],
            2,
        ),
        (
            vec![("roleSemantic", "AnyOf"), ("filter", r#"name < "admin""#)],
            &["a"],
            1,
        ),
    ] {
        let reply = list(&controller, &admin, "/identities", &parameters).await;
        assert_eq!(names(&reply), expected, "{parameters:?}");
        assert_eq!(pagination(&reply).2, total, "{parameters:?}");
    }
    // The id that a name would have is no name, and the other way round.
    let named = create(&controller, &admin, &ids[0], json!({})).await;
    let by_either = format!("@{}", ids[0]);
    let parameters = [
        ("roleFilter", &*by_either),
        ("sort", "createdAt, name desc"),
    ];
    let reply = list(&controller, &admin, "/identities", &parameters).await;
    let data = reply.data();
    let found: Vec<_> = data
        .as_array()
        .unwrap()
        .iter()
        .map(|row| text(row, "id"))
        .collect();
    assert_eq!(found.len(), 2, "one by its id, one by its name");
    assert!(found.contains(&&*ids[0]) && found.contains(&&*named));
}

#[tokio::test]
async fn what_selects_nothing_is_refused() {
    let (controller, admin, _ids) = coloured().await;
    let at = revision(&controller);
    for (parameters, mentions) in [
        (&[("roleFilter", "red")][..], "`red`"),
        (&[("roleFilter", "")], "``"),
        (&[("roleFilter", "é")], "`é`"),
        (&[("roleFilter", "#red"), ("roleFilter", "blue")], "`blue`"),
        (
            &[("roleFilter", "#red"), ("roleSemantic", "OneOf")],
            "`OneOf`",
        ),
    ] {
        let reply = list(&controller, &admin, "/identities", parameters).await;
        assert_eq!(
            reply.error(),
            (400, "INVALID_FILTER".to_owned()),
            "{parameters:?}"
        );
        let body = reply.json();
        let message = text(&body["error"]["cause"], "message").to_owned();
        assert!(message.contains(mentions), "{parameters:?}: {message}");
    }
    // Kinds without role attributes know no selectors.
    let parameters = [("roleFilter", "nonsense")];
    for path in [
        "/enrollments",
        "/authenticators",
        "/auth-policies",
        "/api-sessions",
    ] {
        let reply = list(&controller, &admin, path, &parameters).await;
        assert_eq!(reply.status, 200, "{path}: {}", reply.text());
    }
    assert_eq!(revision(&controller), at);
}
