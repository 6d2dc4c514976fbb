//! Logins by OpenID Connect, as a client of the controller's provider.
//!
//! What is protocol stands here, without I/O: the authorization request with its proof key, the
//! answer that comes back to the redirect URI, and what an ID token has to say. [`Client`] has the
//! requests: [`Client::oidc_provider`] for the discovery document, [`Client::begin_oidc_login`] for a
//! login without a browser, [`Client::redeem_code`] for the code of one with a browser, and
//! [`Client::refresh_tokens`] and [`Client::revoke_token`] for what comes after.
//!
//! The session is then used by [`Client::with_access_tokens`], with an [`AccessTokens`] that knows how to
//! renew the token, or a [`SecretString`] while it lasts.
//!
//! [`Client`]: crate::Client
//! [`Client::oidc_provider`]: crate::Client::oidc_provider
//! [`Client::begin_oidc_login`]: crate::Client::begin_oidc_login
//! [`Client::redeem_code`]: crate::Client::redeem_code
//! [`Client::refresh_tokens`]: crate::Client::refresh_tokens
//! [`Client::revoke_token`]: crate::Client::revoke_token
//! [`Client::with_access_tokens`]: crate::Client::with_access_tokens
//! [`SecretString`]: crate::SecretString

mod access_tokens;
mod authorization;
mod id_token;
mod provider;
mod tokens;

pub use access_tokens::{AccessTokens, TokenFuture};
pub use authorization::{AuthorizationRequest, CallbackError};
pub use id_token::IdTokenError;
pub use provider::{Provider, ProviderError};
pub use tokens::Tokens;

pub(crate) use tokens::TokenResponse;

/// The client that programs without a secret of their own are to the provider.
pub const CLIENT_ID: &str = "native";

/// Of the session, a name for its holder, and refresh tokens.
pub(crate) const SCOPE: &str = "openid offline_access";
