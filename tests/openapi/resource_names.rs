//! English names of the resources in path segments.

/// A segment, its singular with an article, and its plural.
const RESOURCE_NAMES: [(&str, &str, &str); 32] = [
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
        "capabilities of controllers of this version",
    ),
    (
        "enumerated-router-capabilities",
        "",
        "capabilities of routers of this version",
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

/// The singular of a segment, with its article.
pub(crate) fn singular_with_article(segment: &str) -> String {
    if let Some((_, one, _)) = RESOURCE_NAMES.iter().find(|(known, ..)| *known == segment) {
        return (*one).to_owned();
    }
    let noun = singular_segment(segment).replace('-', " ");
    let article = if noun.starts_with(['a', 'e', 'i', 'o', 'u']) {
        "an"
    } else {
        "a"
    };
    format!("{article} {noun}")
}

/// The plural of a segment.
pub(crate) fn plural(segment: &str) -> String {
    match RESOURCE_NAMES.iter().find(|(known, ..)| *known == segment) {
        Some((_, _, several)) => (*several).to_owned(),
        None => segment.replace('-', " "),
    }
}

/// The segment of a single entity.
pub(crate) fn singular_segment(segment: &str) -> String {
    if let Some(stem) = segment.strip_suffix("ies") {
        format!("{stem}y")
    } else {
        segment.strip_suffix('s').unwrap_or(segment).to_owned()
    }
}
