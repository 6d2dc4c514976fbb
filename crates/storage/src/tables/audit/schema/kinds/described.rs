//! Audit schemas of kinds whose members are not all shown as they are stored, named as the kinds.
//! The names come from the rows.

use super::super::{AuditSchema, TimeUnit};
use super::PLAIN;
pub(super) use super::credentials::{API_SESSION, AUTHENTICATOR, ENROLLMENT, SESSION_CERTIFICATE};
pub(super) use super::trust::{CA, SIGNER};
use portcullis_domain::auth_policy;

pub(super) const IDENTITY: AuditSchema = AuditSchema {
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
    ..PLAIN
};

pub(super) const MFA: AuditSchema = AuditSchema {
    wrapper: "mfa",
    secret: &["secret", "recovery_codes"],
    // The operation names tell the progress.
    ignored: &["progress"],
    is_identified_by_owner: true,
    ..PLAIN
};

pub(super) const CONFIG_TYPE: AuditSchema = AuditSchema {
    user_defined: &["schema"],
    ..PLAIN
};

pub(super) const CONFIG: AuditSchema = AuditSchema {
    user_defined: &["data"],
    names: &[("config_type", "configTypeId")],
    ..PLAIN
};

pub(super) const ROUTER: AuditSchema = AuditSchema {
    ignored: &[
        "reported",
        "certificate.enrolled",
        "certificate.replaced",
        "unverified_certificate.enrolled",
    ],
    user_defined: &["kind.edge.app_data", "ctrl_chan_listeners"],
    names: &[
        ("kind", ""),
        ("kind.edge", ""),
        ("certificate", ""),
        ("certificate.pem", "certPem"),
        ("unverified_certificate", ""),
        ("unverified_certificate.pem", "unverifiedCertPem"),
        (
            "unverified_certificate.fingerprint",
            "unverifiedFingerprint",
        ),
    ],
    ..PLAIN
};

pub(super) const TERMINATOR: AuditSchema = AuditSchema {
    secret: &["instance_secret"],
    ignored: &["host.identity", "host.access_token"],
    user_defined: &["peer_data"],
    names: &[
        ("service", "serviceId"),
        ("router", "routerId"),
        ("instance_id", "identity"),
        ("instance_secret", "identitySecret"),
        ("host", ""),
        ("host.session", "sessionId"),
    ],
    ..PLAIN
};

pub(super) const POSTURE_CHECK: AuditSchema = AuditSchema {
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
    ..PLAIN
};

pub(super) const SESSION: AuditSchema = AuditSchema {
    secret: &["api_session_token"],
    ignored: &["identity"],
    names: &[("service", "serviceId"), ("api_session", "apiSessionId")],
    ..PLAIN
};

pub(super) const REVOCATION: AuditSchema = AuditSchema {
    times: &[
        ("issued_before", TimeUnit::Millisecond),
        ("expires_at", TimeUnit::Millisecond),
    ],
    ..PLAIN
};
