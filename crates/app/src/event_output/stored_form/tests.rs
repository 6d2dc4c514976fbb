use super::*;
use serde::de::{Deserialize, Deserializer, MapAccess, Visitor};
use serde_json::{Value, json};
use std::fmt;

const NOW: Timestamp = Timestamp::UNIX_EPOCH;

/// The state of a service in an event of OpenZiti 2.1.
const SERVICE: &str = r#"{"id":"<svc>","createdAt":"<t>","updatedAt":"<t>","tags":{},"isSystem":false,"name":"svc1","maxIdleTime":0,"terminatorStrategy":"smartrouting","roleAttributes":["svc1"],"configs":["<cfg>"],"encryptionRequired":true,"isFabricOnly":false}"#;

/// An entity of which the API says this.
fn entity(told: &Value) -> DisclosedEntity {
    fn add(entity: &mut DisclosedEntity, path: &str, value: &Value) {
        match value {
            Value::Object(members) if !members.is_empty() => {
                for (name, value) in members {
                    add(entity, &format!("{path}.{name}"), value);
                }
            },
            value => entity.insert(path, value.to_string().as_bytes()),
        }
    }
    let mut entity = DisclosedEntity::default();
    for (name, value) in told.as_object().unwrap() {
        add(&mut entity, name, value);
    }
    entity
}

/// A half of an entity as text.
fn stored_form(entity_type: &str, told: &Value, half: Half) -> String {
    let state = StoredForm::new(entity_type, entity(told), NOW).state(half);
    str::from_utf8(state.json()).unwrap().to_owned()
}

/// The members of an object, in their order.
struct Members(Vec<(String, Value)>);

impl<'de> Deserialize<'de> for Members {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(MembersVisitor)
    }
}

struct MembersVisitor;

impl<'de> Visitor<'de> for MembersVisitor {
    type Value = Members;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<Members, A::Error> {
        let mut members = Vec::new();
        while let Some(member) = entries.next_entry()? {
            members.push(member);
        }
        Ok(Members(members))
    }
}

fn members(entity_type: &str, told: &Value) -> Vec<(String, Value)> {
    let stored = stored_form(entity_type, told, Half::Whole);
    let Members(members) = serde_json::from_str(&stored).unwrap();
    members
}

/// What the API says of a service.
fn service() -> Value {
    json!({
        "id": "<svc>", "createdAt": "<t>", "updatedAt": "<t>", "tags": {}, "name": "svc1",
        "maxIdleTimeMillis": 0, "terminatorStrategy": "smartrouting", "roleAttributes": ["svc1"],
        "configs": ["<cfg>"], "encryptionRequired": true,
    })
}

