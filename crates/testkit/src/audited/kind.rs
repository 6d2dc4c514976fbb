//! How lists show what the audit trail tells of.

mod credentials;

use credentials::{API_SESSIONS, AUTHENTICATORS, ENROLLMENTS};
use serde_json::{Map, Value, json};

/// A kind of entities.
#[derive(Debug)]
pub(super) struct Kind {
    /// What operations call one.
    pub(super) noun: &'static str,
    /// Where administrators list them. What is on two lists counts as it is on the first.
    pub(super) list: &'static str,
    /// Members of the list that follow from others, from other entities or from the clock.
    pub(super) derived: &'static [&'static str],
    /// Members that the trail tells of and the list does not show.
    pub(super) hidden: &'static [&'static str],
    /// Members of which the trail says that they changed, and no more.
    pub(super) secret: &'static [&'static str],
    /// What members are that the trail does not tell of when an entity comes or goes, where that is
    /// neither `false` nor 0 nor nothing.
    pub(super) defaults: &'static [(&'static str, &'static str)],
    /// Which members name what it belongs to.
    pub(super) owner: &'static [&'static str],
    /// Brings what is listed into the form in which it is told.
    pub(super) adapt: fn(&mut Map<String, Value>),
}

const PLAIN: Kind = Kind {
    noun: "",
    list: "",
    derived: &[],
    hidden: &[],
    secret: &[],
    defaults: &[],
    owner: &[],
    adapt: |_members| {},
};

const fn plain(noun: &'static str, list: &'static str) -> Kind {
    Kind {
        noun,
        list,
        ..PLAIN
    }
}

/// All kinds that are listed for administrators.
pub(super) const KINDS: &[Kind] = &[
    IDENTITIES,
    ENROLLMENTS,
    AUTHENTICATORS,
    API_SESSIONS,
    plain("auth-policy", "/edge/management/v1/auth-policies"),
    Kind {
        secret: &["verificationToken"],
        ..plain("ca", "/edge/management/v1/cas")
    },
    SIGNERS,
    plain("config-type", "/edge/management/v1/config-types"),
    Kind {
        derived: &["configType"],
        ..plain("config", "/edge/management/v1/configs")
    },
    Kind {
        derived: &["config", "permissions", "postureQueries"],
        hidden: &["isFabricOnly"],
        ..plain("service", "/edge/management/v1/services")
    },
    Kind {
        hidden: &["encryptionRequired", "isFabricOnly"],
        ..plain("service", "/fabric/v1/services")
    },
    EDGE_ROUTERS,
    Kind {
        list: "/edge/management/v1/transit-routers",
        hidden: &["certPem", "kind"],
        ..EDGE_ROUTERS
    },
    Kind {
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
    Kind {
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
    Kind {
        hidden: &["issuedBefore"],
        ..plain("revocation", "/edge/management/v1/revocations")
    },
];

const IDENTITIES: Kind = Kind {
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

const SIGNERS: Kind = Kind {
    hidden: &["isDraft"],
    defaults: &[("enrollAuthPolicyId", "default")],
    adapt: |members| {
        // What is shown of a certificate where there is none.
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

const EDGE_ROUTERS: Kind = Kind {
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

const POSTURE_CHECKS: Kind = Kind {
    derived: &["typeId", "version"],
    adapt: |members| {
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

const fn policy(noun: &'static str, list: &'static str) -> Kind {
    Kind {
        derived: &[
            "edgeRouterRolesDisplay",
            "identityRolesDisplay",
            "postureCheckRolesDisplay",
            "serviceRolesDisplay",
        ],
        ..plain(noun, list)
    }
}
