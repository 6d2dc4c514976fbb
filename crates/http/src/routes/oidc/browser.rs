//! Whom a request comes from: a person's browser or a program, and the browser that began a login.
//!
//! A browser shows that it began a login by a cookie. Programs keep none, and are not asked for any;
//! see [`Presenter`].

use crate::content_negotiation;
use crate::error::ApiError;
use crate::route::RequestContext;
use http::uri::Authority;
use http::{HeaderMap, HeaderName, HeaderValue, StatusCode, header};
use portcullis_api::code::Code;
use portcullis_oidc::issuer::{self, Issuer};
use portcullis_oidc::login::{LOGIN_LIFETIME, NewLogin, Presenter};
use portcullis_oidc::redirect::RedirectUri;

const FETCH_MODE: HeaderName = HeaderName::from_static("sec-fetch-mode");

/// The cookie of a login request; its id follows.
const COOKIE: &str = "__Secure-portcullis-login-";

/// The issuer that a request is addressed to.
///
/// # Errors
///
/// 404 if it is addressed to none: tokens are only issued under names that belong to this
/// controller. So is a request whose `Host` and authority name two of them (RFC 9113 section
/// 8.3.1).
pub(super) fn issuer(context: &RequestContext) -> Result<Issuer, ApiError> {
    let authority = context.uri.authority().map(Authority::as_str);
    let hosts = context.headers.get_all(header::HOST).iter();
    let hosts = hosts.map(|host| host.to_str().unwrap_or_default());
    let served = context.state.app.network().serving_state();
    let mut named = authority.into_iter().chain(hosts);
    let issuer = named.next().and_then(|host| served.issuers.of_host(host));
    let is_one = named.all(|host| served.issuers.of_host(host) == issuer);
    let issuer = issuer.filter(|_issuer| is_one);
    issuer.cloned().ok_or_else(|| ApiError::new(Code::NotFound))
}

/// Whether a person looks at the response: a browser loads a page. Old browsers do not say so, but
/// accept HTML.
pub(crate) fn is_page_load(headers: &HeaderMap) -> bool {
    match headers.get(FETCH_MODE) {
        Some(mode) => mode == "navigate",
        None => accepts_html(headers),
    }
}

/// Whether a request comes from any kind of browser, which keeps cookies.
fn is_browser(headers: &HeaderMap) -> bool {
    headers.contains_key(FETCH_MODE) || accepts_html(headers)
}

/// Whether the client names HTML among what it accepts.
fn accepts_html(headers: &HeaderMap) -> bool {
    let mut accept = headers.get_all(header::ACCEPT).iter();
    let is_named = |value: &HeaderValue| {
        value
            .to_str()
            .is_ok_and(|text| text.to_ascii_lowercase().contains("text/html"))
    };
    accept.any(is_named) && content_negotiation::accepts(headers, "text/html")
}

/// Whom a request about the login request `id` comes from.
pub(super) fn presenter<'h>(headers: &'h HeaderMap, id: &str) -> Presenter<'h> {
    match find_cookie(headers, id) {
        Some(secret) => Presenter::Holder(secret),
        None if is_page_load(headers) => Presenter::Browser,
        None => Presenter::Program,
    }
}

fn find_cookie<'h>(headers: &'h HeaderMap, id: &str) -> Option<&'h str> {
    let lines = headers.get_all(header::COOKIE).iter();
    let cookies = lines.filter_map(|line| line.to_str().ok());
    cookies.flat_map(|line| line.split(';')).find_map(|cookie| {
        let (name, value) = cookie.trim().split_once('=')?;
        (name.strip_prefix(COOKIE)? == id).then_some(value)
    })
}

/// The cookie for the browser that began a login; `None` for programs.
pub(super) fn login_cookie(headers: &HeaderMap, login: &NewLogin) -> Option<HeaderValue> {
    if !is_browser(headers) {
        return None;
    }
    let (id, secret) = (login.id.as_str(), login.secret.expose());
    cookie(id, secret, LOGIN_LIFETIME.as_secs())
}

/// The cookie that takes back the one of a login that is over, if the browser has it.
pub(super) fn expired_cookie(headers: &HeaderMap, id: &str) -> Option<HeaderValue> {
    find_cookie(headers, id)?;
    cookie(id, "", 0)
}

fn cookie(id: &str, value: &str, seconds: i64) -> Option<HeaderValue> {
    let path = issuer::PATH;
    let attributes = format!("Path={path}; Max-Age={seconds}; HttpOnly; Secure; SameSite=Lax");
    let mut cookie = HeaderValue::try_from(format!("{COOKIE}{id}={value}; {attributes}")).ok()?;
    cookie.set_sensitive(true);
    Some(cookie)
}

/// Whether a request says to come from a page at the issuer's own address.
pub(super) fn is_own_page(headers: &HeaderMap, issuer: &Issuer) -> bool {
    let origin = headers.get(header::ORIGIN);
    origin.is_some_and(|origin| origin == issuer.origin())
}

/// Checks that credentials come from a page of the issuer or of `application`, the one that the
/// login is for.
///
/// A browser sends its client certificate with whatever any page makes it send, so for a login by
/// certificate there must be no `application`: on loopback that could be anybody's page.
pub(super) fn check_origin(
    headers: &HeaderMap,
    issuer: &Issuer,
    application: Option<&RedirectUri>,
) -> Result<(), ApiError> {
    let Some(origin) = headers.get(header::ORIGIN) else {
        return Ok(());
    };
    let is_allowed = origin.to_str().is_ok_and(|origin| {
        let of_application = application.and_then(RedirectUri::origin);
        issuer.origin() == origin || of_application.as_deref() == Some(origin)
    });
    if is_allowed {
        Ok(())
    } else {
        Err(ApiError::new(Code::Unauthorized).with_status(StatusCode::FORBIDDEN))
    }
}
