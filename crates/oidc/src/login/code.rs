//! Authorization codes (RFC 6749 section 4.1.2).

use crate::authorization::AuthorizationRequest;
use crate::client::Client;
use crate::pkce::CodeVerifier;
use crate::secret::{self, SecretHash};
use portcullis_domain::entropy::{Entropy, EntropyError};
use portcullis_domain::ids::ApiSessionId;
use secrecy::{ExposeSecret as _, SecretString};

/// A code that a client redeems for tokens. Only its hash is kept.
#[derive(Debug, Clone)]
pub struct AuthorizationCode(SecretString);

impl AuthorizationCode {
    pub(super) fn generate(entropy: &dyn Entropy) -> Result<Self, EntropyError> {
        secret::generate(entropy).map(Self)
    }

    /// Wraps the code of a request.
    pub fn from_wire(code: &str) -> Self {
        Self(code.into())
    }

    pub(super) fn hash(&self) -> SecretHash {
        SecretHash::of(self.0.expose_secret())
    }

    /// The code as it was sent.
    pub fn expose(&self) -> &str {
        self.0.expose_secret()
    }
}

/// What a client shows to redeem a code (RFC 6749 section 4.1.3, RFC 7636 section 4.5).
#[derive(Debug, Clone)]
pub struct Redemption {
    pub client: Client,
    pub code: AuthorizationCode,
    pub verifier: CodeVerifier,
    pub redirect_uri: String,
}

/// A code is not redeemed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum RedeemError {
    /// It was never issued, or long ago.
    #[error("invalid code")]
    Unknown,
    #[error("the code has expired")]
    Expired,
    #[error("the code was issued to another client")]
    OtherClient,
    #[error("redirect_uri is not that of the authorization request")]
    OtherRedirect,
    #[error("invalid code_verifier")]
    Verifier,
    /// Whoever shows it knows everything that it takes, and somebody else did before. One of them stole it,
    /// so all tokens of the session must end (RFC 6749 section 4.1.2).
    #[error("the code was redeemed before")]
    Replayed {
        /// The session that the code was redeemed for.
        session: ApiSessionId,
    },
}

impl Redemption {
    /// Checks that it is the client of `request` that redeems its code. A failure does not spend the code:
    /// otherwise whoever saw it could keep the client from logging in.
    pub(super) fn check(&self, request: &AuthorizationRequest) -> Result<(), RedeemError> {
        if self.client != request.client {
            Err(RedeemError::OtherClient)
        } else if self.redirect_uri != request.redirect_uri.as_str() {
            Err(RedeemError::OtherRedirect)
        } else if !request.challenge.is_met_by(&self.verifier) {
            Err(RedeemError::Verifier)
        } else {
            Ok(())
        }
    }
}
