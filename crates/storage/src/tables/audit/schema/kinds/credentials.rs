//! Audit schemas of authenticators, enrollments and sessions.

use super::super::{AuditSchema, TimeUnit};
use super::PLAIN;

pub(super) const AUTHENTICATOR: AuditSchema = AuditSchema {
    secret: &["credential.updb.password"],
    ignored: &[
        "identity",
        "credential.updb.throttle",
        "credential.updb.generation",
    ],
    names: &[
        ("credential", ""),
        ("credential.cert", ""),
        ("credential.cert.pem", "certPem"),
        (
            "credential.cert.last_login_reached_root",
            "lastAuthResolvedToRoot",
        ),
        ("credential.cert.extension", ""),
        ("credential.cert.extension.is_open", "isExtendRequested"),
        (
            "credential.cert.extension.requested_at",
            "extendRequestedAt",
        ),
        ("credential.cert.extension.roll_key", "isKeyRollRequested"),
        ("credential.cert.renewal.pem", "renewal.certPem"),
        (
            "credential.cert.last_renewal_rolled_key",
            "lastExtendRolledKeys",
        ),
        ("credential.updb", ""),
    ],
    optional: &["credential.cert.last_renewal_rolled_key"],
    times: &[(
        "credential.cert.extension.requested_at",
        TimeUnit::Millisecond,
    )],
    ..PLAIN
};

pub(super) const ENROLLMENT: AuditSchema = AuditSchema {
    wrapper: "enrollment",
    secret: &["token", "jwt", "token_hash"],
    ignored: &["identity", "router", "expires_at_millisecond"],
    names: &[
        ("method", ""),
        ("method.ottca", ""),
        ("method.ottca.ca", "caId"),
        ("method.updb", ""),
    ],
    times: &[("expires_at", TimeUnit::SecondAnd("expires_at_millisecond"))],
    ..PLAIN
};

pub(super) const API_SESSION: AuditSchema = AuditSchema {
    secret: &["token_hash"],
    ignored: &["identity", "last_activity_at", "token", "totp", "terms"],
    names: &[
        ("authenticator", "authenticatorId"),
        ("certificate.ca", "certificate.caId"),
        ("token_hash", "token"),
    ],
    times: &[("certificate.not_after", TimeUnit::Second)],
    ..PLAIN
};

pub(super) const SESSION_CERTIFICATE: AuditSchema = AuditSchema {
    secret: &["session"],
    names: &[
        ("certificate", ""),
        ("certificate.pem", "certificate"),
        ("certificate.not_before", "validFrom"),
        ("certificate.not_after", "validTo"),
    ],
    times: &[
        ("certificate.not_before", TimeUnit::Second),
        ("certificate.not_after", TimeUnit::Second),
    ],
    ..PLAIN
};
