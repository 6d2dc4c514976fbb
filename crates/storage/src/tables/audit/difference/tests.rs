use super::super::schema::audit_schema;
use super::super::value::{MAX_ITEMS, MAX_VALUE_BYTES};
use super::*;
use crate::tables::{AUTHENTICATOR, IDENTITY, POSTURE_CHECK};
use serde_json::{Value, json};

fn node(json: &str) -> Node<'_> {
    Node::read(json.as_bytes()).unwrap()
}

fn diff(before: Option<&Value>, after: Option<&Value>, kind: crate::key::Kind) -> (Value, usize) {
    let text = |record: Option<&Value>| record.map(Value::to_string);
    let (before, after) = (text(before), text(after));
    let (before, after) = (before.as_deref().map(node), after.as_deref().map(node));
    let difference = Difference::between(before, after, audit_schema(kind));
    let more = difference.more;
    (serde_json::to_value(&difference).unwrap(), more)
}

fn identity(before: &Value, after: &Value) -> Value {
    let spec = |spec: &Value| json!({"id": "i", "updated_at": 1, "spec": spec});
    diff(Some(&spec(before)), Some(&spec(after)), IDENTITY).0
}

#[test]
fn changed_members_are_told_with_both_values_by_the_names_of_the_api() {
    let before = json!({"id": "i", "updated_at": 1, "attached": {"authenticators": 1},
        "spec": {"name": "laptop", "is_admin": true, "tags": {"site": "berlin", "floor": 2}}});
    let after = json!({"id": "i", "updated_at": 2, "attached": {"authenticators": 2},
        "spec": {"name": "laptop", "external_id": "x", "auth_policy": "p",
            "hosting": {"default_cost": 7, "costs": {"service_1": 3}},
            "tags": {"site": "bonn", "new_one": 1}}});
    let expected = json!({
        "isAdmin": {"old": true, "new": false},
        "externalId": {"old": null, "new": "x"},
        "authPolicyId": {"old": "default", "new": "p"},
        "defaultHostingCost": {"old": 0, "new": 7},
        "serviceHostingCosts.service_1": {"new": 3},
        "tags.site": {"old": "berlin", "new": "bonn"},
        "tags.floor": {"old": 2},
        "tags.new_one": {"new": 1},
    });
    assert_eq!(diff(Some(&before), Some(&after), IDENTITY), (expected, 0));
}

#[test]
fn secrets_are_told_as_changed() {
    let with = |hash: &str| {
        json!({"id": "a", "credential": {"updb": {"username": "u", "password": {"hash": hash}}},
            "tags": {"password": "of the door"}})
    };
    let expected = json!({"password": "changed"});
    let (one, two) = (with("one"), with("two"));
    assert_eq!(diff(Some(&one), Some(&two), AUTHENTICATOR).0, expected);
    let unknown = crate::key::Kind::new::<0xEE>();
    let (before, after) = (json!({}), json!({"name": "x", "spec": {"key": "k"}}));
    let expected = json!({"name": "changed", "spec": "changed"});
    assert_eq!(diff(Some(&before), Some(&after), unknown).0, expected);
}

#[test]
fn nothing_that_users_attach_pushes_out_what_the_record_says_itself() {
    let many: serde_json::Map<_, _> = (0..60).map(|n| (format!("a{n:02}"), json!(n))).collect();
    let before = json!({"spec": {"name": "laptop"}});
    let after = json!({"spec": {"name": "laptop", "is_admin": true, "external_id": "x",
        "app_data": many, "tags": many}});
    let (changes, more) = diff(Some(&before), Some(&after), IDENTITY);
    assert_eq!(changes["isAdmin"], json!({"old": false, "new": true}));
    assert_eq!(changes["externalId"], json!({"old": null, "new": "x"}));
    assert_eq!(
        (changes.as_object().unwrap().len(), more),
        (2 + MAX_USER_DEFINED, 88)
    );
}

#[test]
fn lists_are_told_by_what_was_added_and_removed() {
    let attributes = |numbers: std::ops::Range<usize>| -> Value {
        let items: Vec<_> = numbers.map(|n| format!("attribute-{n:03}")).collect();
        json!({"role_attributes": items})
    };
    let changes = identity(&attributes(0..60), &attributes(1..61));
    let expected = json!({"added": ["attribute-060"], "removed": ["attribute-000"]});
    assert_eq!(changes["roleAttributes"], expected);
    let changes = identity(&json!({}), &attributes(0..60));
    let changes = &changes["roleAttributes"];
    assert_eq!(changes["added"].as_array().unwrap().len(), MAX_ITEMS);
    assert_eq!(changes["moreAdded"], 60 - MAX_ITEMS);
    let turned = json!({"permissions": ["b", "a"]});
    let changes = identity(&json!({"permissions": ["a", "b"]}), &turned);
    assert_eq!(changes["permissions"], json!({"reordered": true}));
}

