//! What the lists of services and of everything around them say of themselves.

use crate::lists::shapes::rows;
use crate::support::get;
use crate::support::lists::names;
use crate::support::posture::PostureFixture;
use portcullis_storage::tables::COLLECTIONS;
use serde_json::{Value, json};

/// The kinds, with the symbols that their filters know beside those of every kind.
const KINDS: &[(&str, &[&str])] = &[
    ("config-types", &["name", "schema", "target"]),
    ("configs", &["name", "type"]),
    (
        "services",
        &[
            "name",
            "terminatorStrategy",
            "roleAttributes",
            "isFabricOnly",
            "configs",
        ],
    ),
    (
        "edge-routers",
        &[
            "name",
            "fingerprint",
            "cost",
            "noTraversal",
            "disabled",
            "configs",
            "roleAttributes",
            "isVerified",
            "isTunnelerEnabled",
            "connected",
            "online",
        ],
    ),
    (
        "transit-routers",
        &[
            "name",
            "fingerprint",
            "cost",
            "noTraversal",
            "disabled",
            "configs",
            "connected",
        ],
    ),
    (
        "terminators",
        &[
            "binding",
            "address",
            "instanceId",
            "hostId",
            "sourceCtrl",
            "service",
            "router",
            "service.name",
            "router.name",
        ],
    ),
    (
        "service-policies",
        &[
            "name",
            "type",
            "semantic",
            "identityRoles",
            "serviceRoles",
            "postureCheckRoles",
            "identities",
            "services",
        ],
    ),
    (
        "edge-router-policies",
        &["name", "semantic", "identityRoles", "edgeRouterRoles"],
    ),
    (
        "service-edge-router-policies",
        &["name", "semantic", "serviceRoles", "edgeRouterRoles"],
    ),
    (
        "posture-checks",
        &[
            "name",
            "typeId",
            "roleAttributes",
            "promptOnWake",
            "promptOnUnlock",
        ],
    ),
    ("sessions", &["token", "apiSession", "service", "type"]),
    ("revocations", &["type", "expiresAt", "issuedBefore"]),
];

/// Kinds whose lists other files test, and those that have no list of this name.
const ELSEWHERE: &[&str] = &[
    "identities",
    "auth-policies",
    "enrollments",
    "authenticators",
    "api-sessions",
    "cas",
    "external-jwt-signers",
    "api-session-certificates",
    "mfas",
    "routers",
];

#[test]
fn no_kind_is_forgotten() {
    for (collection, _) in COLLECTIONS {
        let is_here = KINDS.iter().any(|(kind, _)| kind == collection);
        let is_elsewhere = ELSEWHERE.contains(collection);
        assert!(is_here || is_elsewhere, "{collection} needs a row in KINDS");
    }
}

/// A stage with at least one entity of each kind.
async fn furnished() -> PostureFixture {
    let stage = PostureFixture::new().await;
    let data = json!({"protocol": "tcp", "address": "db", "port": 5432});
    let config = json!({"name": "config", "configTypeId": "NH5p4FpGR", "data": data});
    stage.create("/configs", config).await;
    stage.create("/transit-routers", json!({"name": "t"})).await;
    let terminator =
        json!({"service": stage.service, "router": "gate", "binding": "b", "address": "a"});
    stage.create("/terminators", terminator).await;
    let revoked = json!({"id": "6f0b6c9e-1f63-4d0a-9a55-0d5be1c0ffee", "type": "JTI"});
    stage.create("/revocations", revoked).await;
    stage.check("check", json!({"typeId": "MFA"})).await;
    stage.allow("dial", "Dial", &[]).await;
    stage.connect(&stage.person.session, "Dial").await.data();
    stage
}

#[tokio::test]
async fn lists_name_their_symbols_and_show_what_details_show() {
    let stage = furnished().await;
    for (kind, fields) in KINDS {
        let path = format!("/{kind}");
        let shown = rows(&stage.controller, &stage.admin, &path, fields).await;
        assert!(!shown.is_empty(), "{kind}");
        for row in &shown {
            assert!(row["tags"].is_object(), "{kind}: {row}");
            for time in ["createdAt", "updatedAt"] {
                assert!(row[time].is_string(), "{kind}: {row}");
            }
        }
    }
}

#[tokio::test]
async fn every_symbol_can_be_asked_for() {
    let stage = furnished().await;
    for (kind, fields) in KINDS {
        for field in *fields {
            let is_set = ["configs", "identities", "services"].contains(field)
                || field.ends_with("Roles")
                || *field == "roleAttributes";
            let test = if is_set {
                format!("count({field}) >= 0")
            } else {
                format!("{field} = null or {field} != null sort by {field} desc")
            };
            let query = crate::support::lists::encode(&test);
            let path = format!("/{kind}?filter={query}");
            let all = get(&stage.controller, &stage.admin, &format!("/{kind}")).await;
            let asked = get(&stage.controller, &stage.admin, &path).await;
            let count = |reply: Value| reply.as_array().unwrap().len();
            assert_eq!(count(asked.data()), count(all.data()), "{kind}: {test}");
        }
    }
    let by_service = crate::support::lists::encode(r#"service.name = "vault""#);
    let path = format!("/terminators?filter={by_service}");
    let found = get(&stage.controller, &stage.admin, &path).await.data();
    assert_eq!(found[0]["binding"], "b");
    let routers = get(
        &stage.controller,
        &stage.admin,
        "/transit-routers?sort=name",
    )
    .await;
    assert_eq!(names(&routers), ["gate", "t"], "it lists all routers");
}
