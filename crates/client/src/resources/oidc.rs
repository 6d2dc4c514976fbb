//! Logins by OpenID Connect.

use super::login::Credentials;
use crate::body::Body;
use crate::client::Client;
use crate::endpoint::{Api, Endpoint};
use crate::error::{ClientError, Denial, RefusalError};
use crate::oidc::{
    AuthorizationRequest, CLIENT_ID, CallbackError, IdTokenError, Provider, TokenResponse, Tokens,
};
use crate::reply::Reply;
use http::{Method, StatusCode, header};
use portcullis_api::api_session::AuthQuery;
use portcullis_api::authenticate::Authenticate;
use portcullis_api::code::Code;
use portcullis_api::error::ErrorBody;
use portcullis_domain::clock::Timestamp;
use portcullis_domain::entropy::Entropy;
use portcullis_domain::ids::{IdentityId, RequestId};
use secrecy::{ExposeSecret as _, SecretString};
use serde::Deserialize;
use url::{Url, form_urlencoded};

const FORM: &str = "application/x-www-form-urlencoded";

/// Where codes go of logins without a browser: the answer is read, and nobody goes there.
const NOWHERE: &str = "http://127.0.0.1:8080/auth/callback";

/// The code with which providers refuse TOTP and recovery codes; elsewhere it is `MFA_INVALID_TOKEN`.
const INVALID_CODE: &str = "INVALID TOTP CODE";

/// A login on its way, without a browser.
#[derive(Debug, Clone)]
pub struct OidcLogin {
    client: Client,
    provider: Provider,
    request: AuthorizationRequest,
    /// By which the provider knows it, and whoever knows it can go on.
    id: SecretString,
    /// Fields of forms that describe the client.
    description: Vec<(&'static str, String)>,
}

/// Factors that are still open.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct OpenFactors {
    auth_queries: Vec<AuthQuery>,
}

impl Client {
    /// The OpenID provider of the controller. It has one if
    /// [`Version::offers_oidc`](portcullis_api::version::Version::offers_oidc) says so.
    pub async fn oidc_provider(&self) -> Result<Provider, ClientError> {
        let endpoint = Endpoint::new(Api::Oidc, ".well-known").join("openid-configuration");
        let client = self.bare();
        let reply = client.fetch(Method::GET, &endpoint, Body::empty()).await?;
        Provider::from_document(&self.origin(), &reply.body)
            .map_err(|error| self.unexpected(&Method::GET, &endpoint, error.to_string()))
    }

    /// Begins a login without a browser with credentials of this kind.
    pub async fn begin_oidc_login(
        &self,
        provider: &Provider,
        credentials: &Credentials,
        entropy: &dyn Entropy,
    ) -> Result<OidcLogin, ClientError> {
        let nowhere = Url::parse(NOWHERE).map_err(|_url| no_url())?;
        let request = AuthorizationRequest::with_method(nowhere, method(credentials), entropy);
        let request = request.map_err(|error| ClientError::InvalidRequest(error.to_string()))?;
        let endpoint = request.endpoint(provider);
        let reply = self.send(Method::GET, &endpoint, Body::empty()).await?;
        let location = self.redirection(reply, &Method::GET, &endpoint)?;
        if let Some(denial) = denial(provider, &request, &location) {
            return Err(ClientError::Denied(denial));
        }
        let page = Url::parse(provider.issuer()).and_then(|issuer| issuer.join(&location));
        let id = page.ok().and_then(|page| {
            let mut pairs = page.query_pairs();
            let (_, id) = pairs.find(|(name, _)| name == "authRequestID")?;
            Some(SecretString::from(id.as_ref()))
        });
        let id = id.ok_or_else(|| {
            self.unexpected(&Method::GET, &endpoint, "it does not lead to a login")
        })?;
        Ok(OidcLogin {
            client: self.clone(),
            provider: provider.clone(),
            request,
            id,
            description: Vec::new(),
        })
    }

    /// Redeems the code that came back to `request`.
    pub async fn redeem_code(
        &self,
        provider: &Provider,
        request: &AuthorizationRequest,
        code: &SecretString,
        now: Timestamp,
    ) -> Result<Tokens, ClientError> {
        let form = form(&[
            ("grant_type", "authorization_code"),
            ("client_id", CLIENT_ID),
            ("code", code.expose_secret()),
            ("code_verifier", request.verifier().expose_secret()),
            ("redirect_uri", request.redirect_uri().as_str()),
        ]);
        let answer = self.ask_for_tokens(provider, form).await?;
        let tokens = answer.of_login(provider, request.nonce(), now);
        tokens.map_err(|error| self.odd_tokens(provider, error))
    }

