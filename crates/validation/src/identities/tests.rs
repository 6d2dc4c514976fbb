use super::*;
use crate::fixture::{answer, r1, recorded};
use portcullis_wire::management::ManagementMessage;
use proptest::prelude::*;
use serde_json::{Value as Json, json};

fn known<const N: usize>(ids: [&str; N]) -> Known<IdentityId, KnownConnection> {
    ids.map(|id| (IdentityId::from_wire(id), KnownConnection::default()))
        .into()
}

fn details<const N: usize>(ids: [&str; N], told: &Json) -> ComponentDetails {
    let told = json!({"identity_connections": told, "need_full_sync": null}).to_string();
    let answer = answer([(IDENTITY_CONNECTIONS, &told)]);
    ComponentDetails::from(&compare_identities(&r1(), &known(ids), Ok(&answer)))
}

#[test]
fn identity_that_the_router_does_not_have_is_told_as_recorded() {
    let (content_type, body) = recorded("S identity statuses r1").remove(0);
    // The recording is about the router's own identity, of which the same is not said here.
    let own = r1().id;
    let other = "07xiZ.HqH";
    let text = String::from_utf8(body).unwrap();
    let (head, error) = text.split_at(text.find("ctrl reports").unwrap());
    let expected = format!("{head}{}", error.replace(own.as_str(), other));

    let message = ManagementMessage::IdentityConnectionDetails(details([other], &json!({})));
    let written = message.encode().unwrap();
    assert_eq!(written.content_type.0, content_type);
    assert_eq!(written.body, expected.as_bytes());
    let own = details([own.as_str()], &json!(null));
    assert_eq!((own.is_success, own.errors), (true, vec![]));
}

#[test]
fn what_is_connected_on_one_side_only_is_told() {
    let told = json!({
        "both": {"connections": [{"id": "1", "closed": true}, {"id": "2", "closed": false}]},
        "closed": {"connections": [{"id": "1", "closed": true}]},
        "gone": {"connections": null},
        "new": {"connections": [{"id": "3", "srcAddr": "x"}]},
        "other": {},
    });
    let details = details(["both", "closed", "gone", "nowhere"], &told);
    assert!(details.is_success, "errors alone tell");
    assert_eq!(
        (
            details.component_type.as_str(),
            details.component_name.as_str()
        ),
        ("router", "r1")
    );
    assert_eq!(
        details.errors,
        [
            "router reports identity new connected, but controller disagrees",
            "ctrl reports identity closed is connected, but router disagrees",
            "ctrl reports identity gone is connected, but router disagrees",
            "ctrl reports identity nowhere is connected, but router disagrees",
        ]
    );
}

#[test]
fn reports_that_have_not_arrived_are_told() {
    let told = json!({
        "a": {"unreported_count": 2, "unreported_state_changed": true, "connections": [{}]},
        "b": {"being_reported_count": 1, "connections": [{}]},
        "c": {"unreported_state_changed": true, "connections": [{}]},
    });
    assert_eq!(
        details(["a", "b", "c"], &told).errors,
        [
            "router has 2 unreported events of identity a, one of which says that it has come or gone",
            "router is reporting 1 events of identity b, none of which says that it has come or gone",
            "router has 0 unreported events of identity c, one of which says that it has come or gone",
        ]
    );
}

#[test]
fn nobody_is_connected_to_a_router_that_is_not() {
    let comparison = compare_identities(&r1(), &known(["a"]), Err(NoAnswer::NotConnected));
    let details = ComponentDetails::from(&comparison);
    assert_eq!(
        details.errors,
        ["ctrl reports identity a is connected, but router disagrees"]
    );
    let comparison = compare_identities(&r1(), &known(["a"]), Err(NoAnswer::TimedOut));
    let details = ComponentDetails::from(&comparison);
    assert_eq!(
        (details.is_success, details.errors),
        (
            false,
            vec!["the router has not answered in time".to_owned()]
        )
    );
}

#[test]
fn identities_that_are_not_shown_may_be_connected() {
    let told = r#"{"identity_connections": {}, "errors": ["1 more identities are not shown"]}"#;
    let answer = answer([(IDENTITY_CONNECTIONS, told)]);
    let comparison = compare_identities(&r1(), &known(["a"]), Ok(&answer));
    assert_eq!(
        ComponentDetails::from(&comparison).errors,
        ["the router does not tell all: 1 more identities are not shown"]
    );
    let many = json!({"a": {"connections": vec![json!({"closed": true}); MAX_CONNECTIONS + 1]}});
    assert_eq!(details(["a"], &many).errors, Vec::<String>::new());
}

proptest! {
    #[test]
    fn those_are_told_that_one_side_has(
        known in prop::collection::btree_set("[a-d]{1,2}", 0..8),
        told in prop::collection::btree_set("[a-d]{1,2}", 0..8),
    ) {
        let ids = known.iter().map(|id| (IdentityId::from_wire(id.as_str()), KnownConnection::default()));
        let connections: BTreeMap<_, _> = told.iter().map(|id| (id, json!({"connections": [{}]}))).collect();
        let text = json!({"identity_connections": connections}).to_string();
        let answer = answer([(IDENTITY_CONNECTIONS, &text)]);
        let comparison = compare_identities(&r1(), &ids.collect(), Ok(&answer));
        let found: Vec<_> = comparison.disagreements().collect();
        prop_assert_eq!(found.len(), known.symmetric_difference(&told).count());
        for found in found {
            match found {
                IdentityDisagreement::UnknownToController { identity } =>
                    prop_assert!(!known.contains(identity.as_str())),
                IdentityDisagreement::UnknownToRouter { identity, .. } =>
                    prop_assert!(!told.contains(identity.as_str())),
                other => prop_assert!(false, "{other:?}"),
            }
        }
    }
}
