//! What is revoked, as an argument and in tables.

use clap::ValueEnum;
use portcullis_domain::revocation::Revoked;

/// What is revoked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum Kind {
    /// One token, by the UUID in its claim `jti`
    Jti,
    /// All tokens of an API session, by its UUID
    ApiSession,
    /// All tokens issued to an identity until now, by its name or id
    Identity,
}

impl From<Kind> for Revoked {
    fn from(kind: Kind) -> Self {
        match kind {
            Kind::Jti => Self::Jti,
            Kind::ApiSession => Self::ApiSession,
            Kind::Identity => Self::Identity,
        }
    }
}

/// The words for what is revoked.
pub(super) fn shown(revoked: Revoked) -> &'static str {
    match revoked {
        Revoked::Jti => "token",
        Revoked::ApiSession => "API session",
        Revoked::Identity => "identity",
    }
}
