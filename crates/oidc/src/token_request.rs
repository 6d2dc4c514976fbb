//! Requests to the token endpoint (RFC 6749 section 3.2, RFC 8693 section 2.1).
//!
//! This judges form alone. Whether a code can be redeemed, [`LoginRequests`](crate::login::LoginRequests) tells;
//! whether a token can be refreshed or exchanged, its [`claims`](crate::claims) and the session
//! ([`OidcSession`](portcullis_domain::oidc_session::OidcSession)).

mod error;

pub use error::{ErrorBody, TokenError};

use crate::client::{self, Client};
use crate::login::{AuthorizationCode, Redemption};
use crate::parameters::Parameters;
use crate::pkce::CodeVerifier;
use secrecy::SecretString;

/// Longest request for a certificate, in bytes.
const MAX_CSR: usize = 64 * 1024;

/// A request in good form.
#[derive(Debug, Clone)]
pub struct TokenRequest {
    pub client: Client,
    pub grant: Grant,
    /// A request in PEM for a certificate of the session.
    pub csr: Option<String>,
}

/// What is given for tokens.
#[derive(Debug, Clone)]
pub enum Grant {
    AuthorizationCode(Redemption),
    Refresh(Refresh),
    Exchange(Exchange),
}

/// A refresh token for an access token and the next refresh token.
#[derive(Debug, Clone)]
pub struct Refresh {
    pub token: SecretString,
    /// Value of `scope`, for [`Scopes::reduced_to`](crate::scope::Scopes::reduced_to).
    pub scope: Option<String>,
}

/// A token for another one of the same session.
#[derive(Debug, Clone)]
pub struct Exchange {
    pub subject: SecretString,
    pub subject_type: SubjectType,
    pub requested: RequestedType,
    /// As for a [`Refresh`].
    pub scope: Option<String>,
}

/// Type of a token that can be exchanged.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SubjectType {
    AccessToken,
    RefreshToken,
}

/// Type of a token that is asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RequestedType {
    AccessToken,
    /// It comes with an access token.
    RefreshToken,
    /// It stands in the member `access_token`, with the `token_type` `N_A` (RFC 8693 section 2.2.1).
    IdToken,
}

const ACCESS_TOKEN: &str = "urn:ietf:params:oauth:token-type:access_token";
const REFRESH_TOKEN: &str = "urn:ietf:params:oauth:token-type:refresh_token";
const ID_TOKEN: &str = "urn:ietf:params:oauth:token-type:id_token";

impl RequestedType {
    /// Value of `issued_token_type`.
    pub const fn urn(self) -> &'static str {
        match self {
            Self::AccessToken => ACCESS_TOKEN,
            Self::RefreshToken => REFRESH_TOKEN,
            Self::IdToken => ID_TOKEN,
        }
    }
}

/// Value of `grant_type` for an exchange.
pub const TOKEN_EXCHANGE: &str = "urn:ietf:params:oauth:grant-type:token-exchange";

impl TokenRequest {
    /// Parses a form. `authorization` is the value of the header of that name.
    pub fn parse(authorization: Option<&str>, form: &Parameters) -> Result<Self, TokenError> {
        // C SDKs send the `state` of the redirect along with the code, and their own besides.
        form.check_unique_but("state")?;
        let grant = match require(form, "grant_type")? {
            "authorization_code" => redemption,
            "refresh_token" => refresh,
            TOKEN_EXCHANGE => exchange,
            _ => return Err(TokenError::GrantType),
        };
        let client = client::identify(authorization, form)?;
        let csr = form.get("csr_pem")?.map(str::to_owned);
        if csr.as_ref().is_some_and(|csr| csr.len() > MAX_CSR) {
            return Err(TokenError::Csr);
        }
        Ok(Self {
            client,
            grant: grant(form, client)?,
            csr,
        })
    }
}

fn redemption(form: &Parameters, client: Client) -> Result<Grant, TokenError> {
    let code = AuthorizationCode::from_wire(require(form, "code")?);
    // Every authorization request had a redirect URI, so it is demanded here (RFC 6749 section 4.1.3).
    let redirect_uri = require(form, "redirect_uri")?.to_owned();
    let verifier = CodeVerifier::parse(require(form, "code_verifier")?)?;
    Ok(Grant::AuthorizationCode(Redemption {
        client,
        code,
        verifier,
        redirect_uri,
    }))
}

fn refresh(form: &Parameters, _client: Client) -> Result<Grant, TokenError> {
    Ok(Grant::Refresh(Refresh {
        token: require(form, "refresh_token")?.into(),
        scope: scope(form)?,
    }))
}

fn exchange(form: &Parameters, _client: Client) -> Result<Grant, TokenError> {
    if form.get("actor_token")?.is_some() {
        return Err(TokenError::Actor);
    }
    if !form.get_all("resource").is_empty() || !form.get_all("audience").is_empty() {
        return Err(TokenError::Target);
    }
    let subject_type = match require(form, "subject_token_type")? {
        ACCESS_TOKEN => SubjectType::AccessToken,
        REFRESH_TOKEN => SubjectType::RefreshToken,
        _ => return Err(TokenError::TokenType("subject_token_type")),
    };
    let requested = match form.get("requested_token_type")? {
        None | Some(ACCESS_TOKEN) => RequestedType::AccessToken,
        Some(REFRESH_TOKEN) => RequestedType::RefreshToken,
        Some(ID_TOKEN) => RequestedType::IdToken,
        Some(_) => return Err(TokenError::TokenType("requested_token_type")),
    };
    // An access token is no longer good than it is; it must not be turned into something that lasts.
    if (subject_type, requested) == (SubjectType::AccessToken, RequestedType::RefreshToken) {
        return Err(TokenError::TokenType("requested_token_type"));
    }
    Ok(Grant::Exchange(Exchange {
        subject: require(form, "subject_token")?.into(),
        subject_type,
        requested,
        scope: scope(form)?,
    }))
}

fn scope(form: &Parameters) -> Result<Option<String>, TokenError> {
    Ok(form.get("scope")?.map(str::to_owned))
}

fn require<'f>(form: &'f Parameters, name: &'static str) -> Result<&'f str, TokenError> {
    form.get(name)?.ok_or(TokenError::Missing(name))
}

#[cfg(test)]
mod tests;
