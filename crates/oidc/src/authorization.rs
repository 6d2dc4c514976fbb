//! Authorization requests (RFC 6749 section 4.1.1, OpenID Connect Core section 3.1.2).

mod error;

pub use error::{AuthorizationError, ErrorRedirect, PageError, RedirectedError};

use crate::client::Client;
use crate::method::LoginMethod;
use crate::parameters::Parameters;
use crate::pkce::CodeChallenge;
use crate::redirect::{RedirectUri, RedirectUris};
use crate::scope::Scopes;

/// Bounds of what is kept of a request for as long as its login takes, in bytes.
const MAX_STATE: usize = 2048;
const MAX_NONCE: usize = 512;
const MAX_CONFIG_TYPES: usize = 64;
const MAX_CONFIG_TYPE: usize = 128;

/// A request for an authorization code that is in order. Whoever logs in is sent to its redirect URI.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AuthorizationRequest {
    pub client: Client,
    pub redirect_uri: RedirectUri,
    pub scopes: Scopes,
    /// Returned to the client as it is.
    pub state: Option<String>,
    /// Put into the ID token as it is.
    pub nonce: Option<String>,
    pub challenge: CodeChallenge,
    /// The method that the client wants to log in by. Without it, the one that fits the connection.
    pub method: Option<LoginMethod>,
    /// Config types that the client understands, by id or name.
    pub config_types: Vec<String>,
}

impl AuthorizationRequest {
    /// Judges a request.
    ///
    /// # Errors
    ///
    /// [`AuthorizationError::Page`] while it is in doubt where to redirect to, and
    /// [`AuthorizationError::Redirect`] afterwards (RFC 6749 section 4.1.2.1).
    pub fn parse(
        parameters: &Parameters,
        registered: &RedirectUris,
    ) -> Result<Self, AuthorizationError> {
        let (client, redirect_uri) = recipient(parameters, registered)?;
        let state = parameters.get("state").ok().flatten();
        let state = state.filter(|state| is_text(state, MAX_STATE));
        Self::for_recipient(parameters, client, redirect_uri.clone()).map_err(|error| {
            AuthorizationError::Redirect(ErrorRedirect {
                redirect_uri,
                state: state.map(str::to_owned),
                error,
            })
        })
    }

    fn for_recipient(
        parameters: &Parameters,
        client: Client,
        redirect_uri: RedirectUri,
    ) -> Result<Self, RedirectedError> {
        parameters.check_unique()?;
        check_form(parameters)?;
        let challenge = CodeChallenge::from_parameters(
            parameters.get("code_challenge")?,
            parameters.get("code_challenge_method")?,
        )?;
        check_prompt(parameters.get("prompt")?.unwrap_or_default())?;
        let method = parameters
            .get("method")?
            .map(|name| LoginMethod::from_name(name).ok_or(RedirectedError::Malformed("method")));
        Ok(Self {
            client,
            redirect_uri,
            scopes: Scopes::parse(parameters.get("scope")?)?,
            state: text(parameters, "state", MAX_STATE)?,
            nonce: text(parameters, "nonce", MAX_NONCE)?,
            challenge,
            method: method.transpose()?,
            config_types: config_types(parameters)?,
        })
    }

    /// Where a login is sent that ends with `error`.
    pub fn error_redirect(&self, error: RedirectedError) -> ErrorRedirect {
        ErrorRedirect {
            redirect_uri: self.redirect_uri.clone(),
            state: self.state.clone(),
            error,
        }
    }
}

/// The client, and where to redirect to.
fn recipient(
    parameters: &Parameters,
    registered: &RedirectUris,
) -> Result<(Client, RedirectUri), PageError> {
    let client = parameters.get("client_id")?;
    let client = client.ok_or(PageError::MissingClient)?;
    let client = Client::from_id(client).ok_or(PageError::UnknownClient)?;
    let uri = parameters.get("redirect_uri")?;
    let uri = uri.ok_or(PageError::MissingRedirectUri)?;
    Ok((client, registered.find(uri)?))
}

/// Checks what the request asks for beside its login.
fn check_form(parameters: &Parameters) -> Result<(), RedirectedError> {
    for (name, error) in [
        ("request", RedirectedError::RequestObject),
        ("request_uri", RedirectedError::RequestUri),
        ("registration", RedirectedError::Registration),
    ] {
        if parameters.get(name)?.is_some() {
            return Err(error);
        }
    }
    match parameters.get("response_type")? {
        None => return Err(RedirectedError::Missing("response_type")),
        Some("code") => {},
        Some(_) => return Err(RedirectedError::ResponseType),
    }
    if !matches!(parameters.get("response_mode")?, None | Some("query")) {
        return Err(RedirectedError::Malformed("response_mode"));
    }
    // Whatever age is demanded: every request leads to a login of its own.
    let age = parameters.get("max_age")?.map(str::parse::<u64>);
    if age.is_some_and(|age| age.is_err()) {
        return Err(RedirectedError::Malformed("max_age"));
    }
    Ok(())
}

/// There are no sessions of browsers here, so nobody is logged in without being asked.
fn check_prompt(prompt: &str) -> Result<(), RedirectedError> {
    let mut prompts = prompt.split(' ').filter(|prompt| !prompt.is_empty());
    match (prompts.any(|prompt| prompt == "none"), prompt.trim()) {
        (true, "none") => Err(RedirectedError::LoginRequired),
        (true, _) => Err(RedirectedError::Malformed("prompt")),
        (false, _) => Ok(()),
    }
}

fn text(
    parameters: &Parameters,
    name: &'static str,
    max_bytes: usize,
) -> Result<Option<String>, RedirectedError> {
    match parameters.get(name)? {
        Some(value) if !is_text(value, max_bytes) => Err(RedirectedError::Malformed(name)),
        value => Ok(value.map(str::to_owned)),
    }
}

fn is_text(value: &str, max_bytes: usize) -> bool {
    value.len() <= max_bytes && !value.chars().any(char::is_control)
}

fn config_types(parameters: &Parameters) -> Result<Vec<String>, RedirectedError> {
    let types = parameters.get_all("configTypes");
    let are_short = types.iter().all(|name| is_text(name, MAX_CONFIG_TYPE));
    if types.len() > MAX_CONFIG_TYPES || !are_short {
        return Err(RedirectedError::Malformed("configTypes"));
    }
    Ok(types.to_vec())
}

#[cfg(test)]
mod tests;
