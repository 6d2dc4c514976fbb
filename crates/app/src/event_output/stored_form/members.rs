//! Members of each type of entity.

use serde_json::{Map, Value};

/// A member of the stored form.
#[derive(Debug, Clone, Copy)]
pub(super) struct Member {
    pub(super) name: &'static str,
    /// Its name on the API.
    pub(super) api: &'static str,
    pub(super) absent: Absent,
    pub(super) unit: Unit,
}

/// What is said of a member that has no value.
#[derive(Debug, Clone, Copy)]
pub(super) enum Absent {
    Null,
    False,
    Zero,
    EmptyText,
    EmptyObject,
}

/// What numbers count.
#[derive(Debug, Clone, Copy)]
pub(super) enum Unit {
    AsOnTheApi,
    /// Milliseconds on the API.
    Nanoseconds,
}

/// The members of a type, after those that all types have.
#[derive(Debug, Clone, Copy)]
pub(super) struct Form {
    /// Of both halves, if there are two.
    pub(super) fabric: &'static [Member],
    pub(super) edge: &'static [Member],
    /// Whether all others are members of the last one, which depends on the kind.
    pub(super) has_sub_type: bool,
}

const fn absent(name: &'static str, absent: Absent) -> Member {
    Member {
        name,
        api: name,
        absent,
        unit: Unit::AsOnTheApi,
    }
}

const fn nullable(name: &'static str) -> Member {
    absent(name, Absent::Null)
}

const fn flag(name: &'static str) -> Member {
    absent(name, Absent::False)
}

const fn number(name: &'static str) -> Member {
    absent(name, Absent::Zero)
}

const fn text(name: &'static str) -> Member {
    absent(name, Absent::EmptyText)
}

const fn object(name: &'static str) -> Member {
    absent(name, Absent::EmptyObject)
}

impl Member {
    const fn of(self, api: &'static str) -> Self {
        Self { api, ..self }
    }
}

impl Absent {
    pub(super) fn value(self) -> Value {
        match self {
            Self::Null => Value::Null,
            Self::False => false.into(),
            Self::Zero => 0.into(),
            Self::EmptyText => "".into(),
            Self::EmptyObject => Map::new().into(),
        }
    }
}

impl Unit {
    pub(super) fn convert(self, value: Value) -> Value {
        match (self, value.as_u64()) {
            (Self::Nanoseconds, Some(millis)) => millis.saturating_mul(1_000_000).into(),
            _ => value,
        }
    }
}

/// Members of all types.
pub(super) const BASE: [Member; 5] = [
    text("id"),
    nullable("createdAt"),
    nullable("updatedAt"),
    object("tags"),
    flag("isSystem"),
];

const PLAIN: Form = Form {
    fabric: &[],
    edge: &[],
    has_sub_type: false,
};

const SERVICE: Form = Form {
    fabric: &[
        text("name"),
        Member {
            unit: Unit::Nanoseconds,
            ..number("maxIdleTime").of("maxIdleTimeMillis")
        },
        text("terminatorStrategy"),
    ],
    edge: &[
        nullable("roleAttributes"),
        nullable("configs"),
        flag("encryptionRequired"),
        flag("isFabricOnly"),
    ],
    ..PLAIN
};

const ROUTER: Form = Form {
    fabric: &[
        text("name"),
        nullable("fingerprint"),
        number("cost"),
        flag("noTraversal"),
        flag("disabled"),
        nullable("ctrlChanListeners"),
        nullable("configs"),
    ],
    edge: &[
        flag("isVerified"),
        nullable("certPem"),
        nullable("unverifiedCertPem"),
        nullable("unverifiedFingerprint"),
        nullable("roleAttributes"),
        flag("isTunnelerEnabled"),
        nullable("appData"),
    ],
    ..PLAIN
};

const TRANSIT_ROUTER: Form = Form {
    edge: &[
        flag("isVerified"),
        nullable("unverifiedFingerprint"),
        nullable("unverifiedCertPem"),
    ],
    ..ROUTER
};

const IDENTITY: Form = Form {
    edge: &[
        text("name"),
        text("identityTypeId").of("typeId"),
        flag("isDefaultAdmin"),
        flag("isAdmin"),
        nullable("roleAttributes"),
        nullable("sdkInfo"),
        nullable("envInfo"),
        text("defaultHostingPrecedence"),
        number("defaultHostingCost"),
        nullable("serviceHostingPrecedences"),
        nullable("serviceHostingCosts"),
        nullable("appData"),
        text("authPolicyId"),
        nullable("externalId"),
        nullable("disabledAt"),
        nullable("disabledUntil"),
        flag("disabled"),
        nullable("serviceConfigs"),
        nullable("permissions"),
    ],
    ..PLAIN
};

const TERMINATOR: Form = Form {
    edge: &[
        text("service").of("serviceId"),
        text("router").of("routerId"),
        text("binding"),
        text("address"),
        text("instanceId").of("identity"),
        number("cost"),
        text("precedence"),
        nullable("peerData"),
        text("hostId"),
        nullable("savedPrecedence"),
    ],
    ..PLAIN
};

const SERVICE_POLICY: Form = Form {
    edge: &[
        text("policyType").of("type"),
        text("name"),
        text("semantic"),
        nullable("identityRoles"),
        nullable("serviceRoles"),
        nullable("postureCheckRoles"),
    ],
    ..PLAIN
};

