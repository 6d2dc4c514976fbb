//! JWTs of external signers.

use portcullis_client::SecretString;
use std::pin::Pin;

/// Where JWTs of an external signer come from. They expire, so that each login asks for one.
pub trait ExternalTokens: Send + Sync + 'static {
    /// A JWT that has not expired; `None` if there is none, which ends the login.
    fn token(&self) -> ExternalTokenFuture<'_>;
}

/// A JWT that is being looked for.
pub type ExternalTokenFuture<'a> = Pin<Box<dyn Future<Output = Option<SecretString>> + Send + 'a>>;

/// One JWT, as long as it lasts.
impl ExternalTokens for SecretString {
    fn token(&self) -> ExternalTokenFuture<'_> {
        Box::pin(async { Some(self.clone()) })
    }
}