    /// Exchanges a refresh token of `identity` for new tokens, among them the next refresh token. Whether
    /// it succeeds or not, the old one must not be used again once this was sent.
    ///
    /// # Errors
    ///
    /// [`ClientError::Denied`] when the token does not count, or no longer.
    pub async fn refresh_tokens(
        &self,
        provider: &Provider,
        refresh_token: &SecretString,
        identity: &IdentityId,
        now: Timestamp,
    ) -> Result<Tokens, ClientError> {
        let form = form(&[
            ("grant_type", "refresh_token"),
            ("client_id", CLIENT_ID),
            ("refresh_token", refresh_token.expose_secret()),
        ]);
        let answer = self.ask_for_tokens(provider, form).await?;
        let tokens = answer.of_refresh(provider, identity, now);
        tokens.map_err(|error| self.odd_tokens(provider, error))
    }

    /// Revokes a token (RFC 7009); with a refresh token, its session ends. It is no error if the token
    /// does not count anyway.
    pub async fn revoke_token(
        &self,
        provider: &Provider,
        token: &SecretString,
    ) -> Result<(), ClientError> {
        let form = form(&[("client_id", CLIENT_ID), ("token", token.expose_secret())]);
        let client = self.bare();
        let reply = client
            .send(Method::POST, &provider.revocation, form)
            .await?;
        accept(reply).map(drop)
    }

    async fn ask_for_tokens(
        &self,
        provider: &Provider,
        form: Body,
    ) -> Result<TokenResponse, ClientError> {
        let endpoint = &provider.token;
        let reply = self.bare().send(Method::POST, endpoint, form).await?;
        let reply = accept(reply)?;
        let answer: Option<TokenResponse> = serde_json::from_slice(&reply.body).ok();
        answer
            .filter(|answer| answer.token_type.eq_ignore_ascii_case("Bearer"))
            .ok_or_else(|| self.unexpected(&Method::POST, endpoint, "it has no bearer token"))
    }

    /// A client that shows nothing but its certificate: where clients of the provider may authenticate,
    /// a bearer token would be taken for that.
    fn bare(&self) -> Self {
        self.without_session().without_bearers()
    }

    fn odd_tokens(&self, provider: &Provider, error: IdTokenError) -> ClientError {
        self.unexpected(&Method::POST, &provider.token, error.to_string())
    }

    /// Where a response leads.
    fn redirection(
        &self,
        reply: Reply,
        method: &Method,
        endpoint: &Endpoint,
    ) -> Result<String, ClientError> {
        if !reply.status.is_redirection() {
            let reply = accept(reply)?;
            let reason = format!("status {} instead of a redirection", reply.status);
            return Err(self.unexpected(method, endpoint, reason));
        }
        let location = reply.headers.get(header::LOCATION);
        let location = location.and_then(|location| location.to_str().ok());
        location
            .map(str::to_owned)
            .ok_or_else(|| self.unexpected(method, endpoint, "the redirection leads nowhere"))
    }
}

impl OidcLogin {
    /// The provider that it takes place at.
    pub fn provider(&self) -> &Provider {
        &self.provider
    }

    /// Describes the client along with its credentials: its machine, its SDK, and the configuration types that
    /// it wants to see.
    #[must_use]
    pub fn describing(mut self, client: &Authenticate) -> Self {
        self.description = description(client);
        self
    }

    /// Shows credentials; answers what is still asked for. JWTs of the client that began the login are
    /// shown along with them, for a policy that demands a second one.
    ///
    /// # Errors
    ///
    /// [`ClientError::Refused`] when they are wrong; they may be tried again on the same login.
    pub async fn authenticate(
        &mut self,
        credentials: &Credentials,
    ) -> Result<Vec<AuthQuery>, ClientError> {
        let id = self.id.clone();
        let described = self.description.iter();
        let mut fields: Vec<_> = described
            .map(|(name, text)| (*name, text.as_str()))
            .collect();
        fields.push(("id", id.expose_secret()));
        let step = match credentials {
            Credentials::Password { username, password } => {
                fields.push(("username", username));
                fields.push(("password", password.expose_secret()));
                "password"
            },
            Credentials::Certificate => "cert",
            Credentials::Jwt(token) => {
                self.client = self.client.with_first_bearer(token.clone());
                "ext-jwt"
            },
        };
        self.step(step, form(&fields)).await
    }

    /// Shows a TOTP or recovery code; answers what is still asked for.
    ///
    /// # Errors
    ///
    /// [`ClientError::Refused`] with `MFA_INVALID_TOKEN` when it is wrong.
    pub async fn answer_totp(&self, code: SecretString) -> Result<Vec<AuthQuery>, ClientError> {
        let form = form(&[
            ("id", self.id.expose_secret()),
            ("code", code.expose_secret()),
        ]);
        let answered = self.step("totp", form).await;
        answered.map_err(|error| match error {
            ClientError::Refused(mut refusal) if is_wrong_code(&refusal) => {
                let body = ErrorBody::new(Code::MfaInvalidToken, RequestId::from_wire(""));
                refusal.body = Some(body);
                ClientError::Refused(refusal)
            },
            error => error,
        })
    }

