//! How lists show what the audit trail tells of.

use serde_json::{Map, Value, json};

/// A kind of entities.
#[derive(Debug)]
pub(super) struct Kind {
    /// What operations call one.
    pub(super) noun: &'static str,
    /// Where the management API lists them.
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

/// All kinds that the management API lists for administrators.
pub(super) const KINDS: &[Kind] = &[
    IDENTITIES,
    ENROLLMENTS,
    AUTHENTICATORS,
    API_SESSIONS,
    plain("auth-policy", "/auth-policies"),
    Kind {
        secret: &["verificationToken"],
        ..plain("ca", "/cas")
    },
    SIGNERS,
    plain("config-type", "/config-types"),
    Kind {
        derived: &["configType"],
        ..plain("config", "/configs")
    },
    Kind {
        derived: &["config", "permissions", "postureQueries"],
        hidden: &["isFabricOnly"],
        ..plain("service", "/services")
    },
    EDGE_ROUTERS,
    Kind {
        list: "/transit-routers",
        ..EDGE_ROUTERS
    },
    Kind {
        derived: &["router", "service", "dynamicCost"],
        hidden: &["hostId"],
        defaults: &[("precedence", "default")],
        ..plain("terminator", "/terminators")
    },
    policy("service-policy", "/service-policies"),
    policy("edge-router-policy", "/edge-router-policies"),
    policy(
        "service-edge-router-policy",
        "/service-edge-router-policies",
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
        ..plain("session", "/sessions")
    },
    Kind {
        hidden: &["issuedBefore"],
        ..plain("revocation", "/revocations")
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
    ..plain("identity", "/identities")
};

const ENROLLMENTS: Kind = Kind {
    derived: &[
        "edgeRouter",
        "edgeRouterId",
        "identity",
        "identityId",
        "transitRouter",
        "transitRouterId",
    ],
    hidden: &["expiresAtMillisecond", "isEdge", "isOutgrown", "username"],
    secret: &["jwt", "token", "tokenHash"],
    owner: &["identityId", "edgeRouterId", "transitRouterId"],
    adapt: |members| {
        // The others are told by what they take: an authority, a username, a router.
        if members.get("method").is_some_and(|method| method != "ott") {
            members.remove("method");
        }
        // Milliseconds stand beside.
        let end = members["expiresAt"].as_str().unwrap_or_default();
        let (seconds, _fraction) = end.split_once('.').unwrap_or_default();
        members["expiresAt"] = json!(format!("{seconds}.000Z"));
    },
    ..plain("enrollment", "/enrollments")
};

const AUTHENTICATORS: Kind = Kind {
    derived: &["identity", "identityId", "method"],
    hidden: &["renewal"],
    secret: &["password"],
    owner: &["identityId"],
    ..plain("authenticator", "/authenticators")
};

const API_SESSIONS: Kind = Kind {
    derived: &[
        "authQueries",
        "cachedLastActivityAt",
        "expirationSeconds",
        "expiresAt",
        "identity",
        "identityId",
        "isCertExtendRequested",
        "isCertKeyRollRequested",
        "isMfaComplete",
        "isMfaRequired",
        "lastActivityAt",
        "token",
    ],
    hidden: &["certificate"],
    secret: &["token"],
    owner: &["identityId"],
    ..plain("api-session", "/api-sessions")
};

const SIGNERS: Kind = Kind {
    hidden: &["isDraft"],
    defaults: &[("enrollAuthPolicyId", "default")],
    adapt: |members| {
        // What is shown of a certificate where there is none.
        if members.get("certPem").is_none_or(Value::is_null) {
            for member in ["notAfter", "notBefore"] {
                members.remove(member);
            }
        }
    },
    ..plain("external-jwt-signer", "/external-jwt-signers")
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
    ..plain("router", "/edge-routers")
};

const POSTURE_CHECKS: Kind = Kind {
    derived: &["typeId", "version"],
    adapt: |members| {
        let Some(Value::Array(systems)) = members.remove("operatingSystems") else {
            return;
        };
        let by_type = systems.into_iter().map(|system| {
            let name = system["type"].as_str().unwrap_or_default().to_owned();
            (name, system["versions"].clone())
        });
        let by_type: Map<_, _> = by_type.collect();
        members.insert("operatingSystems".to_owned(), Value::Object(by_type));
    },
    ..plain("posture-check", "/posture-checks")
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