#[test]
fn service_is_told_as_openziti_tells_it() {
    let stored = stored_form("services", &service(), Half::Whole);
    assert_eq!(stored, SERVICE);
    let fabric = stored_form("services", &service(), Half::Fabric);
    let end = SERVICE.find(r#","roleAttributes""#).unwrap();
    assert_eq!(fabric, format!("{}}}", &SERVICE[..end]));
    let mut bare = service();
    for (name, value) in [
        ("roleAttributes", json!([])),
        ("configs", Value::Null),
        ("maxIdleTimeMillis", json!(1500)),
    ] {
        bare[name] = value;
    }
    let stored = stored_form("services", &bare, Half::Whole);
    let expected = r#""maxIdleTime":1500000000,"terminatorStrategy":"smartrouting","roleAttributes":null,"configs":null,"#;
    assert!(stored.contains(expected), "{stored}");
}

#[test]
fn types_have_the_members_of_openziti_and_then_our_own() {
    let base = "id createdAt updatedAt tags isSystem";
    for (entity_type, told, expected) in [
        (
            "identities",
            json!({"name": "anna", "typeId": "Default", "disabledAt": "<t>", "another": 1}),
            "name identityTypeId isDefaultAdmin isAdmin roleAttributes sdkInfo envInfo defaultHostingPrecedence \
             defaultHostingCost serviceHostingPrecedences serviceHostingCosts appData authPolicyId externalId \
             disabledAt disabledUntil disabled serviceConfigs permissions another",
        ),
        (
            "servicePolicies",
            json!({"name": "p", "type": "Dial", "semantic": "AnyOf"}),
            "policyType name semantic identityRoles serviceRoles postureCheckRoles",
        ),
        (
            "edgeRouterPolicies",
            json!({"name": "p", "isSystem": true}),
            "name semantic identityRoles edgeRouterRoles",
        ),
        (
            "serviceEdgeRouterPolicies",
            json!({"name": "p"}),
            "name semantic serviceRoles edgeRouterRoles",
        ),
        (
            "terminators",
            json!({"serviceId": "s", "routerId": "r", "identity": "i"}),
            "service router binding address instanceId cost precedence peerData hostId savedPrecedence",
        ),
        (
            "routers",
            json!({"name": "r", "fingerprint": "f", "isTunnelerEnabled": true}),
            "name fingerprint cost noTraversal disabled ctrlChanListeners configs isVerified certPem \
             unverifiedCertPem unverifiedFingerprint roleAttributes isTunnelerEnabled appData",
        ),
        (
            "routers",
            json!({"name": "r", "kind": "transit", "certPem": "c"}),
            "name fingerprint cost noTraversal disabled ctrlChanListeners configs isVerified \
             unverifiedFingerprint unverifiedCertPem",
        ),
        ("configs", json!({"configTypeId": "c"}), "name type data"),
        ("configTypes", json!({}), "name schema target"),
        (
            "authenticators",
            json!({"identityId": "i", "username": "anna"}),
            "type identityId subType",
        ),
        (
            "postureChecks",
            json!({"name": "c", "domains": ["d"]}),
            "name typeId roleAttributes subType",
        ),
        (
            "enrollments",
            json!({"identityId": "i", "caId": "c"}),
            "method identityId transitRouterId edgeRouterId expiresAt caId username",
        ),
        ("mfas", json!({"identityId": "i"}), "identityId isVerified"),
    ] {
        let members = members(entity_type, &told);
        let names: Vec<_> = members.iter().map(|(name, _)| name.as_str()).collect();
        assert_eq!(
            names.join(" "),
            format!("{base} {expected}"),
            "{entity_type}"
        );
    }
}

#[test]
fn what_follows_from_other_members_is_added() {
    let member = |entity_type: &str, told: Value, name: &str| {
        let mut members = members(entity_type, &told).into_iter();
        members.find(|(known, _)| known == name).unwrap().1
    };
    let disabled = |told| member("identities", told, "disabled");
    assert_eq!(disabled(json!({"disabledAt": "<t>"})), true);
    assert_eq!(disabled(json!({"disabledAt": null})), false);
    let until = |until: &str| disabled(json!({"disabledAt": "<t>", "disabledUntil": until}));
    assert_eq!(until("1970-01-01T00:00:01Z"), true);
    assert_eq!(until("1969-12-31T23:59:59Z"), false);
    for (told, method) in [
        (json!({"method": "ott", "identityId": "i"}), "ott"),
        (json!({"caId": "c"}), "ottca"),
        (json!({"username": "u"}), "updb"),
        (json!({"routerId": "r", "isEdge": true}), "erott"),
        (json!({"routerId": "r", "isEdge": false}), "trott"),
    ] {
        assert_eq!(member("enrollments", told, "method"), method);
    }
    let edge = json!({"routerId": "r", "isEdge": true});
    assert_eq!(member("enrollments", edge, "edgeRouterId"), "r");
    let renewed = json!({
        "identityId": "i", "certPem": "p", "renewal": {"certPem": "q", "fingerprint": "f"},
    });
    assert_eq!(member("authenticators", renewed.clone(), "type"), "cert");
    assert_eq!(
        member("authenticators", renewed, "subType"),
        json!({"pem": "p", "unverifiedPem": "q", "unverifiedFingerprint": "f"})
    );
    let process = json!({"process": {"osType": "Linux", "path": "/bin/x"}});
    assert_eq!(
        member("postureChecks", process.clone(), "typeId"),
        "PROCESS"
    );
    assert_eq!(
        member("postureChecks", process, "subType"),
        json!({"operatingSystem": "Linux", "path": "/bin/x"})
    );
    assert_eq!(
        member("postureChecks", json!({"promptOnWake": true}), "typeId"),
        "MFA"
    );
}

#[test]
fn members_of_policies_and_signers_have_their_stored_names_and_no_password() {
    let policy = json!({
        "primary": {"extJwt": {"allowed": true, "allowedSigners": ["s"]}},
        "secondary": {"requireTotp": false, "requireExtJwtSigner": "s"},
    });
    let stored = stored_form("authPolicies", &policy, Half::Whole);
    for name in [
        r#""allowedExtJwtSigners":["s"]"#,
        r#""requiredExtJwtSigner":"s""#,
    ] {
        assert!(stored.contains(name), "{stored}");
    }
    let signer = json!({"name": "s", "jwksEndpoint": "https://user:hunter2@idp.example.test/keys"});
    let stored = stored_form("externalJwtSigners", &signer, Half::Whole);
    assert!(
        stored.contains("idp.example.test") && !stored.contains("hunter2"),
        "{stored}"
    );
}
