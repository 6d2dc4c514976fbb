//! What the segments of paths are called in words.

/// A segment, one of what it stands for, and several of them.
const NOUNS: [(&str, &str, &str); 32] = [
    ("authenticate", "a login", "logging in"),
    ("posture-response", "a report", "reports about machines"),
    ("posture-response-bulk", "reports", "reports about machines"),
    ("enroll", "an enrollment", "completing enrollments"),
    ("api-sessions", "an API session", "API sessions"),
    (
        "auth-policies",
        "an authentication policy",
        "authentication policies",
    ),
    (
        "cas",
        "a third-party certificate authority",
        "third-party certificate authorities",
    ),
    ("certificates", "a certificate", "certificates"),
    (
        "config-types",
        "a type of configurations",
        "types of configurations",
    ),
    ("configs", "a configuration", "configurations"),
    (
        "controller-settings",
        "a setting of controllers",
        "settings of controllers",
    ),
    (
        "current-api-session",
        "the caller's own session",
        "the caller's own sessions",
    ),
    ("current-identity", "the caller", "callers"),
    (
        "edge-router-role-attribute-usage",
        "",
        "role attributes of edge routers, with their use",
    ),
    (
        "edge-router-role-attributes",
        "",
        "role attributes of edge routers",
    ),
    (
        "enumerated-capabilities",
        "",
        "what controllers of this version are capable of",
    ),
    (
        "enumerated-router-capabilities",
        "",
        "what routers of this version are capable of",
    ),
    (
        "external-jwt-signers",
        "an external JWT signer",
        "external JWT signers",
    ),
    (
        "failed-service-requests",
        "a refused service session",
        "refused service sessions",
    ),
    (
        "identity-role-attribute-usage",
        "",
        "role attributes of identities, with their use",
    ),
    (
        "identity-role-attributes",
        "",
        "role attributes of identities",
    ),
    (
        "identity-types",
        "a type of identities",
        "types of identities",
    ),
    (
        "posture-check-role-attribute-usage",
        "",
        "role attributes of posture checks, with their use",
    ),
    (
        "posture-check-role-attributes",
        "",
        "role attributes of posture checks",
    ),
    (
        "posture-check-types",
        "a type of posture checks",
        "types of posture checks",
    ),
    ("routers", "a router", "routers, edge routers among them"),
    (
        "service-role-attribute-usage",
        "",
        "role attributes of services, with their use",
    ),
    ("service-role-attributes", "", "role attributes of services"),
    ("summary", "a count", "counts"),
    ("sessions", "a service session", "service sessions"),
    (
        "specs",
        "a description of an API",
        "descriptions of the APIs",
    ),
    (
        "transit-routers",
        "a router",
        "routers, edge routers among them",
    ),
];

/// One of what a segment stands for, with its article.
pub(super) fn one(segment: &str) -> String {
    if let Some((_, one, _)) = NOUNS.iter().find(|(known, ..)| *known == segment) {
        return (*one).to_owned();
    }
    let words = singular(segment).replace('-', " ");
    let article = if words.starts_with(['a', 'e', 'i', 'o', 'u']) {
        "an"
    } else {
        "a"
    };
    format!("{article} {words}")
}

/// Several of what a segment stands for.
pub(super) fn several(segment: &str) -> String {
    match NOUNS.iter().find(|(known, ..)| *known == segment) {
        Some((_, _, several)) => (*several).to_owned(),
        None => segment.replace('-', " "),
    }
}

/// A segment about one.
pub(super) fn singular(segment: &str) -> String {
    if let Some(stem) = segment.strip_suffix("ies") {
        format!("{stem}y")
    } else {
        segment.strip_suffix('s').unwrap_or(segment).to_owned()
    }
}
