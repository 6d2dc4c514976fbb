//! Which form an entity has, and what follows from what the API says of it.

use super::forms;
use super::members::{Form, PLAIN};
use crate::redaction::redact;
use portcullis_domain::clock::Timestamp;
use serde_json::{Map, Value};

/// The form of an entity. What follows from other members, and is not stored here, is added to it.
pub(super) fn form(
    entity_type: &str,
    told: &mut Map<String, Value>,
    at: Timestamp,
) -> &'static Form {
    match entity_type {
        "services" => &forms::SERVICE,
        "routers" => {
            let is_verified = has(told, "fingerprint");
            told.insert("isVerified".to_owned(), is_verified.into());
            match told.remove("kind") {
                Some(_transit) => {
                    told.remove("certPem");
                    &forms::TRANSIT_ROUTER
                },
                None => &forms::ROUTER,
            }
        },
        "identities" => {
            let is_disabled = has(told, "disabledAt") && !is_past(told.get("disabledUntil"), at);
            told.insert("disabled".to_owned(), is_disabled.into());
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
            told.insert("typeId".to_owned(), type_id.into());
            &forms::POSTURE_CHECK
        },
        "enrollments" => {
            let method = method_of_enrollment(told);
            told.insert("method".to_owned(), method.into());
            &forms::ENROLLMENT
        },
        "cas" => &forms::CA,
        "authPolicies" => {
            if let Some(signers) = member(member(Some(told), "primary"), "extJwt") {
                rename(signers, "allowedSigners", "allowedExtJwtSigners");
            }
            if let Some(second) = member(Some(told), "secondary") {
                rename(second, "requireExtJwtSigner", "requiredExtJwtSigner");
            }
            &forms::AUTH_POLICY
        },
        "externalJwtSigners" => {
            rename(told, "claimsProperty", "identityIdClaimsSelector");
            // Addresses may name a user with a password.
            told.values_mut().for_each(|value| {
                if let Value::String(text) = value {
                    redact(text);
                }
            });
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

fn has(told: &Map<String, Value>, name: &str) -> bool {
    told.get(name).is_some_and(|value| !value.is_null())
}

fn authenticator(told: &mut Map<String, Value>) {
    let method = if has(told, "username") {
        "updb"
    } else {
        "cert"
    };
    told.insert("type".to_owned(), method.into());
    rename(told, "certPem", "pem");
    if let Some(Value::Object(mut renewal)) = told.remove("renewal") {
        for (from, to) in [
            ("certPem", "unverifiedPem"),
            ("fingerprint", "unverifiedFingerprint"),
        ] {
            let value = renewal.remove(from).unwrap_or_default();
            told.insert(to.to_owned(), value);
        }
    }
}

fn method_of_enrollment(told: &mut Map<String, Value>) -> &'static str {
    let is_edge = told.remove("isEdge").and_then(|is_edge| is_edge.as_bool());
    match is_edge {
        Some(true) => {
            rename(told, "routerId", "edgeRouterId");
            "erott"
        },
        Some(false) => {
            rename(told, "routerId", "transitRouterId");
            "trott"
        },
        None if has(told, "username") => "updb",
        None if has(told, "caId") => "ottca",
        None => "ott",
    }
}

fn is_past(time: Option<&Value>, at: Timestamp) -> bool {
    let time = time.and_then(Value::as_str).map(str::parse::<Timestamp>);
    time.is_some_and(|time| time.is_ok_and(|time| time <= at))
}

/// The type of a posture check, by the member that only checks of it have; those for a second factor have several.
fn type_of_check(told: &mut Map<String, Value>) -> &'static str {
    for (member, type_id) in [
        ("domains", "DOMAIN"),
        ("macAddresses", "MAC"),
        ("operatingSystems", "OS"),
        ("processes", "PROCESS_MULTI"),
    ] {
        if told.contains_key(member) {
            return type_id;
        }
    }
    let Some(Value::Object(process)) = told.remove("process") else {
        return "MFA";
    };
    told.extend(process);
    rename(told, "osType", "operatingSystem");
    rename(told, "signerFingerprint", "fingerprint");
    "PROCESS"
}

/// The members of a member.
fn member<'v>(
    members: Option<&'v mut Map<String, Value>>,
    name: &str,
) -> Option<&'v mut Map<String, Value>> {
    members?.get_mut(name)?.as_object_mut()
}

fn rename(members: &mut Map<String, Value>, from: &str, to: &str) {
    if let Some(value) = members.remove(from) {
        members.insert(to.to_owned(), value);
    }
}