const EDGE_ROUTER_POLICY: Form = Form {
    edge: &[
        text("name"),
        text("semantic"),
        nullable("identityRoles"),
        nullable("edgeRouterRoles"),
    ],
    ..PLAIN
};

const SERVICE_EDGE_ROUTER_POLICY: Form = Form {
    edge: &[
        text("name"),
        text("semantic"),
        nullable("serviceRoles"),
        nullable("edgeRouterRoles"),
    ],
    ..PLAIN
};

const CONFIG: Form = Form {
    edge: &[
        text("name"),
        text("type").of("configTypeId"),
        nullable("data"),
    ],
    ..PLAIN
};

const CONFIG_TYPE: Form = Form {
    edge: &[text("name"), nullable("schema"), text("target")],
    ..PLAIN
};

const AUTHENTICATOR: Form = Form {
    edge: &[text("type"), text("identityId")],
    has_sub_type: true,
    ..PLAIN
};

const POSTURE_CHECK: Form = Form {
    edge: &[text("name"), text("typeId"), nullable("roleAttributes")],
    has_sub_type: true,
    ..PLAIN
};

const ENROLLMENT: Form = Form {
    edge: &[
        text("method"),
        nullable("identityId"),
        nullable("transitRouterId"),
        nullable("edgeRouterId"),
        nullable("expiresAt"),
        nullable("caId"),
        nullable("username"),
    ],
    ..PLAIN
};

const CA: Form = Form {
    edge: &[
        text("name"),
        text("fingerprint"),
        text("certPem"),
        flag("isVerified"),
        flag("isAutoCaEnrollmentEnabled"),
        flag("isOttCaEnrollmentEnabled"),
        flag("isAuthEnabled"),
        nullable("identityRoles"),
        text("identityNameFormat"),
        nullable("externalIdClaim"),
    ],
    ..PLAIN
};

const AUTH_POLICY: Form = Form {
    edge: &[text("name"), nullable("primary"), nullable("secondary")],
    ..PLAIN
};

const NAMED: Form = Form {
    edge: &[text("name")],
    ..PLAIN
};

const SESSION: Form = Form {
    edge: &[
        text("identityId"),
        text("apiSessionId"),
        text("serviceId"),
        text("type"),
    ],
    ..PLAIN
};

const API_SESSION: Form = Form {
    edge: &[
        text("identityId"),
        text("ipAddress"),
        nullable("configTypes"),
        text("authenticatorId"),
        flag("isCertExtendable"),
        flag("improperClientCertChain"),
    ],
    ..PLAIN
};

const API_SESSION_CERTIFICATE: Form = Form {
    edge: &[
        text("apiSessionId"),
        text("subject"),
        text("fingerprint"),
        nullable("validAfter").of("validFrom"),
        nullable("validBefore").of("validTo"),
        text("pem").of("certificate"),
    ],
    ..PLAIN
};

const MFA: Form = Form {
    edge: &[text("identityId"), flag("isVerified")],
    ..PLAIN
};

const REVOCATION: Form = Form {
    edge: &[
        nullable("expiresAt"),
        text("type"),
        nullable("issuedBefore"),
    ],
    ..PLAIN
};

/// The form of an entity. What follows from other members, and is not stored here, is added to it.
pub(super) fn form(entity_type: &str, told: &mut Map<String, Value>) -> &'static Form {
    let has =
        |told: &Map<String, Value>, name| told.get(name).is_some_and(|value| !value.is_null());
    match entity_type {
        "services" => &SERVICE,
        "routers" => {
            let is_verified = has(told, "fingerprint");
            told.insert("isVerified".to_owned(), is_verified.into());
            match told.remove("kind") {
                Some(_transit) => {
                    told.remove("certPem");
                    &TRANSIT_ROUTER
                },
                None => &ROUTER,
            }
        },
        "identities" => {
            let is_disabled = has(told, "disabledAt");
            told.insert("disabled".to_owned(), is_disabled.into());
            &IDENTITY
        },
        "terminators" => &TERMINATOR,
        "servicePolicies" => &SERVICE_POLICY,
        "edgeRouterPolicies" => &EDGE_ROUTER_POLICY,
        "serviceEdgeRouterPolicies" => &SERVICE_EDGE_ROUTER_POLICY,
        "configs" => &CONFIG,
        "configTypes" => &CONFIG_TYPE,
        "authenticators" => {
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
            &AUTHENTICATOR
        },
        "postureChecks" => {
            let type_id = type_of_check(told);
            told.insert("typeId".to_owned(), type_id.into());
            &POSTURE_CHECK
        },
        "enrollments" => {
            let is_edge = told.remove("isEdge").and_then(|is_edge| is_edge.as_bool());
            let method = match is_edge {
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
            };
            told.insert("method".to_owned(), method.into());
            &ENROLLMENT
        },
        "cas" => &CA,
        "authPolicies" => &AUTH_POLICY,
        "externalJwtSigners" => {
            rename(told, "claimsProperty", "identityIdClaimsSelector");
            &NAMED
        },
        "sessions" => &SESSION,
        "apiSessions" => &API_SESSION,
        "apiSessionCertificates" => &API_SESSION_CERTIFICATE,
        "mfas" => &MFA,
        "revocations" => &REVOCATION,
        _ => &PLAIN,
    }
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

fn rename(members: &mut Map<String, Value>, from: &str, to: &str) {
    if let Some(value) = members.remove(from) {
        members.insert(to.to_owned(), value);
    }
}
