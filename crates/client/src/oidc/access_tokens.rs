//! Access tokens, which expire and are renewed while a client is at work.

use crate::error::RenewalError;
use secrecy::{ExposeSecret as _, SecretString};
use std::pin::Pin;

/// Where a client takes the access token of its session from.
pub trait AccessTokens: Send + Sync {
    /// The token to send. `refused` is one that the controller has just called expired: then it has to be
    /// another one.
    ///
    /// # Errors
    ///
    /// [`RenewalError`] when there is none.
    fn token<'a>(&'a self, refused: Option<&'a SecretString>) -> TokenFuture<'a>;
}

/// An access token that is being looked for.
pub type TokenFuture<'a> =
    Pin<Box<dyn Future<Output = Result<SecretString, RenewalError>> + Send + 'a>>;

/// A token that is not renewed.
impl AccessTokens for SecretString {
    fn token<'a>(&'a self, refused: Option<&'a SecretString>) -> TokenFuture<'a> {
        let is_refused = refused.is_some_and(|it| it.expose_secret() == self.expose_secret());
        let token = if is_refused {
            Err(RenewalError("the access token has expired".into()))
        } else {
            Ok(self.clone())
        };
        Box::pin(async move { token })
    }
}
