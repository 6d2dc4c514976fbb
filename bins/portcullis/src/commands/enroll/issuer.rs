//! The controller that a token comes from.

use crate::context::Context;
use crate::error::CliError;
use crate::token::UnverifiedToken;
use portcullis_client::{Client, ClientBuilder, Trust, first_contact};
use portcullis_pki::{Certificate, EnrollmentClaims, pkcs7};
use url::Url;

/// A controller that has proved to be the one that issued a token.
pub(super) struct Issuer {
    /// Where it is.
    pub(super) url: Url,
    /// The authorities of its network.
    pub(super) authorities: Vec<Certificate>,
    context: Context,
}

impl Issuer {
    /// Verifies a token as clients of OpenZiti do: by the certificate that its issuer shows, which
    /// then vouches for the authorities, which then vouch for the connection over which the token
    /// goes.
    pub(super) async fn meet(
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
        let authorities = pkcs7::read_base64(&pinned.ca_bundle().await?).map_err(|error| {
            CliError::failed("the CA certificates of the controller cannot be read").because(error)
        })?;
        let issuer = Self {
            url,
            authorities,
            context: context.clone(),
        };
        Ok((claims, issuer))
    }

    /// Begins a client that trusts the authorities.
    pub(super) fn builder(&self) -> ClientBuilder {
        let anchors = self.authorities.iter().map(|one| one.as_rustls().clone());
        self.context.client(&self.url, Trust::anchors(anchors))
    }

    /// A client that trusts the authorities.
    pub(super) fn client(&self) -> Result<Client, CliError> {
        Ok(self.builder().build()?)
    }
}
