//! Issuers of enrollment tokens.

use crate::token::{TokenError, UnverifiedToken};
use portcullis_client::first_contact::{self, FirstContactError};
use portcullis_client::{BuildError, ClientBuilder, ClientError, Trust};
use portcullis_domain::clock::Timestamp;
use portcullis_pki::pkcs7::{self, Pkcs7Error};
use portcullis_pki::{Certificate, EnrollmentClaims};
use std::time::Duration;
use url::Url;

/// The issuer of a token could not be verified.
#[derive(Debug, thiserror::Error)]
pub enum IssuerError {
    #[error(transparent)]
    Contact(#[from] FirstContactError),
    #[error("the controller did not present a certificate")]
    NoCertificate,
    #[error(transparent)]
    Token(#[from] TokenError),
    #[error(transparent)]
    Build(#[from] BuildError),
    #[error(transparent)]
    Client(#[from] ClientError),
    #[error("the CA certificates of the controller cannot be read")]
    Authorities(#[source] Pkcs7Error),
}

/// A controller that was verified as the issuer of a token.
#[derive(Debug)]
pub struct Issuer {
    pub url: Url,
    /// CA certificates of its network.
    pub authorities: Vec<Certificate>,
}

impl Issuer {
    /// Verifies a token as OpenZiti clients do: against the certificate of its issuer, which
    /// vouches for the CA certificates, which verify the connection that the token is sent over.
    ///
    /// `client` begins a client for the controller.
    pub async fn verify_token(
        token: &UnverifiedToken,
        now: Timestamp,
        timeout: Duration,
        client: impl FnOnce(&Url, Trust) -> ClientBuilder,
    ) -> Result<(EnrollmentClaims, Self), IssuerError> {
        let url = token.issuer().clone();
        let chain = first_contact::peer_chain(&url, timeout).await?;
        let leaf = chain.into_iter().next().ok_or(IssuerError::NoCertificate)?;
        let claims = token.verify(&leaf, now)?;

        let pinned = client(&url, Trust::exact_leaf(leaf)).build()?;
        let authorities = pkcs7::decode_base64(&pinned.ca_bundle().await?);
        let authorities = authorities.map_err(IssuerError::Authorities)?;
        Ok((claims, Self { url, authorities }))
    }

    /// Trust in the CA certificates.
    pub fn trust(&self) -> Trust {
        Trust::anchors(self.authorities.iter().map(|one| one.as_rustls().clone()))
    }
}
