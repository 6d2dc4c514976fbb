//! What gives power over the network asks for a fresh factor: a login, or a TOTP code, not older than the
//! configuration says. A token that was stolen some time ago does not do then.

use crate::app::App;
use crate::error::AppError;
use portcullis_domain::access::Caller;
use portcullis_domain::clock::{SignedDuration, Timestamp};

/// How far in the future a factor may lie: the clock may have been set back since, by little.
const MOST_AHEAD: SignedDuration = SignedDuration::from_mins(1);

/// How old a factor may be at a moment.
#[derive(Debug, Clone, Copy)]
pub(crate) struct FreshFactor {
    oldest: Option<SignedDuration>,
    now: Timestamp,
}

impl FreshFactor {
    /// As the configuration says.
    pub(crate) fn of(app: &App) -> Self {
        Self {
            oldest: app.settings().fresh_factor,
            now: app.env().now(),
        }
    }

    /// Checks that the caller's last factor is fresh.
    pub(crate) fn check(self, caller: &Caller) -> Result<(), AppError> {
        let age = self.now.duration_since(caller.last_factor_at);
        if self
            .oldest
            .is_some_and(|oldest| age > oldest || -age > MOST_AHEAD)
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
