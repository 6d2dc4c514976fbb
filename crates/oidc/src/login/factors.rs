//! What a login has proved, and what is known of the client besides.

use crate::amr::Amr;
use crate::method::LoginMethod;
use portcullis_domain::api_session::{OpenFactor, OpenedBy};
use portcullis_domain::client_info::{EnvInfo, SdkInfo};
use portcullis_domain::clock::Timestamp;
use portcullis_domain::ids::{ApiSessionId, IdentityId, SignerId};
use std::collections::BTreeSet;
use std::net::SocketAddr;

/// The first factor, which decides whose login it is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PrimaryFactor {
    pub identity: IdentityId,
    /// The session that was opened by it. The other factors are proved on it, and the tokens stand for it.
    pub session: ApiSessionId,
    pub method: LoginMethod,
    /// The credential. What was issued because of it ends with it.
    pub opened_by: OpenedBy,
    /// When it was proved (`auth_time`).
    pub authenticated_at: Timestamp,
    /// The certificate, if it was one.
    pub certificate: Option<CertificateFacts>,
}

/// The certificate of a login.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CertificateFacts {
    /// Lower-case hex SHA-1 of the leaf's DER.
    pub fingerprint: String,
    /// Whether the client may have it extended.
    pub is_extendable: bool,
    /// Whether the client left out an intermediate certificate.
    pub has_improper_chain: bool,
}

/// A factor beside the first one.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum SecondaryFactor {
    /// A TOTP or recovery code, or a TOTP enrollment that was completed in this login.
    Totp,
    /// A token of this external signer.
    Token(SignerId),
}

impl From<OpenFactor> for SecondaryFactor {
    fn from(factor: OpenFactor) -> Self {
        match factor {
            OpenFactor::Totp => Self::Totp,
            OpenFactor::Token(signer) => Self::Token(signer),
        }
    }
}

/// What a client tells about itself when it logs in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ClientDetails {
    pub remote_address: SocketAddr,
    /// Config types that it understands, by id or name.
    pub config_types: Vec<String>,
    pub env_info: EnvInfo,
    pub sdk_info: SdkInfo,
    /// A request in PEM for a certificate of the session.
    pub csr: Option<String>,
}

/// The values of `amr` for these factors.
pub(super) fn amr(primary: &PrimaryFactor, passed: &BTreeSet<SecondaryFactor>) -> Vec<Amr> {
    let first = match &primary.opened_by {
        OpenedBy::Signer(signer) => Some(Amr::ExternalSigner(signer.clone())),
        OpenedBy::Authenticator(_) | OpenedBy::ExternalId => None,
    };
    let others = passed.iter().map(|factor| match factor {
        SecondaryFactor::Totp => Amr::Totp,
        SecondaryFactor::Token(signer) => Amr::ExternalSigner(signer.clone()),
    });
    let mut values = vec![Amr::Method(primary.method)];
    for value in first.into_iter().chain(others) {
        if !values.contains(&value) {
            values.push(value);
        }
    }
    values
}
