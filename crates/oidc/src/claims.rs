//! Claims of the controller's tokens.
//!
//! | Token | Type | `z_t` |
//! |---|---|---|
//! | access token | [`AccessClaims`] | `a` |
//! | refresh token | [`RefreshClaims`] | `r` |
//! | token of a service session | [`ServiceSessionClaims`] | `s` |
//! | token about a TOTP pass | [`TotpClaims`] | `t` |
//! | ID token | [`IdClaims`] | must not be there |
//!
//! All of them are signed by the same key, so what keeps one from passing for another is `z_t`. It is part of the
//! types: claims of another type do not deserialize. So `portcullis-pki` has two functions that meet these types:
//! `JwtSigner::sign` takes one of them, and `jwt::verify::<AccessClaims>` returns one, after it has checked the
//! signature. What is left then is `validate`, which judges issuer, audience and times. Whether the token was
//! revoked, and whether the records still support it, the caller finds out.

mod id;
mod kind;
mod services;
mod session;
mod terms;

pub use id::{IdClaims, IdTokenOrigin};
pub use kind::{AbsentKind, Kind};
pub use services::{ServiceSessionClaims, TotpClaims};
pub use session::{AccessClaims, HolderFacts, RefreshClaims, SessionClaims, SessionFacts};
pub use terms::{ClaimsError, TokenId, TokenTerms, Validation};

#[cfg(test)]
mod tests;