    /// Fetches the code of a complete login, and redeems it.
    pub async fn finish(&self, now: Timestamp) -> Result<Tokens, ClientError> {
        let (client, provider) = (&self.client, &self.provider);
        let endpoint = Endpoint::new(Api::Oidc, "authorize")
            .join("callback")
            .with_secret_parameter("id", self.id.clone());
        let reply = client.send(Method::GET, &endpoint, Body::empty()).await?;
        let location = client.redirection(reply, &Method::GET, &endpoint)?;
        let callback = Url::parse(&location).map_err(|_url| CallbackError::Foreign);
        let code = callback.and_then(|callback| self.request.code(provider, &callback));
        let code = code.map_err(|error| match error {
            CallbackError::Denied(denial) => ClientError::Denied(denial),
            CallbackError::Foreign => client.unexpected(&Method::GET, &endpoint, error.to_string()),
        })?;
        client
            .redeem_code(provider, &self.request, &code, now)
            .await
    }

    /// Takes a step of the login; answers what is still asked for.
    async fn step(&self, name: &str, form: Body) -> Result<Vec<AuthQuery>, ClientError> {
        let endpoint = Endpoint::new(Api::Oidc, "login").join(name);
        let (client, post) = (&self.client, Method::POST);
        let reply = client.send(post.clone(), &endpoint, form).await?;
        if reply.status == StatusCode::OK {
            let open: Option<OpenFactors> = serde_json::from_slice(&reply.body).ok();
            let open = open.filter(|open| !open.auth_queries.is_empty());
            return open
                .map(|open| open.auth_queries)
                .ok_or_else(|| client.unexpected(&post, &endpoint, "it names no open factor"));
        }
        let location = client.redirection(reply, &post, &endpoint)?;
        match self.provider.follow(&location) {
            Some(_) => Ok(Vec::new()),
            None => Err(client.unexpected(&post, &endpoint, "it leads to somebody else")),
        }
    }
}

/// Members of a client by their names in forms, which are flat.
fn description(client: &Authenticate) -> Vec<(&'static str, String)> {
    let Authenticate {
        env_info, sdk_info, ..
    } = client;
    let members = [
        ("envArch", &env_info.arch),
        ("envDomain", &env_info.domain),
        ("envHostname", &env_info.hostname),
        ("envOs", &env_info.os),
        ("envOsRelease", &env_info.os_release),
        ("envOsVersion", &env_info.os_version),
        ("sdkAppId", &sdk_info.app_id),
        ("sdkAppVersion", &sdk_info.app_version),
        ("sdkBranch", &sdk_info.branch),
        ("sdkRevision", &sdk_info.revision),
        ("sdkType", &sdk_info.kind),
        ("sdkVersion", &sdk_info.version),
    ];
    let types = client.config_types.iter().map(|name| ("configTypes", name));
    members
        .into_iter()
        .chain(types)
        .filter(|(_, text)| !text.is_empty())
        .map(|(name, text)| (name, text.clone()))
        .collect()
}

fn method(credentials: &Credentials) -> &'static str {
    match credentials {
        Credentials::Password { .. } => "password",
        Credentials::Certificate => "cert",
        Credentials::Jwt(_) => "ext-jwt",
    }
}

fn is_wrong_code(refusal: &RefusalError) -> bool {
    let body = refusal.body.as_ref();
    body.is_some_and(|body| body.error.code == INVALID_CODE)
}

/// The refusal of an authorization request, if the redirection says so.
fn denial(provider: &Provider, request: &AuthorizationRequest, location: &str) -> Option<Denial> {
    match request.code(provider, &Url::parse(location).ok()?) {
        Err(CallbackError::Denied(denial)) => Some(denial),
        _ => None,
    }
}

/// Returns a successful response. Other ones speak the language of OAuth, or that of the API.
fn accept(reply: Reply) -> Result<Reply, ClientError> {
    if reply.status.is_client_error()
        && let Ok(denial) = serde_json::from_slice(&reply.body)
    {
        return Err(ClientError::Denied(denial));
    }
    reply.into_success().map_err(ClientError::Refused)
}

fn no_url() -> ClientError {
    ClientError::InvalidRequest("the redirect URI is none".to_owned())
}

fn form(pairs: &[(&str, &str)]) -> Body {
    let form = form_urlencoded::Serializer::new(String::new())
        .extend_pairs(pairs)
        .finish();
    Body::new(FORM, form)
}
