//! The kinds of records, as the audit trail speaks of them.

mod credentials;
mod trust;

use super::super::super::kind::{
    API_SESSION, AUTH_POLICY, AUTHENTICATOR, CA, CONFIG, CONFIG_TYPE, EDGE_ROUTER_POLICY,
    ENROLLMENT, IDENTITY, MFA, POSTURE_CHECK, REVOCATION, ROUTER, SERVICE,
    SERVICE_EDGE_ROUTER_POLICY, SERVICE_POLICY, SESSION, SESSION_CERTIFICATE, SIGNER, TERMINATOR,
};
use super::{Described, Unit};
use crate::key::Kind;
use credentials::{API_SESSIONS, AUTHENTICATORS, ENROLLMENTS, SESSION_CERTIFICATES};
use portcullis_domain::auth_policy;
use trust::{CAS, SIGNERS};

const fn plain(noun: &'static str) -> Described {
    Described {
        noun,
        wrapper: "spec",
        secret: &[],
        silent: &[],
        attached: &[],
        names: &[],
        defaults: &[],
        items: &[],
        numbers: &[],
        optional: &[],
        times: &[],
        goes_by_owner: false,
    }
}

const IDENTITIES: Described = Described {
    silent: &["attached", "wrong_passwords", "wrong_codes"],
    attached: &[
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
        ("disabled.at", Unit::Millisecond),
        ("disabled.until", Unit::Millisecond),
    ],
    ..plain("identity")
};

const POSTURE_CHECKS: Described = Described {
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
    ..plain("posture-check")
};

/// How the audit trail speaks of each kind.
pub(super) const ALL: &[(Kind, Described)] = &[
    (IDENTITY, IDENTITIES),
    (AUTH_POLICY, plain("auth-policy")),
    (ENROLLMENT, ENROLLMENTS),
    (AUTHENTICATOR, AUTHENTICATORS),
    (API_SESSION, API_SESSIONS),
    (CA, CAS),
    (SIGNER, SIGNERS),
    (SESSION_CERTIFICATE, SESSION_CERTIFICATES),
    (
        MFA,
        Described {
            wrapper: "mfa",
            secret: &["secret", "recovery_codes"],
            // The operations say how far it is.
            silent: &["progress"],
            goes_by_owner: true,
            ..plain("mfa")
        },
    ),
    (
        CONFIG_TYPE,
        Described {
            attached: &["schema"],
            ..plain("config-type")
        },
    ),
    (
        CONFIG,
        Described {
            attached: &["data"],
            names: &[("config_type", "configTypeId")],
            ..plain("config")
        },
    ),
    (SERVICE, plain("service")),
    (
        ROUTER,
        Described {
            attached: &["kind.edge.app_data", "ctrl_chan_listeners"],
            names: &[
                ("kind", ""),
                ("kind.edge", ""),
                ("certificate", ""),
                ("certificate.pem", "certPem"),
            ],
            ..plain("router")
        },
    ),
    (
        TERMINATOR,
        Described {
            names: &[
                ("service", "serviceId"),
                ("router", "routerId"),
                ("instance_id", "identity"),
            ],
            ..plain("terminator")
        },
    ),
    (SERVICE_POLICY, plain("service-policy")),
    (EDGE_ROUTER_POLICY, plain("edge-router-policy")),
    (
        SERVICE_EDGE_ROUTER_POLICY,
        plain("service-edge-router-policy"),
    ),
    (POSTURE_CHECK, POSTURE_CHECKS),
    (
        SESSION,
        Described {
            secret: &["api_session_token"],
            silent: &["identity"],
            names: &[("service", "serviceId"), ("api_session", "apiSessionId")],
            ..plain("session")
        },
    ),
    (
        REVOCATION,
        Described {
            times: &[
                ("issued_before", Unit::Millisecond),
                ("expires_at", Unit::Millisecond),
            ],
            ..plain("revocation")
        },
    ),
];
