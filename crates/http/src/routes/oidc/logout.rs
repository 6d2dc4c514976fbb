//! The end of a session, as an application asks for it (OpenID Connect RP-Initiated Logout).

use super::body::Form;
use super::{browser, reply};
use crate::error::ApiError;
use crate::response::ApiResponse;
use crate::route::{Call, NoBody, RequestContext, Route, public};
use http::{Method, StatusCode};
use portcullis_app::oidc;
use portcullis_oidc::discovery::endpoint;
use portcullis_oidc::issuer;
use portcullis_oidc::pages::{self, Problem};
use portcullis_oidc::parameters::{Parameters, ParametersError};
use portcullis_oidc::redirect::RedirectUri;

/// Path of the page that says that somebody is signed out.
const SIGNED_OUT: &str = "/logged-out";

pub(super) fn routes() -> Vec<Route> {
    vec![
        public::<Form, _, _>(Method::GET, endpoint::END_SESSION, end)
            .ignoring_accept()
            .mutating(),
        public::<Form, _, _>(Method::POST, endpoint::END_SESSION, end).ignoring_accept(),
        public::<NoBody, _, _>(Method::GET, SIGNED_OUT, signed_out).ignoring_accept(),
    ]
}

async fn end(call: Call<(), Form>) -> Result<ApiResponse, ApiError> {
    let context = &call.context;
    browser::issuer(context)?;
    let parameters = call.body.with_query(context.uri.query());
    let parameters = match parameters.and_then(|all| all.check_unique().map(|()| all)) {
        Ok(parameters) => parameters,
        Err(error) => return Ok(malformed(context, error)),
    };
    let app = &context.state.app;
    let hint = parameters.get("id_token_hint").ok().flatten();
    let client = match hint {
        Some(hint) => oidc::end_session(app, hint, &context.origin).await?,
        None => None,
    };
    let uris = oidc::logout_uris(app);
    let wanted = parameters.get("post_logout_redirect_uri").ok().flatten();
    let is_of_client = |client: portcullis_oidc::client::Client| {
        let named = parameters.get("client_id").ok().flatten();
        named.is_none_or(|named| named == client.id())
    };
    // Nobody is sent anywhere on the word of a stranger.
    let uri = wanted
        .filter(|_wanted| client.is_some_and(is_of_client))
        .and_then(|wanted| uris.find(wanted).ok());
    let location = uri.map(|uri| with_state(&uri, &parameters));
    let default = || format!("{}{SIGNED_OUT}", issuer::PATH);
    Ok(reply::redirect(&location.unwrap_or_else(default)))
}

fn with_state(uri: &RedirectUri, parameters: &Parameters) -> String {
    match parameters.get("state").ok().flatten() {
        Some(state) => uri.with_parameters(&[("state", state)]),
        None => uri.as_str().to_owned(),
    }
}

fn malformed(context: &RequestContext, error: ParametersError) -> ApiResponse {
    if browser::is_page_load(&context.headers) {
        let problem = pages::problem(Problem::Malformed);
        return reply::page(StatusCode::BAD_REQUEST, problem);
    }
    reply::oauth_error(
        StatusCode::BAD_REQUEST,
        "invalid_request",
        &error.to_string(),
    )
}

async fn signed_out(_call: Call<(), NoBody>) -> Result<ApiResponse, ApiError> {
    Ok(reply::page(StatusCode::OK, pages::signed_out()))
}
