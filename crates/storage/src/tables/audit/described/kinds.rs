//! The kinds of records, as the audit trail speaks of them.

use super::super::super::kind::{
    API_SESSION, AUTH_POLICY, AUTHENTICATOR, CA, CONFIG, CONFIG_TYPE, EDGE_ROUTER_POLICY,
    ENROLLMENT, IDENTITY, MFA, POSTURE_CHECK, REVOCATION, ROUTER, SERVICE,
    SERVICE_EDGE_ROUTER_POLICY, SERVICE_POLICY, SESSION, SESSION_CERTIFICATE, SIGNER, TERMINATOR,
};
use super::Described;
use crate::key::Kind;
use portcullis_domain::auth_policy;

const fn plain(noun: &'static str) -> Described {
    Described {
        noun,
        wrapper: "spec",
        secret: &[],
        silent: &[],
        attached: &[],
        names: &[],
        defaults: &[],
        zero: &[],
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
        ("kind", "type"),
        ("auth_policy", "authPolicyId"),
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
    zero: &["hosting.default_cost"],
    ..plain("identity")
};

const AUTHENTICATORS: Described = Described {
    secret: &["credential.updb.password"],
    silent: &["identity", "credential.updb.throttle"],
    names: &[
        ("credential", ""),
        ("credential.cert", ""),
        ("credential.cert.pem", "certPem"),
        ("credential.updb", ""),
    ],
    zero: &["credential.updb.generation"],
    ..plain("authenticator")
};

const SIGNERS: Described = Described {
    names: &[
        ("keys", ""),
        ("keys.certificate", ""),
        ("keys.certificate.pem", "certPem"),
        ("keys.key_set", "jwksEndpoint"),
        ("enrollment", ""),
        ("enrollment.to_cert", "enrollToCertEnabled"),
        ("enrollment.to_token", "enrollToTokenEnabled"),
        ("enrollment.auth_policy", "enrollAuthPolicyId"),
        ("enrollment.name_selector", "enrollNameClaimsSelector"),
        (
            "enrollment.attribute_selector",
            "enrollAttributeClaimsSelector",
        ),
    ],
    ..plain("external-jwt-signer")
};

const POSTURE_CHECKS: Described = Described {
    names: &[
        ("check", ""),
        ("check.DOMAIN", "domains"),
        ("check.MAC", "macAddresses"),
        ("check.MFA", ""),
        ("check.OS", "operatingSystems"),
        ("check.PROCESS", "process"),
        ("check.PROCESS_MULTI", ""),
    ],
    ..plain("posture-check")
};

/// How the audit trail speaks of each kind.
pub(super) const ALL: &[(Kind, Described)] = &[
    (IDENTITY, IDENTITIES),
    (AUTH_POLICY, plain("auth-policy")),
    (
        ENROLLMENT,
        Described {
            wrapper: "enrollment",
            secret: &["token", "jwt", "token_hash"],
            silent: &["identity", "router"],
            ..plain("enrollment")
        },
    ),
    (AUTHENTICATOR, AUTHENTICATORS),
    (
        API_SESSION,
        Described {
            secret: &["token_hash"],
            silent: &["identity", "last_activity_at", "totp"],
            ..plain("api-session")
        },
    ),
    (
        CA,
        Described {
            secret: &["verification_token"],
            names: &[("pem", "certPem")],
            ..plain("ca")
        },
    ),
    (SIGNER, SIGNERS),
    (
        SESSION_CERTIFICATE,
        Described {
            secret: &["session"],
            ..plain("api-session-certificate")
        },
    ),
    (
        MFA,
        Described {
            wrapper: "mfa",
            secret: &["secret", "recovery_codes"],
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
            names: &[("service", "serviceId"), ("router", "routerId")],
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
    (REVOCATION, plain("revocation")),
];
