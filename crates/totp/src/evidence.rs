//! Evidence: classification of a submitted code, independent of earlier ones.

use crate::code::SubmittedCode;
use crate::recovery_codes::RecoveryCodes;
use crate::rules::{Rules, Window};
use crate::secret::Secret;
use portcullis_domain::mfa::TimeStep;

/// What a submitted code was found to be.
///
/// All cryptography happens here, ahead of the transaction in which the state machine
/// ([`Enrolled`](crate::Enrolled)) decides on the evidence. Evidence holds no secret; it is valid
/// only for the secret and the codes that it was found with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Evidence(pub(crate) CodeMatch);

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum CodeMatch {
    /// The code of a step within the window.
    Step(TimeStep),
    /// The recovery code at this index.
    Recovery(u8),
    Nothing,
}

impl Evidence {
    /// No evidence: for a code that was compared with records that have changed since.
    pub const NONE: Self = Self(CodeMatch::Nothing);

    /// Whether the code is one of the recovery codes, spent or not.
    pub fn is_recovery_code(self) -> bool {
        matches!(self.0, CodeMatch::Recovery(_))
    }
}

/// What submitted codes are held against: the secret and the recovery codes of an enrollment.
#[derive(Debug, Clone, Copy)]
pub struct Examiner<'e> {
    secret: &'e Secret,
    recovery_codes: &'e RecoveryCodes,
    window: Window,
}

impl<'e> Examiner<'e> {
    /// Examines codes in the window of [`Rules::STRICT`].
    pub const fn new(secret: &'e Secret, recovery_codes: &'e RecoveryCodes) -> Self {
        Self {
            secret,
            recovery_codes,
            window: Rules::STRICT.window,
        }
    }

    /// Examines codes in the window of other rules.
    #[must_use]
    pub const fn rules(self, rules: Rules) -> Self {
        Self {
            window: rules.window,
            ..self
        }
    }

    /// Finds out what a code is at `now`. Does not allocate.
    pub fn examine(&self, submitted: &SubmittedCode, now: TimeStep) -> Evidence {
        let found = match submitted {
            SubmittedCode::Totp(code) => self
                .secret
                .find(code, now, self.window)
                .map(CodeMatch::Step),
            SubmittedCode::Recovery(code) => {
                self.recovery_codes.find(code).map(CodeMatch::Recovery)
            },
        };
        Evidence(found.unwrap_or(CodeMatch::Nothing))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn recovery_codes_are_told_from_all_else() {
        assert!(Evidence(CodeMatch::Recovery(0)).is_recovery_code());
        for other in [Evidence(CodeMatch::Step(TimeStep(8))), Evidence::NONE] {
            assert!(!other.is_recovery_code());
        }
    }
}
