//! Logins by OpenID Connect: the endpoints of the provider and of its logins.
//!
//! Answers differ by who asks: programs get JSON, browsers that show a page to a person get HTML.
//! Errors of OAuth 2.0 have the form of RFC 6749, those of logins a code and a message.

mod authorize;
mod body;
mod browser;
mod login;
mod logout;
mod metadata;
mod reply;
mod step;
mod token;
mod totp;

use crate::error::ApiError;
use crate::path::Api;
use crate::response::ApiResponse;
use crate::route::Route;
use http::StatusCode;
use portcullis_oidc::pages::{self, Problem};

pub(crate) use browser::is_page_load;

pub(super) fn routes() -> Vec<Route> {
    [
        authorize::routes(),
        login::routes(),
        logout::routes(),
        metadata::routes(),
        token::routes(),
        totp::routes(),
    ]
    .into_iter()
    .flatten()
    .map(|route| route.only(Api::Oidc.only()))
    .collect()
}

/// The page that tells a person of an error.
pub(crate) fn problem_page(error: ApiError) -> ApiResponse {
    let problem = match error.status {
        StatusCode::TOO_MANY_REQUESTS
        | StatusCode::SERVICE_UNAVAILABLE
        | StatusCode::GATEWAY_TIMEOUT => Problem::Busy,
        status if status.is_server_error() => Problem::Internal,
        _ => Problem::Malformed,
    };
    let page = reply::page(error.status, pages::problem(problem));
    let headers = error.headers.into_iter();
    headers.fold(page, |page, (name, value)| page.with_header(name, value))
}
