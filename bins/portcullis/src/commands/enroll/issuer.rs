//! Issuers of enrollment tokens.

use crate::context::Context;
use crate::enrollment_token::UnverifiedToken;
use crate::error::CliError;
use portcullis_client::{Client, ClientBuilder, Trust, first_contact};
use portcullis_pki::{Certificate, EnrollmentClaims, pkcs7};
use url::Url;

/// A controller that was verified as the issuer of a token.
pub(super) struct Issuer {
    pub(super) url: Url,
    /// CA certificates of its network.
    pub(super) authorities: Vec<Certificate>,
    context: Context,
}

impl Issuer {
    /// Verifies a token as OpenZiti clients do: against the certificate of its issuer, which
    /// vouches for the CA certificates, which verify the connection that the token is sent over.
    pub(super) async fn verify_token(
        context: &Context,
        token: &UnverifiedToken,
    ) -> Result<(EnrollmentClaims, Self), CliError> {
        let url = token.issuer().clone();
        let chain = first_contact::peer_chain(&url, context.timeout).await?;
        let leaf = chain.into_iter().next();
        let leaf =
            leaf.ok_or_else(|| CliError::failed("the controller did not present a certificate"))?;
        let claims = token.verify(&leaf, context.now())?;

        let pinned = context.client(&url, Trust::exact_leaf(leaf)).build()?;
        let authorities = pkcs7::decode_base64(&pinned.ca_bundle().await?).map_err(|error| {
            CliError::failed("the CA certificates of the controller cannot be read")
                .with_source(error)
        })?;
        let issuer = Self {
            url,
            authorities,
            context: context.clone(),
        };
        Ok((claims, issuer))
    }

    /// Starts building a client that trusts the CA certificates.
    pub(super) fn builder(&self) -> ClientBuilder {
        let anchors = self.authorities.iter().map(|one| one.as_rustls().clone());
        self.context.client(&self.url, Trust::anchors(anchors))
    }

    pub(super) fn client(&self) -> Result<Client, CliError> {
        Ok(self.builder().build()?)
    }
}
