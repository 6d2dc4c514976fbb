//! Mapping from management API lists to audited entities.

mod credentials;

use credentials::{API_SESSIONS, AUTHENTICATORS, ENROLLMENTS};
use serde_json::{Map, Value, json};

/// A kind of entity that administrators list.
#[derive(Debug)]
pub(super) struct ListedKind {
    /// Its name in the audit trail.
    pub(super) name: &'static str,
    /// Path of the list for administrators. An entity on two lists counts as on the first.
    pub(super) list: &'static str,
    /// Members of the list that are derived from others, from other entities or from the clock.
    pub(super) derived: &'static [&'static str],
    /// Audited members that the list does not show.
    pub(super) hidden: &'static [&'static str],
    /// Members of which only the fact of a change is audited.
    pub(super) secret: &'static [&'static str],
    /// Default values that are not audited when an entity is created or deleted, if they are neither
    /// `false` nor 0 nor empty.
    pub(super) defaults: &'static [(&'static str, &'static str)],
    /// Members that name the owner.
    pub(super) owner: &'static [&'static str],
    /// Converts a list entry to its audited form.
    pub(super) convert: fn(&mut Map<String, Value>),
}

const PLAIN: ListedKind = ListedKind {
    name: "",
    list: "",
    derived: &[],
    hidden: &[],
    secret: &[],
    defaults: &[],
    owner: &[],
    convert: |_members| {},
};

const fn plain(name: &'static str, list: &'static str) -> ListedKind {
    ListedKind {
        name,
        list,
        ..PLAIN
    }
}

/// All kinds that administrators can list.
pub(super) const KINDS: &[ListedKind] = &[
    IDENTITIES,
    ENROLLMENTS,
    AUTHENTICATORS,
    API_SESSIONS,
    plain("auth-policy", "/edge/management/v1/auth-policies"),
    ListedKind {
        secret: &["verificationToken"],
        ..plain("ca", "/edge/management/v1/cas")
    },
    SIGNERS,
    plain("config-type", "/edge/management/v1/config-types"),
    ListedKind {
        derived: &["configType"],
        ..plain("config", "/edge/management/v1/configs")
    },
    ListedKind {
        derived: &["config", "permissions", "postureQueries"],
        hidden: &["isFabricOnly"],
        ..plain("service", "/edge/management/v1/services")
    },
    ListedKind {
        hidden: &["encryptionRequired", "isFabricOnly"],
        ..plain("service", "/fabric/v1/services")
    },
    EDGE_ROUTERS,
    ListedKind {
        list: "/edge/management/v1/transit-routers",
        hidden: &["certPem", "kind"],
        ..EDGE_ROUTERS
    },
    ListedKind {
        derived: &["router", "service", "dynamicCost"],
        hidden: &["hostId"],
        defaults: &[("precedence", "default")],
        ..plain("terminator", "/edge/management/v1/terminators")
    },
    policy("service-policy", "/edge/management/v1/service-policies"),
    policy(
        "edge-router-policy",
        "/edge/management/v1/edge-router-policies",
    ),
    policy(
        "service-edge-router-policy",
        "/edge/management/v1/service-edge-router-policies",
    ),
    POSTURE_CHECKS,
    ListedKind {
        derived: &[
            "apiSession",
            "edgeRouters",
            "identityId",
            "service",
            "servicePolicies",
            "token",
        ],
        secret: &["apiSessionToken"],
        owner: &["identityId"],
        ..plain("session", "/edge/management/v1/sessions")
    },
    ListedKind {
        hidden: &["issuedBefore"],
        ..plain("revocation", "/edge/management/v1/revocations")
    },
];

const IDENTITIES: ListedKind = ListedKind {
    derived: &[
        "authPolicy",
        "authenticators",
        "disabled",
        "edgeRouterConnectionStatus",
        "enrollment",
        "hasApiSession",
        "hasEdgeRouterConnection",
        "interfaces",
        "isMfaEnabled",
        "type",
    ],
    hidden: &["serviceConfigs"],
    defaults: &[
        ("authPolicyId", "default"),
        ("defaultHostingPrecedence", "default"),
        ("typeId", "Default"),
    ],
    ..plain("identity", "/edge/management/v1/identities")
};

const SIGNERS: ListedKind = ListedKind {
    hidden: &["isDraft"],
    defaults: &[("enrollAuthPolicyId", "default")],
    convert: |members| {
        // Shown for a certificate even where there is none.
        if members.get("certPem").is_none_or(Value::is_null) {
            for member in ["commonName", "notAfter", "notBefore"] {
                members.remove(member);
            }
        }
    },
    ..plain(
        "external-jwt-signer",
        "/edge/management/v1/external-jwt-signers",
    )
};

const EDGE_ROUTERS: ListedKind = ListedKind {
    derived: &[
        "capabilities",
        "enrollmentCreatedAt",
        "enrollmentExpiresAt",
        "enrollmentJwt",
        "enrollmentToken",
        "hostname",
        "interfaces",
        "isOnline",
        "isVerified",
        "supportedProtocols",
        "syncStatus",
        "unverifiedCertPem",
        "unverifiedFingerprint",
        "version",
        "versionInfo",
    ],
    hidden: &["kind"],
    ..plain("router", "/edge/management/v1/edge-routers")
};

const POSTURE_CHECKS: ListedKind = ListedKind {
    derived: &["typeId", "version"],
    convert: |members| {
        let processes = members.get_mut("processes").and_then(Value::as_array_mut);
        for process in processes
            .into_iter()
            .flatten()
            .filter_map(Value::as_object_mut)
        {
            process.retain(|_name, value| *value != json!([]));
        }
        let Some(Value::Array(systems)) = members.remove("operatingSystems") else {
            return;
        };
        let by_type = systems.into_iter().map(|system| {
            let name = system["type"].as_str().unwrap_or_default().to_owned();
            let versions = system["versions"].as_array().cloned();
            (name, Value::from(versions.unwrap_or_default()))
        });
        let by_type: Map<_, _> = by_type.collect();
        members.insert("operatingSystems".to_owned(), Value::Object(by_type));
    },
    ..plain("posture-check", "/edge/management/v1/posture-checks")
};

const fn policy(name: &'static str, list: &'static str) -> ListedKind {
    ListedKind {
        derived: &[
            "edgeRouterRolesDisplay",
            "identityRolesDisplay",
            "postureCheckRolesDisplay",
            "serviceRolesDisplay",
        ],
        ..plain(name, list)
    }
}
