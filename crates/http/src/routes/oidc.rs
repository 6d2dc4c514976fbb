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

use crate::path::Api;
use crate::route::Route;

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
