//! The OpenID provider of the Portcullis controller, as protocol logic.
//!
//! What clients and browsers send is parsed, judged and answered here, as values and functions: no I/O, no storage,
//! no signatures, no clock. Time and randomness come in as arguments, so every order of events can be tried.
//!
//! ```text
//! GET  /authorize          Parameters -> AuthorizationRequest -> LoginRequests::begin
//! POST /login/...          PrimaryFactor, SecondaryFactor -> LoginRequests::advance
//! GET  /authorize/callback LoginRequests::issue_code -> Location
//! POST /oauth/token        Parameters -> TokenRequest
//!        a code            LoginRequests::redeem -> SessionFacts -> claims, OidcSession::issued
//!        a refresh token   RefreshClaims::validate, OidcSession::present -> claims
//! Bearer                   AccessClaims::validate
//! ```
//!
//! # What the caller does
//!
//! - **Credentials.** It verifies passwords, certificates, tokens and codes, with the same rules as for other
//!   logins, and tells [`Login`](login::Login) who proved what, and which secondary factors are needed by the
//!   records as they are at that step. Before it redeems a code it judges the records once more.
//! - **Signatures.** `portcullis-pki` signs [`claims`] and verifies them; the crates meet in serde alone.
//! - **Records.** The primary factor opens a session record, on which the others are proved. Its
//!   [`OidcSession`](portcullis_domain::oidc_session::OidcSession) decides about refresh tokens, within a
//!   transaction. If that ends it, or [`RedeemError::Replayed`](login::RedeemError::Replayed) says so, the session is revoked.
//! - **Browsers.** It keeps the [`BindingSecret`](login::BindingSecret) in a cookie that is `HttpOnly`, `Secure`,
//!   `SameSite=Lax`, scoped to `/oidc`, and whose name holds the id of the login request, so that two logins in
//!   one browser do not disturb each other; it tells a [`Presenter`](login::Presenter) by the headers of the
//!   request; and it refuses credentials from origins that are neither its own nor those of registered redirect
//!   URIs. A browser sends its client certificate along with requests that any page makes it send.
//!
//! # Deviations to record when wired
//!
//! Where OpenZiti's provider is laxer than the standards:
//!
//! - Redirect URIs: no other path, host spelling, user information or fragment on loopback (RFC 8252 section 7.3,
//!   RFC 9700 section 2.1). Operators cannot register `http` beyond loopback, wildcards, or private-use schemes
//!   without a dot (RFC 9700 section 2.6, RFC 8252 section 8.4).
//! - A missing or `plain` PKCE method is `invalid_request` (RFC 9700 section 2.1.1); request objects are
//!   refused; repeated parameters are (RFC 6749 section 3.1).
//! - A login belongs to the browser that began it.
//! - A code counts for its client alone, for a minute; a second use of it ends its session (RFC 6749 sections
//!   4.1.2 and 4.1.3). A try without the right verifier does neither.
//! - Unknown scopes are not granted, so `scope` of the answer may be shorter than what was asked for (RFC 6749
//!   section 3.3). Of `email`, `phone` and `address` nothing is known.
//! - Refresh tokens are single use; a spent one ends its family, but for one ID token within a minute (RFC 9700
//!   section 4.14.2). They count for their client alone.
//! - An access token cannot be exchanged for a refresh token; exchanged tokens keep `amr` and `sub`, which
//!   OpenZiti's lose.
//! - Issuer, audience and type of every token are checked (RFC 9700 section 2.3, RFC 8725 section 3).
//! - An unknown client that uses HTTP Basic gets 401 (RFC 6749 section 5.2).
//! - Discovery names what works; user information has `sub` (OpenID Connect Core section 5.3.2); ID tokens
//!   have `z_asid`.
//!
//! # Examples
//!
//! A login with a password, from the authorization request to the claims of the tokens:
//!
//! ```
//! use portcullis_domain::api_session::OpenedBy;
//! use portcullis_domain::clock::{Clock as _, SignedDuration};
//! use portcullis_domain::ids::{ApiSessionId, AuthenticatorId, IdentityId};
//! use portcullis_domain::peer::Peer;
//! use portcullis_oidc::authorization::AuthorizationRequest;
//! use portcullis_oidc::claims::{AccessClaims, HolderFacts, SessionFacts, TokenId, TokenTerms};
//! use portcullis_oidc::issuer::Issuers;
//! use portcullis_oidc::login::{
//!     ClientDetails, LoginError, LoginRequestError, LoginRequests, Presenter, PrimaryFactor,
//! };
//! use portcullis_oidc::method::LoginMethod;
//! use portcullis_oidc::parameters::Parameters;
//! use portcullis_oidc::redirect::RedirectUris;
//! use portcullis_oidc::token_request::{Grant, TokenRequest};
//! use portcullis_system::{SystemClock, SystemEntropy};
//!
//! #[derive(Debug, thiserror::Error)]
//! enum StepError {
//!     #[error(transparent)]
//!     Request(#[from] LoginRequestError),
//!     #[error(transparent)]
//!     Login(#[from] LoginError),
//! }
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let now = SystemClock.now();
//! let address = "192.0.2.7:50000".parse::<std::net::SocketAddr>()?;
//! let mut logins = LoginRequests::default();
//!
//! // GET /oidc/authorize
//! let query = Parameters::parse(
//!     "client_id=native&response_type=code&scope=openid&state=s\
//!      &code_challenge=E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM&code_challenge_method=S256\
//!      &redirect_uri=http%3A%2F%2Flocalhost%3A8080%2Fauth%2Fcallback",
//! )?;
//! let request = AuthorizationRequest::parse(&query, &RedirectUris::for_login([]))?;
//! let peer = Peer::from_address(address.ip());
//! let new = logins.begin(request, peer, now, &SystemEntropy)?;
//!
//! // POST /oidc/login/password, whose password was found to be right
//! let id = new.id.as_str();
//! let browser = Presenter::Holder(new.secret.expose());
//! logins.advance(id, browser, now, |login| {
//!     let proof = PrimaryFactor {
//!         identity: IdentityId::from_wire("alice"),
//!         session: ApiSessionId::from_wire("f3b0c8de-9d7a-4d67-8d0c-6f2f4f7f4b52"),
//!         method: LoginMethod::Password,
//!         opened_by: OpenedBy::Authenticator(AuthenticatorId::from_wire("updb-1")),
//!         authenticated_at: now,
//!         certificate: None,
//!     };
//!     let client = ClientDetails {
//!         remote_address: address,
//!         config_types: Vec::new(),
//!         env_info: Default::default(),
//!         sdk_info: Default::default(),
//!         csr: None,
//!     };
//!     Ok::<_, StepError>(login.authenticate(proof, client, [], [])?)
//! })?;
//!
//! // GET /oidc/authorize/callback
//! let location = logins.issue_code(id, browser, now, &SystemEntropy)?;
//! let code = location.split(['=', '&']).nth(1).ok_or("no code")?;
//!
//! // POST /oidc/oauth/token
//! let form = format!(
//!     "grant_type=authorization_code&client_id=native&code={code}\
//!      &code_verifier=dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk\
//!      &redirect_uri=http%3A%2F%2Flocalhost%3A8080%2Fauth%2Fcallback",
//! );
//! let Grant::AuthorizationCode(redemption) =
//!     TokenRequest::parse(None, &Parameters::parse(&form)?)?.grant
//! else {
//!     return Err("another grant".into());
//! };
//! let login = logins.redeem(&redemption, now)?;
//! let session = SessionFacts::new(&login, HolderFacts::default(), None);
//! let issuers = Issuers::new(["ctrl.example.test"], &[1280]);
//! let terms = TokenTerms {
//!     issuer: issuers.of_host("ctrl.example.test:1280").ok_or("no issuer")?,
//!     id: TokenId::generate(&SystemEntropy)?,
//!     issued_at: now,
//!     lifetime: SignedDuration::from_mins(30),
//! };
//! let claims = AccessClaims::issue(session, &terms);
//! assert_eq!(claims.session.sub.as_str(), "alice");
//!
//! // The code works once.
//! assert!(logins.redeem(&redemption, now).is_err());
//! # Ok(())
//! # }
//! ```

pub mod algorithm;
pub mod amr;
pub mod authorization;
pub mod claims;
pub mod client;
pub mod discovery;
pub mod introspection;
pub mod issuer;
pub mod jwks;
pub mod login;
pub mod method;
pub mod pages;
pub mod parameters;
pub mod pkce;
pub mod redirect;
pub mod scope;
mod secret;
#[cfg(test)]
mod testing;
pub mod token_request;
pub mod token_response;
