//! Issuers of enrollment tokens, for the commands.

use crate::context::Context;
use crate::error::CliError;
use portcullis_client::{Client, ClientBuilder};
use portcullis_enrollment::{IssuerError, TokenError, UnverifiedToken};
use portcullis_pki::{Certificate, EnrollmentClaims};
use url::Url;

/// A controller that was verified as the issuer of a token.
pub(super) struct Issuer {
    pub(super) url: Url,
    /// CA certificates of its network.
    pub(super) authorities: Vec<Certificate>,
    context: Context,
}

impl Issuer {
    /// Verifies a token.
    pub(super) async fn verify_token(
        context: &Context,
        token: &UnverifiedToken,
    ) -> Result<(EnrollmentClaims, Self), CliError> {
        let client = |url: &Url, trust| context.client(url, trust);
        let verified = portcullis_enrollment::Issuer::verify_token(
            token,
            context.now(),
            context.timeout,
            client,
        );
        let (claims, issuer) = verified.await?;
        let issuer = Self {
            url: issuer.url,
            authorities: issuer.authorities,
            context: context.clone(),
        };
        Ok((claims, issuer))
    }

    /// Starts building a client that trusts the CA certificates.
    pub(super) fn builder(&self) -> ClientBuilder {
        let anchors = self.authorities.iter().map(|one| one.as_rustls().clone());
        self.context
            .client(&self.url, portcullis_client::Trust::anchors(anchors))
    }

    pub(super) fn client(&self) -> Result<Client, CliError> {
        Ok(self.builder().build()?)
    }
}

impl From<TokenError> for CliError {
    fn from(error: TokenError) -> Self {
        let failure = Self::failed(error.to_string());
        match error {
            TokenError::NotAToken => failure
                .hint("an enrollment token is a single line with three parts separated by dots"),
            TokenError::NoIssuer => failure,
            TokenError::Expired => failure
                .hint("ask the administrator for a new one (`portcullis enrollment refresh`)"),
            TokenError::OfOther { source, .. } => failure.with_source(source).hint(
                "ask the administrator for a new one; do not use this one with any other controller",
            ),
        }
    }
}

impl From<IssuerError> for CliError {
    fn from(error: IssuerError) -> Self {
        match error {
            IssuerError::Contact(error) => error.into(),
            IssuerError::Token(error) => error.into(),
            IssuerError::Build(error) => error.into(),
            IssuerError::Client(error) => error.into(),
            error @ IssuerError::NoCertificate => Self::failed(error.to_string()),
            IssuerError::Authorities(source) => {
                Self::failed("the CA certificates of the controller cannot be read")
                    .with_source(source)
            },
        }
    }
}
