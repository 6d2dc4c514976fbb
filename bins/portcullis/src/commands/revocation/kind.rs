//! Kinds of revocations.

use clap::ValueEnum;
use portcullis_domain::revocation::RevocationType;

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum RevocationKind {
    /// A token, by the UUID in its claim `jti`
    Jti,
    /// All tokens of an API session, by its UUID
    ApiSession,
    /// All tokens issued to an identity until now, by its id or name
    Identity,
}

impl From<RevocationKind> for RevocationType {
    fn from(kind: RevocationKind) -> Self {
        match kind {
            RevocationKind::Jti => Self::Jti,
            RevocationKind::ApiSession => Self::ApiSession,
            RevocationKind::Identity => Self::Identity,
        }
    }
}

/// Name of a kind for tables.
pub(super) fn display(revoked: RevocationType) -> &'static str {
    match revoked {
        RevocationType::Jti => "token",
        RevocationType::ApiSession => "API session",
        RevocationType::Identity => "identity",
    }
}
