//! Evidence: classification of a submitted code, independent of earlier ones.

use crate::code::SubmittedCode;
use crate::recovery_codes::RecoveryCodes;
use crate::rules::Rules;
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

    /// Classifies `submitted` at `now`. Does not allocate.
    pub fn from_code(
        submitted: &SubmittedCode,
        secret: &Secret,
        codes: &RecoveryCodes,
        now: TimeStep,
        rules: Rules,
    ) -> Self {
        let found = match submitted {
            SubmittedCode::Totp(code) => secret.find(code, now, rules.window).map(CodeMatch::Step),
            SubmittedCode::Recovery(code) => codes.find(code).map(CodeMatch::Recovery),
        };
        Self(found.unwrap_or(CodeMatch::Nothing))
    }

    /// Whether the code is one of the recovery codes, spent or not.
    pub fn is_recovery_code(self) -> bool {
        matches!(self.0, CodeMatch::Recovery(_))
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
