//! Validity periods.

use super::{EXPIRED, EXPIRING, Finding, NOT_YET_VALID, describe_span};
use crate::config_key::ConfigKey;
use portcullis_domain::clock::{SignedDuration, Timestamp};
use portcullis_pki::{Certificate, Validity};
use portcullis_yaml::Severity;

/// How long before its end a certificate of one year is renewed, or a warning is given.
const RENEWAL_LEAD_TIME: SignedDuration = SignedDuration::from_hours(30 * 24);

/// What a certificate is for, which decides what its end means.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Role {
    Server,
    /// A server certificate that the controller renews by itself.
    RenewedServer,
    Client,
    /// A CA of the bundle.
    Trusted,
    /// The CA that signs identities.
    Signing,
}

impl Role {
    fn consequence(self) -> &'static str {
        match self {
            Self::Server => "every client refuses it",
            Self::RenewedServer => "the next start renews it",
            Self::Client => "other controllers refuse it",
            Self::Trusted => "clients refuse what it issued",
            Self::Signing => "nobody can enroll, and what it issued is refused",
        }
    }

    /// Severity outside of the validity period.
    fn severity(self) -> Severity {
        match self {
            Self::Server | Self::Signing => Severity::Error,
            // A bundle can hold another CA that has taken its place.
            Self::RenewedServer | Self::Client | Self::Trusted => Severity::Warning,
        }
    }

    fn remedy(self) -> &'static str {
        match self {
            Self::Server | Self::Client => {
                "replace it with a new one for the same key, which is loaded without a restart"
            },
            Self::RenewedServer => "start the controller",
            Self::Trusted => "add the CA that takes its place, and let clients have the new bundle",
            Self::Signing => {
                "have its issuer make a new one for the same key, and start the controller again"
            },
        }
    }
}

/// Judges the validity period of a certificate.
pub(super) fn judge(
    role: Role,
    key: &ConfigKey,
    certificate: &Certificate,
    now: Timestamp,
) -> Option<Finding> {
    let (begin, end) = (certificate.not_before(), certificate.not_after());
    let what = match role {
        Role::Trusted => format!("the CA {} in {key}", certificate.subject()),
        _ => format!("the certificate {key}"),
    };
    let consequence = role.consequence();
    let (severity, code, message) = if now < begin {
        let span = describe_span(begin.duration_since(now));
        let message =
            format!("{what} is not valid before {begin}, in {span}; {consequence} until then");
        (role.severity(), NOT_YET_VALID, message)
    } else if Validity::has_ended(end, now) {
        let span = describe_span(now.duration_since(end));
        let message = format!("{what} expired {span} ago, at {end}; {consequence}");
        (role.severity(), EXPIRED, message)
    } else if is_due(certificate, now) && role != Role::RenewedServer {
        let span = describe_span(end.duration_since(now));
        let message = format!("{what} expires in {span}, at {end}");
        (Severity::Warning, EXPIRING, message)
    } else {
        return None;
    };
    let help = if code == NOT_YET_VALID {
        "look at the clock of this machine; if it is right, use a certificate that is valid now"
    } else {
        role.remedy()
    };
    Some(Finding {
        severity,
        code,
        key: key.clone(),
        message,
        help: help.to_owned(),
    })
}

/// Whether a certificate is due for renewal: it expires soon, or it is not valid yet because the clock
/// was ahead when it was issued.
pub(crate) fn is_due(certificate: &Certificate, now: Timestamp) -> bool {
    let (begin, end) = (certificate.not_before(), certificate.not_after());
    let life = end.duration_since(begin);
    now < begin || end.duration_since(now) < RENEWAL_LEAD_TIME.min(life / 3)
}
