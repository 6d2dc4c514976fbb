//! What the OpenID provider takes from strangers: queries, forms, and redirect URIs.

use crate::driver::{fuzz, place, text};
use http::HeaderValue;
use portcullis_domain::clock::Clock as _;
use portcullis_domain::peer::Peer;
use portcullis_oidc::authorization::{AuthorizationError, AuthorizationRequest};
use portcullis_oidc::login::{LoginRequests, Presenter};
use portcullis_oidc::parameters::Parameters;
use portcullis_oidc::redirect::{RedirectUris, RegisteredUri};
use portcullis_oidc::token_request::{Grant, TokenRequest};
use portcullis_system::{SystemClock, SystemEntropy};
use std::borrow::Cow;
use std::net::{IpAddr, Ipv4Addr};
use url::Url;

const APP: &str = "https://app.example.test/signed-in?tenant=1";

/// A request that is in order.
const AUTHORIZATION: &str = "client_id=native&response_type=code&scope=openid+offline_access&state=st\
     &nonce=no&code_challenge=E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM\
     &code_challenge_method=S256&method=cert&configTypes=all\
     &redirect_uri=http%3A%2F%2Flocalhost%3A8080%2Fauth%2Fcallback";

fn inputs<const N: usize>(texts: [&str; N]) -> Vec<Vec<u8>> {
    texts.map(|text| text.as_bytes().to_vec()).into()
}

/// Two parts of an input, which a line break divides.
fn halves(input: &[u8]) -> (String, String) {
    let text = text(input);
    let (first, second) = text.split_once('\n').unwrap_or((&text, ""));
    (first.to_owned(), second.to_owned())
}

fn registered() -> RedirectUris {
    RedirectUris::for_login([RegisteredUri::parse(APP).unwrap()])
}

/// Whether a URI leads where logins may lead, to the eyes of a browser.
fn is_expected(uri: &str) -> bool {
    let Ok(url) = Url::parse(uri) else {
        return false;
    };
    let host = url.host_str().unwrap_or_default();
    let is_bare = url.query().is_none() && url.fragment().is_none();
    let is_loopback = ["http", "https"].contains(&url.scheme())
        && ["127.0.0.1", "[::1]", "localhost"].contains(&host)
        && url.path() == "/auth/callback";
    let is_anonymous = url.username().is_empty() && url.password().is_none();
    uri == APP || uri == "openziti://auth/callback" || (is_loopback && is_bare && is_anonymous)
}

#[test]
fn fuzzed_parameters_are_single_or_refused() {
    let texts = inputs([
        AUTHORIZATION,
        "a=1&b=2\na=3&c=%C3%A9",
        "configTypes=x&configTypes=y",
    ]);
    fuzz("parameters", texts, |input| {
        let (query, form) = halves(input);
        let parameters = match Parameters::parse_both(&query, &form) {
            Ok(parameters) => parameters,
            Err(error) => return Ok(place(&error)),
        };
        let is_unique = parameters.check_unique().is_ok();
        for name in ["a", "state", "client_id", "redirect_uri"] {
            let values = parameters.get_all(name);
            match parameters.get(name) {
                Ok(Some(value)) if values != [value] => {
                    return Err(format!("{name} has another value"));
                },
                Err(_) if is_unique => return Err(format!("{name} is repeated unnoticed")),
                _ => {},
            }
        }
        let of = |part: &str| Parameters::parse(part).is_ok_and(|it| !it.get_all("a").is_empty());
        if of(&query) && of(&form) && parameters.get("a").is_ok() {
            return Err("a parameter counts that is in both places".to_owned());
        }
        Ok(format!(
            "{is_unique} {}",
            parameters.get_all("a").len().min(3)
        ))
    });
}

