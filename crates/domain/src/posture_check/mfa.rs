//! Checks of TOTP codes.

use crate::FieldError;
use crate::patch::assign;
use serde::{Deserialize, Serialize};
use std::num::NonZeroU32;

/// Asks whether the user showed a TOTP code in this session, and how long ago.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct MfaCheck {
    /// Seconds for which a code will do; `None` for as long as the session lasts.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub timeout_seconds: Option<NonZeroU32>,
    /// Whether another is asked for when the machine woke up.
    #[serde(default)]
    pub prompt_on_wake: bool,
    /// Whether another is asked for when the machine was unlocked.
    #[serde(default)]
    pub prompt_on_unlock: bool,
    /// Whether clients that know nothing of timeouts are told of none.
    #[serde(default)]
    pub ignore_legacy_endpoints: bool,
}

/// The members of a check of TOTP codes to change; what is `None` stays.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct MfaPatch {
    /// Seconds for which a code will do; `Some(None)` for as long as the session lasts.
    pub timeout_seconds: Option<Option<NonZeroU32>>,
    /// Whether another is asked for when the machine woke up.
    pub prompt_on_wake: Option<bool>,
    /// Whether another is asked for when the machine was unlocked.
    pub prompt_on_unlock: Option<bool>,
    /// Whether clients that know nothing of timeouts are told of none.
    pub ignore_legacy_endpoints: Option<bool>,
}

impl MfaCheck {
    /// Reads the member `timeoutSeconds`, of which 0 and less mean that there is none.
    ///
    /// # Errors
    ///
    /// [`FieldError`] on `timeoutSeconds` when it is more than 32 bits hold, 136 years.
    pub fn timeout(seconds: i64) -> Result<Option<NonZeroU32>, FieldError> {
        let refused = |_| {
            let reason = format!("must be at most {}", u32::MAX);
            FieldError::new("timeoutSeconds", reason, seconds.to_string())
        };
        u32::try_from(seconds.max(0))
            .map(NonZeroU32::new)
            .map_err(refused)
    }
}

impl MfaPatch {
    pub(super) fn apply(self, check: &mut MfaCheck) {
        assign(&mut check.timeout_seconds, self.timeout_seconds);
        assign(&mut check.prompt_on_wake, self.prompt_on_wake);
        assign(&mut check.prompt_on_unlock, self.prompt_on_unlock);
        assign(
            &mut check.ignore_legacy_endpoints,
            self.ignore_legacy_endpoints,
        );
    }
}
