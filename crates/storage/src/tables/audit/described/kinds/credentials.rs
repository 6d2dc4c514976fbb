//! Credentials, how they are obtained, and what they open.

use super::super::{Described, Unit};
use super::plain;

pub(super) const AUTHENTICATORS: Described = Described {
    secret: &["credential.updb.password"],
    silent: &[
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
    times: &[("credential.cert.extension.requested_at", Unit::Millisecond)],
    ..plain("authenticator")
};

pub(super) const ENROLLMENTS: Described = Described {
    wrapper: "enrollment",
    secret: &["token", "jwt", "token_hash"],
    silent: &["identity", "router", "expires_at_millisecond"],
    names: &[
        ("method", ""),
        ("method.ottca", ""),
        ("method.ottca.ca", "caId"),
        ("method.updb", ""),
    ],
    times: &[("expires_at", Unit::SecondAnd("expires_at_millisecond"))],
    ..plain("enrollment")
};

pub(super) const API_SESSIONS: Described = Described {
    secret: &["token_hash"],
    silent: &["identity", "last_activity_at", "totp", "terms"],
    names: &[
        ("authenticator", "authenticatorId"),
        ("certificate.ca", "certificate.caId"),
        ("token_hash", "token"),
    ],
    times: &[("certificate.not_after", Unit::Second)],
    ..plain("api-session")
};

pub(super) const SESSION_CERTIFICATES: Described = Described {
    secret: &["session"],
    names: &[
        ("certificate", ""),
        ("certificate.pem", "certificate"),
        ("certificate.not_before", "validFrom"),
        ("certificate.not_after", "validTo"),
    ],
    times: &[
        ("certificate.not_before", Unit::Second),
        ("certificate.not_after", Unit::Second),
    ],
    ..plain("api-session-certificate")
};
