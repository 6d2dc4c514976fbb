//! Audit schemas of all kinds.

mod credentials;
mod trust;

use super::super::super::kind::{
    API_SESSION, AUTHENTICATOR, CA, CONFIG, CONFIG_TYPE, ENROLLMENT, IDENTITY, MFA, POSTURE_CHECK,
    REVOCATION, ROUTER, SESSION, SESSION_CERTIFICATE, SIGNER, TERMINATOR,
};
use super::{AuditSchema, TimeUnit};
use crate::key::Kind;
use credentials::{API_SESSIONS, AUTHENTICATORS, ENROLLMENTS, SESSION_CERTIFICATES};
use portcullis_domain::auth_policy;
use trust::{CAS, SIGNERS};

const fn with_noun(noun: &'static str) -> AuditSchema {
    AuditSchema {
        noun,
        wrapper: "spec",
        secret: &[],
        ignored: &[],
        user_defined: &[],
        names: &[],
        defaults: &[],
        items: &[],
        numbers: &[],
        optional: &[],
        times: &[],
        is_identified_by_owner: false,
    }
}

const IDENTITIES: AuditSchema = AuditSchema {
    ignored: &["attached", "wrong_passwords", "wrong_codes"],
    user_defined: &[
        "app_data",
        "service_configs",
        "hosting.precedences",
        "hosting.costs",
        "env_info",
        "sdk_info",
    ],
    names: &[
        ("kind", "typeId"),
        ("auth_policy", "authPolicyId"),
        ("disabled", ""),
        ("disabled.at", "disabledAt"),
        ("disabled.until", "disabledUntil"),
        ("hosting", ""),
        ("hosting.default_precedence", "defaultHostingPrecedence"),
        ("hosting.default_cost", "defaultHostingCost"),
        ("hosting.precedences", "serviceHostingPrecedences"),
        ("hosting.costs", "serviceHostingCosts"),
    ],
    defaults: &[
        ("kind", "Default"),
        ("auth_policy", auth_policy::DEFAULT_ID),
        ("hosting.default_precedence", "default"),
    ],
    numbers: &[("hosting.default_cost", 0)],
    times: &[
        ("disabled.at", TimeUnit::Millisecond),
        ("disabled.until", TimeUnit::Millisecond),
    ],
    ..with_noun("identity")
};

const POSTURE_CHECKS: AuditSchema = AuditSchema {
    names: &[
        ("check", ""),
        ("check.DOMAIN", "domains"),
        ("check.MAC", "macAddresses"),
        ("check.MFA", ""),
        ("check.OS", "operatingSystems"),
        ("check.PROCESS", "process"),
        ("check.PROCESS.signer", "process.signerFingerprint"),
        ("check.PROCESS_MULTI", ""),
    ],
    items: &[(
        "check.PROCESS_MULTI.processes",
        &[("os_type", "osType"), ("signers", "signerFingerprints")],
    )],
    numbers: &[("check.MFA.timeout_seconds", -1)],
    ..with_noun("posture-check")
};

/// The audit schema of a kind; `None` for an unknown one.
pub(super) fn find(kind: Kind) -> Option<&'static AuditSchema> {
    let described = DESCRIBED.iter().find(|(known, _)| *known == kind);
    described
        .map(|(_, schema)| schema)
        .or_else(|| WHOLE.iter().find(|(known, _)| *known == kind)?.1.as_ref())
}

macro_rules! whole {
    (whole $name:literal) => {
        Some(with_noun($name))
    };
    (described $name:literal) => {
        None
    };
}

macro_rules! schemas {
    ($({
        #[doc = $doc:literal]
        kind: $kind:ident = $byte:literal,
        entity: $entity:ident $path:tt,
        id: $id:ident $shape:tt,
        spec: $spec:tt,
        collection: $collection:literal,
        name: $name:literal,
        subject: $subject:tt,
        noun: $noun:literal,
        stored: ($placement:ident $form:ident $audit:ident $refers:ident),
        $($rest:tt)*
    })+) => {
        /// The audit schemas of the kinds whose members are shown as they are stored.
        const WHOLE: &[(Kind, Option<AuditSchema>)] =
            &[$((super::super::super::kind::$kind, whole!($audit $name))),+];
    };
}

portcullis_domain::for_each_kind!(schemas);

/// The other audit schemas.
const DESCRIBED: &[(Kind, AuditSchema)] = &[
    (IDENTITY, IDENTITIES),
    (ENROLLMENT, ENROLLMENTS),
    (AUTHENTICATOR, AUTHENTICATORS),
    (API_SESSION, API_SESSIONS),
    (CA, CAS),
    (SIGNER, SIGNERS),
    (SESSION_CERTIFICATE, SESSION_CERTIFICATES),
    (
        MFA,
        AuditSchema {
            wrapper: "mfa",
            secret: &["secret", "recovery_codes"],
            // The operation names tell the progress.
            ignored: &["progress"],
            is_identified_by_owner: true,
            ..with_noun("mfa")
        },
    ),
    (
        CONFIG_TYPE,
        AuditSchema {
            user_defined: &["schema"],
            ..with_noun("config-type")
        },
    ),
    (
        CONFIG,
        AuditSchema {
            user_defined: &["data"],
            names: &[("config_type", "configTypeId")],
            ..with_noun("config")
        },
    ),
    (
        ROUTER,
        AuditSchema {
            user_defined: &["kind.edge.app_data", "ctrl_chan_listeners"],
            names: &[
                ("kind", ""),
                ("kind.edge", ""),
                ("certificate", ""),
                ("certificate.pem", "certPem"),
            ],
            ..with_noun("router")
        },
    ),
    (
        TERMINATOR,
        AuditSchema {
            names: &[
                ("service", "serviceId"),
                ("router", "routerId"),
                ("instance_id", "identity"),
            ],
            ..with_noun("terminator")
        },
    ),
    (POSTURE_CHECK, POSTURE_CHECKS),
    (
        SESSION,
        AuditSchema {
            secret: &["api_session_token"],
            ignored: &["identity"],
            names: &[("service", "serviceId"), ("api_session", "apiSessionId")],
            ..with_noun("session")
        },
    ),
    (
        REVOCATION,
        AuditSchema {
            times: &[
                ("issued_before", TimeUnit::Millisecond),
                ("expires_at", TimeUnit::Millisecond),
            ],
            ..with_noun("revocation")
        },
    ),
];
