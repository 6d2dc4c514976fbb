//! The authorization endpoint, and the way back from a complete login.

use super::body::Form;
use super::{browser, reply};
use crate::error::ApiError;
use crate::response::ApiResponse;
use crate::route::{Call, NoBody, RequestContext, Route, public};
use http::{Method, StatusCode, header};
use portcullis_app::{AppError, oidc};
use portcullis_oidc::authorization::{AuthorizationError, AuthorizationRequest, PageError};
use portcullis_oidc::discovery::endpoint;
use portcullis_oidc::issuer;
use portcullis_oidc::login::{IssueError, LoginRequestError};
use portcullis_oidc::method::LoginMethod;
use portcullis_oidc::pages::{self, Problem};

pub(super) fn routes() -> Vec<Route> {
    vec![
        public::<Form, _, _>(Method::GET, endpoint::AUTHORIZATION, authorize).ignoring_accept(),
        public::<Form, _, _>(Method::POST, endpoint::AUTHORIZATION, authorize).ignoring_accept(),
        public::<NoBody, _, _>(Method::GET, endpoint::CALLBACK, callback).ignoring_accept(),
    ]
}

async fn authorize(call: Call<(), Form>) -> Result<ApiResponse, ApiError> {
    let context = &call.context;
    let issuer = browser::issuer(context)?;
    let app = &context.state.app;
    let parameters = match call.body.with_query(context.uri.query()) {
        Ok(parameters) => parameters,
        Err(error) => return Ok(invalid(context, error.into())),
    };
    let registered = oidc::login_uris(app, &issuer);
    let request = match AuthorizationRequest::parse(&parameters, &registered) {
        Ok(request) => request,
        Err(AuthorizationError::Page(error)) => return Ok(invalid(context, error)),
        Err(AuthorizationError::Redirect(error)) => return Ok(reply::redirect(&error.location())),
    };
    let has_certificate = !context.connection.certificates().is_empty();
    let method = request.method.unwrap_or(if has_certificate {
        LoginMethod::Certificate
    } else {
        LoginMethod::Password
    });
    let login = oidc::begin(app, request, &context.origin).map_err(AppError::from)?;
    let (id, page) = (login.id.as_str(), method.page());
    let location = format!("{}/login/{page}?authRequestID={id}", issuer::PATH);
    let response = reply::redirect(&location);
    Ok(match browser::login_cookie(&context.headers, &login) {
        Some(cookie) => response.with_header(header::SET_COOKIE, cookie),
        None => response,
    })
}

/// The answer to a request that does not tell where it could be redirected to.
fn invalid(context: &RequestContext, error: PageError) -> ApiResponse {
    if browser::is_page_load(&context.headers) {
        let problem = pages::problem(Problem::Authorization(error));
        return reply::page(StatusCode::BAD_REQUEST, problem);
    }
    reply::oauth_error(StatusCode::BAD_REQUEST, error.code(), &error.to_string())
}

async fn callback(call: Call<(), NoBody>) -> Result<ApiResponse, ApiError> {
    let context = &call.context;
    browser::issuer(context)?;
    let id = context.query.get("id").unwrap_or_default();
    let presenter = browser::presenter(&context.headers, id);
    let location = match oidc::issue_code(&context.state.app, id, presenter) {
        Ok(location) => location,
        Err(IssueError::Incomplete(error)) => return Ok(reply::redirect(&error.location())),
        Err(IssueError::Request(error)) => return Ok(ended(context, error)),
        Err(IssueError::Entropy(error)) => return Err(AppError::from(error).into()),
    };
    let response = reply::redirect(&location);
    Ok(match browser::expired_cookie(&context.headers, id) {
        Some(cookie) => response.with_header(header::SET_COOKIE, cookie),
        None => response,
    })
}

fn ended(context: &RequestContext, error: LoginRequestError) -> ApiResponse {
    if browser::is_page_load(&context.headers) {
        let problem = pages::problem(Problem::LoginRequest);
        return reply::page(StatusCode::BAD_REQUEST, problem);
    }
    reply::oauth_error(
        StatusCode::BAD_REQUEST,
        "invalid_request",
        &error.to_string(),
    )
}
