//! The token endpoint, and what clients ask about their tokens.

use super::body::Form;
use super::{browser, reply};
use crate::error::ApiError;
use crate::response::ApiResponse;
use crate::route::{Call, NoBody, RequestContext, Route, public};
use crate::session;
use http::{HeaderValue, Method, StatusCode, header};
use portcullis_app::oidc::{self, GrantError, TokenClient};
use portcullis_oidc::client;
use portcullis_oidc::discovery::endpoint;
use portcullis_oidc::issuer::Issuer;
use portcullis_oidc::parameters::Parameters;
use portcullis_oidc::token_request::{TokenError, TokenRequest};
use secrecy::ExposeSecret;

/// Another path of the revocation endpoint, which OpenZiti's console calls.
const CONSOLE_REVOCATION: &str = "/oauth/revoke";

pub(super) fn routes() -> Vec<Route> {
    vec![
        public::<Form, _, _>(Method::POST, endpoint::TOKEN, grant),
        public::<Form, _, _>(Method::POST, endpoint::INTROSPECTION, introspect),
        public::<Form, _, _>(Method::POST, endpoint::REVOCATION, revoke).ignoring_accept(),
        public::<Form, _, _>(Method::POST, CONSOLE_REVOCATION, revoke).ignoring_accept(),
        public::<NoBody, _, _>(Method::GET, endpoint::USER_INFO, user_info),
        public::<Form, _, _>(Method::POST, endpoint::USER_INFO, user_info_by_form),
    ]
}

async fn grant(call: Call<(), Form>) -> Result<ApiResponse, ApiError> {
    let context = &call.context;
    let issuer = browser::issuer(context)?;
    let request = call.body.parameters().map_err(TokenError::from);
    let request = request.and_then(|form| TokenRequest::parse(authorization(context), &form));
    let request = match request {
        Ok(request) => request,
        Err(error) => return Ok(refused(&error)),
    };
    let certificates = context.connection.certificates();
    let client = client(context, &issuer, &certificates);
    match oidc::grant(&context.state.app, request, &client).await {
        Ok(tokens) => Ok(reply::private_json(&tokens)),
        Err(GrantError::Refused(error)) => Ok(refused(&error)),
        // SDKs try again after 5xx, and log in again after everything else.
        Err(GrantError::Failed(error)) => Err(ApiError::from(error).into_server_error()),
    }
}

fn client<'c>(
    context: &'c RequestContext,
    issuer: &'c Issuer,
    certificates: &'c [&'c [u8]],
) -> TokenClient<'c> {
    TokenClient {
        origin: &context.origin,
        issuer,
        is_own_page: browser::is_own_page(&context.headers, issuer),
        certificates,
    }
}

fn authorization(context: &RequestContext) -> Option<&str> {
    let value = context.headers.get(header::AUTHORIZATION)?;
    value.to_str().ok()
}

fn refused(error: &TokenError) -> ApiResponse {
    tracing::debug!(%error, "no tokens are issued");
    let status = StatusCode::from_u16(error.status()).unwrap_or(StatusCode::BAD_REQUEST);
    let response = reply::oauth_error(status, error.code(), &error.to_string());
    if status == StatusCode::UNAUTHORIZED {
        let challenge = HeaderValue::from_static("Basic realm=\"openziti-oidc\"");
        return response.with_header(header::WWW_AUTHENTICATE, challenge);
    }
    if status == StatusCode::SERVICE_UNAVAILABLE {
        return response.with_header(header::RETRY_AFTER, HeaderValue::from_static("1"));
    }
    response
}

/// The parameters of a request about a token: its client and the token.
fn presented(
    context: &RequestContext,
    form: &Parameters,
) -> Result<(client::Client, String), TokenError> {
    form.check_unique()?;
    let client = client::identify(authorization(context), form)?;
    let token = form.get("token")?.ok_or(TokenError::Missing("token"))?;
    Ok((client, token.to_owned()))
}

async fn introspect(call: Call<(), Form>) -> Result<ApiResponse, ApiError> {
    let context = &call.context;
    browser::issuer(context)?;
    let form = call.body.parameters().map_err(TokenError::from);
    let (oidc_client, token) = match form.and_then(|form| presented(context, &form)) {
        Ok(presented) => presented,
        Err(error) => return Ok(refused(&error)),
    };
    let certificates = context.connection.certificates();
    let known = oidc::introspect(&context.state.app, &token, oidc_client, &certificates)?;
    Ok(reply::private_json(&known))
}

async fn revoke(call: Call<(), Form>) -> Result<ApiResponse, ApiError> {
    let context = &call.context;
    let issuer = browser::issuer(context)?;
    let form = call.body.parameters().map_err(TokenError::from);
    let (oidc_client, token) = match form.and_then(|form| presented(context, &form)) {
        Ok(presented) => presented,
        Err(error) => return Ok(refused(&error)),
    };
    let certificates = context.connection.certificates();
    let client = client(context, &issuer, &certificates);
    let revoked = oidc::revoke(&context.state.app, &token, oidc_client, &client).await;
    match revoked.map_err(|error| ApiError::from(error).into_server_error())? {
        Ok(()) => Ok(ApiResponse::without_body(StatusCode::OK)),
        Err(error) => Ok(refused(&error)),
    }
}

async fn user_info(call: Call<(), NoBody>) -> Result<ApiResponse, ApiError> {
    let token = session::first_bearer(&call.context.headers);
    let token = token.as_ref().map(ExposeSecret::expose_secret);
    tell_user(&call.context, token)
}

/// The access token is in the header or in the form (RFC 6750 section 2.2).
async fn user_info_by_form(call: Call<(), Form>) -> Result<ApiResponse, ApiError> {
    let in_header = session::first_bearer(&call.context.headers);
    let form = call.body.parameters().unwrap_or_default();
    let in_form = form.get("access_token").ok().flatten();
    let in_header = in_header.as_ref().map(ExposeSecret::expose_secret);
    tell_user(&call.context, in_header.or(in_form))
}

fn tell_user(context: &RequestContext, token: Option<&str>) -> Result<ApiResponse, ApiError> {
    browser::issuer(context)?;
    let certificates = context.connection.certificates();
    let known = token
        .map(|token| oidc::user_info(&context.state.app, token, &certificates))
        .transpose()?;
    let challenge = match known {
        Some(Some(user)) => return Ok(reply::private_json(&user)),
        Some(None) => "Bearer realm=\"openziti-oidc\", error=\"invalid_token\"",
        None => "Bearer realm=\"openziti-oidc\"",
    };
    let description = "an access token with the scope openid is required";
    let response = reply::oauth_error(StatusCode::UNAUTHORIZED, "invalid_token", description);
    Ok(response.with_header(
        header::WWW_AUTHENTICATE,
        HeaderValue::from_static(challenge),
    ))
}