#[test]
fn what_is_cut_still_shows_that_it_changed() {
    let long = |end: &str| json!({"external_id": "é".repeat(MAX_VALUE_BYTES) + end});
    let changes = identity(&long("1"), &long("2"));
    let shown = |side: &str| changes["externalId"][side].as_str().unwrap().to_owned();
    assert_ne!(shown("old"), shown("new"));
    for side in ["old", "new"] {
        let shown = shown(side);
        assert!(shown.contains("(513 bytes, SHA-256 "), "{shown}");
        assert!(shown.len() < MAX_VALUE_BYTES + 64, "{shown}");
    }
    let key = "k".repeat(60_000);
    let tags = json!({"tags": {key.as_str(): 1, (key.clone() + "2"): 2}});
    let changes = identity(&json!({}), &tags);
    assert_eq!(changes.as_object().unwrap().len(), 2);
    assert!(changes.to_string().len() < 400, "{changes}");
}

#[test]
fn what_takes_the_place_of_an_object_is_told_with_it() {
    let record = |method: Value| json!({"enrollment": {"method": method}});
    let (before, after) = (
        record(json!("ott")),
        record(json!({"updb": {"username": "anna"}})),
    );
    let expected = json!({"method": {"old": "ott", "new": null},
        "username": {"old": null, "new": "anna"}});
    let (changes, _) = diff(Some(&before), Some(&after), crate::tables::ENROLLMENT);
    assert_eq!(changes, expected);
}

#[test]
fn times_are_told_as_the_api_tells_them() {
    let before = json!({"disabled": {"at": 1_932_000_000_009_u64}});
    let after = json!({"disabled": {"at": 1_932_000_001_000_u64, "until": 1_932_000_060_000_u64}});
    let expected = json!({
        "disabledAt": {"old": "2031-03-23T02:40:00.009Z", "new": "2031-03-23T02:40:01.000Z"},
        "disabledUntil": {"old": null, "new": "2031-03-23T02:41:00.000Z"},
    });
    let changes = diff(Some(&before), Some(&after), IDENTITY).0;
    assert_eq!(changes, expected);
}

#[test]
fn what_is_not_stored_is_told_as_what_it_is_then() {
    let certificate = |more: Value| json!({"credential": {"cert": more}});
    let before = certificate(json!({}));
    let after =
        certificate(json!({"last_login_reached_root": true, "last_renewal_rolled_key": true}));
    let expected = json!({
        "lastAuthResolvedToRoot": {"old": false, "new": true},
        "lastExtendRolledKeys": {"old": null, "new": true},
    });
    assert_eq!(diff(Some(&before), Some(&after), AUTHENTICATOR).0, expected);
    let check = |more: Value| json!({"spec": {"check": {"MFA": more}}});
    let (before, after) = (check(json!({"timeout_seconds": 60})), check(json!({})));
    let expected = json!({"timeoutSeconds": {"old": 60, "new": -1}});
    assert_eq!(diff(Some(&before), Some(&after), POSTURE_CHECK).0, expected);
}

#[test]
fn empty_lists_and_items_of_lists_are_told_as_the_api_has_them() {
    let systems = |systems: Value| json!({"spec": {"check": {"OS": systems}}});
    let (before, after) = (systems(json!({})), systems(json!({"macOS": []})));
    let expected = json!({"operatingSystems.macOS": {"old": null, "new": []}});
    assert_eq!(diff(Some(&before), Some(&after), POSTURE_CHECK).0, expected);
    let process = json!({"os_type": "Linux", "path": "/bin/x", "signers": ["aa"]});
    let processes =
        |processes: Value| json!({"check": {"PROCESS_MULTI": {"processes": processes}}});
    let (before, after) = (processes(json!([])), processes(json!([process])));
    let (before, after) = (json!({"spec": before}), json!({"spec": after}));
    let shown = json!({"osType": "Linux", "path": "/bin/x", "signerFingerprints": ["aa"]});
    let expected = json!({"processes": {"added": [shown]}});
    assert_eq!(diff(Some(&before), Some(&after), POSTURE_CHECK).0, expected);
}
