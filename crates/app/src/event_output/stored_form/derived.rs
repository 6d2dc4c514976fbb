//! Which form an entity has, and what follows from what the API says of it.

use super::forms;
use super::members::{Form, PLAIN};
use crate::redaction::redact;
use portcullis_domain::clock::Timestamp;
use portcullis_storage::tables::DisclosedEntity;

/// The form of an entity. What follows from other members, and is not stored here, is added to it.
pub(super) fn form(entity_type: &str, told: &mut DisclosedEntity, at: Timestamp) -> &'static Form {
    match entity_type {
        "services" => &forms::SERVICE,
        "routers" => router(told),
        "identities" => {
            let is_disabled = has(told, "disabledAt") && !is_past(told, "disabledUntil", at);
            insert_flag(told, "disabled", is_disabled);
            &forms::IDENTITY
        },
        "terminators" => &forms::TERMINATOR,
        "servicePolicies" => &forms::SERVICE_POLICY,
        "edgeRouterPolicies" => &forms::EDGE_ROUTER_POLICY,
        "serviceEdgeRouterPolicies" => &forms::SERVICE_EDGE_ROUTER_POLICY,
        "configs" => &forms::CONFIG,
        "configTypes" => &forms::CONFIG_TYPE,
        "authenticators" => {
            authenticator(told);
            &forms::AUTHENTICATOR
        },
        "postureChecks" => {
            let type_id = type_of_check(told);
            told.insert_text("typeId", type_id);
            &forms::POSTURE_CHECK
        },
        "enrollments" => {
            let method = method_of_enrollment(told);
            told.insert_text("method", method);
            &forms::ENROLLMENT
        },
        "cas" => &forms::CA,
        "authPolicies" => {
            let signers = "primary.extJwt.allowedExtJwtSigners";
            told.rename("primary.extJwt.allowedSigners", signers);
            let signer = "secondary.requiredExtJwtSigner";
            told.rename("secondary.requireExtJwtSigner", signer);
            &forms::AUTH_POLICY
        },
        "externalJwtSigners" => {
            told.rename("claimsProperty", "identityIdClaimsSelector");
            redact_texts(told);
            &forms::NAMED
        },
        "sessions" => &forms::SESSION,
        "apiSessions" => &forms::API_SESSION,
        "apiSessionCertificates" => &forms::API_SESSION_CERTIFICATE,
        "mfas" => &forms::MFA,
        "revocations" => &forms::REVOCATION,
        _ => &PLAIN,
    }
}

fn has(told: &DisclosedEntity, path: &str) -> bool {
    told.contains(path) && told.get(path) != Some(b"null")
}

fn insert_flag(told: &mut DisclosedEntity, path: &str, is_set: bool) {
    told.insert(path, if is_set { b"true" } else { b"false" });
}

fn text(told: &DisclosedEntity, path: &str) -> Option<String> {
    serde_json::from_slice(told.get(path)?).ok()
}

fn router(told: &mut DisclosedEntity) -> &'static Form {
    let is_verified = has(told, "fingerprint");
    insert_flag(told, "isVerified", is_verified);
    let is_transit = told.remove("kind");
    if is_transit {
        told.remove("certPem");
        &forms::TRANSIT_ROUTER
    } else {
        &forms::ROUTER
    }
}

fn authenticator(told: &mut DisclosedEntity) {
    let is_password = has(told, "username");
    told.insert_text("type", if is_password { "updb" } else { "cert" });
    told.rename("certPem", "pem");
    if told.contains("renewal") {
        for (from, to) in [
            ("renewal.certPem", "unverifiedPem"),
            ("renewal.fingerprint", "unverifiedFingerprint"),
        ] {
            told.insert(to, b"null");
            told.rename(from, to);
        }
        told.remove("renewal");
    }
}

fn method_of_enrollment(told: &mut DisclosedEntity) -> &'static str {
    let is_edge = told.get("isEdge").map(|is_edge| is_edge == b"true");
    told.remove("isEdge");
    match is_edge {
        Some(true) => {
            told.rename("routerId", "edgeRouterId");
            "erott"
        },
        Some(false) => {
            told.rename("routerId", "transitRouterId");
            "trott"
        },
        None if has(told, "username") => "updb",
        None if has(told, "caId") => "ottca",
        None => "ott",
    }
}

fn is_past(told: &DisclosedEntity, path: &str, at: Timestamp) -> bool {
    let time = text(told, path).and_then(|time| time.parse::<Timestamp>().ok());
    time.is_some_and(|time| time <= at)
}

/// The type of a posture check, by the member that only checks of it have; those for a second factor have several.
fn type_of_check(told: &mut DisclosedEntity) -> &'static str {
    for (member, type_id) in [
        ("domains", "DOMAIN"),
        ("macAddresses", "MAC"),
        ("operatingSystems", "OS"),
        ("processes", "PROCESS_MULTI"),
    ] {
        if told.contains(member) {
            return type_id;
        }
    }
    if !told.contains("process") {
        return "MFA";
    }
    told.rename("process", "");
    told.rename("osType", "operatingSystem");
    told.rename("signerFingerprint", "fingerprint");
    "PROCESS"
}

/// Addresses may name a user with a password.
fn redact_texts(told: &mut DisclosedEntity) {
    let names: Vec<_> = told.names().map(str::to_owned).collect();
    for name in names {
        if let Some(mut text) = text(told, &name) {
            redact(&mut text);
            told.insert_text(&name, &text);
        }
    }
}
