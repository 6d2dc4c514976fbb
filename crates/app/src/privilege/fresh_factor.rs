//! Fresh factors for privileged operations: a login or TOTP code no older than configured, so that
//! a token stolen earlier does not suffice.

use crate::app::App;
use crate::error::AppError;
use portcullis_domain::access::Caller;
use portcullis_domain::clock::{SignedDuration, Timestamp};

/// Tolerance for factors in the future, after the clock was set back a little.
const MAX_CLOCK_SKEW: SignedDuration = SignedDuration::from_mins(1);

/// The maximum age of a factor, relative to a moment.
#[derive(Debug, Clone, Copy)]
pub(crate) struct FreshFactor {
    max_age: Option<SignedDuration>,
    now: Timestamp,
}

impl FreshFactor {
    /// Reads the configured age and the present time.
    pub(crate) fn new(app: &App) -> Self {
        Self {
            max_age: app.settings().fresh_factor,
            now: app.env().now(),
        }
    }

    pub(crate) fn check(self, caller: &Caller) -> Result<(), AppError> {
        let age = self.now.duration_since(caller.last_factor_at);
        if self
            .max_age
            .is_some_and(|oldest| age > oldest || -age > MAX_CLOCK_SKEW)
        {
            return Err(AppError::Denied {
                rule: Some(
                    "the last login or TOTP code of this session is too old for this; log in again, \
                     or submit a TOTP code with POST authenticate/mfa, then repeat the request",
                ),
            });
        }
        Ok(())
    }
}