#[test]
fn fuzzed_authorization_requests_lead_nowhere_else() {
    let app = AUTHORIZATION.replace(
        "http%3A%2F%2Flocalhost%3A8080%2Fauth%2Fcallback",
        "https%3A%2F%2Fapp.example.test%2Fsigned-in%3Ftenant%3D1",
    );
    let registered = registered();
    fuzz(
        "authorization requests",
        inputs([AUTHORIZATION, &app]),
        |input| {
            let Ok(parameters) = Parameters::parse(&text(input)) else {
                return Ok("no parameters".to_owned());
            };
            let (redirect_uri, location, place) =
                match AuthorizationRequest::parse(&parameters, &registered) {
                    Ok(request) => {
                        let uri = request.redirect_uri;
                        let location = uri.with_parameters(&[("code", "c")]);
                        (uri.as_str().to_owned(), location, "read".to_owned())
                    },
                    Err(AuthorizationError::Redirect(error)) => {
                        let uri = parameters.get("redirect_uri").ok().flatten();
                        let uri = uri.unwrap_or_default().to_owned();
                        (uri, error.location(), place(&error.error()))
                    },
                    Err(AuthorizationError::Page(error)) => return Ok(place(&error)),
                };
            if !is_expected(&redirect_uri) {
                return Err(format!("it leads to {redirect_uri}"));
            }
            if !location.starts_with(&redirect_uri) || HeaderValue::try_from(&location).is_err() {
                return Err(format!("its answer leads to {location}"));
            }
            let is_same =
                |at: &Url| Url::parse(&redirect_uri).is_ok_and(|it| it.origin() == at.origin());
            let at = Url::parse(&location).map_err(|error| error.to_string())?;
            if redirect_uri.starts_with("http") && !is_same(&at) {
                return Err(format!("its answer leads to {location}"));
            }
            let answered = |(name, _): (Cow<'_, str>, _)| ["code", "error"].contains(&&*name);
            if at
                .query_pairs()
                .filter(|pair| answered(pair.clone()))
                .count()
                != 1
            {
                return Err(format!("its answer has no code and no error: {location}"));
            }
            Ok(place)
        },
    );
}

#[test]
fn fuzzed_redirect_uris_are_registered_or_refused() {
    let uris = [
        APP,
        "http://localhost/auth/callback",
        "http://127.0.0.1:8080/auth/callback",
        "https://[::1]:20314/auth/callback",
        "openziti://auth/callback",
        "com.example.app:/callback",
        "http://localhost:*/other",
    ];
    let registered = registered();
    fuzz("redirect URIs", inputs(uris), |input| {
        let uri = text(input);
        let found = registered.find(&uri).is_ok();
        if found && !is_expected(&uri) {
            return Err("it is found, and leads elsewhere".to_owned());
        }
        let place = match RegisteredUri::parse(&uri) {
            Ok(own) => {
                let own = RedirectUris::for_login([own]);
                if own.find(&uri).is_err() && !uri.contains('*') {
                    return Err("it is registered, and not found".to_owned());
                }
                "registered".to_owned()
            },
            Err(error) => place(&error).chars().take(12).collect(),
        };
        Ok(format!("{found} {place}"))
    });
}

#[test]
fn fuzzed_token_requests_are_read_or_refused_in_words() {
    const CODE: &str = "grant_type=authorization_code&code=c&client_id=openziti&state=s\
         &code_verifier=dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk\
         &redirect_uri=http%3A%2F%2Flocalhost%3A8080%2Fauth%2Fcallback";
    const REFRESH: &str = "grant_type=refresh_token&refresh_token=r&client_id=native&csr_pem=x";
    const EXCHANGE: &str = "grant_type=urn:ietf:params:oauth:grant-type:token-exchange\
         &subject_token=s&subject_token_type=urn:ietf:params:oauth:token-type:refresh_token\
         &requested_token_type=urn:ietf:params:oauth:token-type:id_token";
    let seeds = [
        format!("\n{CODE}"),
        format!("\n{REFRESH}"),
        format!("Basic bmF0aXZlOg==\n{EXCHANGE}"),
        format!("Basic bmF0aXZlOg==\n{CODE}"),
    ];
    let seeds = seeds.map(String::into_bytes).into();
    fuzz("token requests", seeds, |input| {
        let (header, form) = halves(input);
        let Ok(form) = Parameters::parse(&form) else {
            return Ok("no parameters".to_owned());
        };
        let header = (!header.is_empty()).then_some(header.as_str());
        let error = match TokenRequest::parse(header, &form) {
            Ok(request) => {
                let named = form.get("client_id").ok().flatten();
                if named.is_some_and(|id| id != request.client.id()) {
                    return Err("it counts for another client".to_owned());
                }
                return Ok(match request.grant {
                    Grant::AuthorizationCode(redemption) if redemption.client != request.client => {
                        return Err("its code counts for another client".to_owned());
                    },
                    Grant::AuthorizationCode(_) => "code".to_owned(),
                    Grant::Refresh(_) => "refresh".to_owned(),
                    Grant::Exchange(exchange) => place(&exchange.requested),
                });
            },
            Err(error) => error,
        };
        if !(400..=401).contains(&error.status()) {
            return Err(format!("it is answered with {}", error.status()));
        }
        // RFC 6749 section 5.2.
        let is_allowed = |it: char| matches!(it, ' '..='~') && !['"', '\\'].contains(&it);
        if !error.body().error_description.chars().all(is_allowed) {
            return Err(format!("the refusal cannot be written: {error}"));
        }
        Ok(place(&error))
    });
}

/// A login that a browser began goes on for nobody who shows another secret, or none.
#[test]
fn fuzzed_secrets_open_no_login_of_others() {
    let mut logins = LoginRequests::default();
    let parameters = Parameters::parse(AUTHORIZATION).unwrap();
    let request = AuthorizationRequest::parse(&parameters, &registered()).unwrap();
    let peer = Peer::from_address(IpAddr::V4(Ipv4Addr::LOCALHOST));
    let now = SystemClock.now();
    let login = logins.begin(request, peer, now, &SystemEntropy).unwrap();
    let (id, secret) = (login.id.as_str(), login.secret.expose());
    logins.get(id, Presenter::Holder(secret), now).unwrap();
    let logins = std::cell::RefCell::new(logins);
    fuzz("secrets of logins", inputs([secret, ""]), |input| {
        let shown = text(input);
        let mut logins = logins.borrow_mut();
        let mut admits = |presenter| logins.get(id, presenter, now).is_ok();
        if admits(Presenter::Program) || admits(Presenter::Browser) {
            return Err("whoever shows nothing goes on".to_owned());
        }
        let is_admitted = admits(Presenter::Holder(&shown));
        if is_admitted != (shown == secret) {
            return Err("another secret counts".to_owned());
        }
        Ok(is_admitted.to_string())
    });
}
