//! Refusals of what comes too often, or while too much is being done.

use portcullis_domain::password_throttle::ThrottledError;

/// A request is refused for now; retrying later may succeed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum TooManyRequestsError {
    #[error("the controller is overloaded")]
    Store,
    #[error("too many passwords are being checked")]
    Passwords,
    /// Too many wrong passwords came from this source; correct ones are refused too until the wait
    /// is over.
    #[error(transparent)]
    WrongPasswords(#[from] ThrottledError),
    #[error("{rule}")]
    RateLimit {
        /// The limit, as users read it.
        rule: &'static str,
        /// Seconds until the next attempt can succeed.
        seconds: u32,
    },
}
