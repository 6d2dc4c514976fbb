//! What a submitted code is, before anything is asked about earlier ones.

use crate::code::Submitted;
use crate::recovery_codes::RecoveryCodes;
use crate::rules::Rules;
use crate::secret::Secret;
use portcullis_domain::mfa::Step;

/// What a submitted code was found to be.
///
/// All the cryptography is in the finding, so that it can be done ahead of the transaction in which
/// the evidence is judged ([`Enrolled`](crate::Enrolled)). Evidence holds no secret; it speaks of
/// the secret and the codes that it was found with, and of no others.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Evidence(pub(crate) Found);

/// What was found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Found {
    /// The code of a step of the window.
    Step(Step),
    /// The recovery code at a place.
    Recovery(u8),
    /// Nothing that it could be.
    Nothing,
}

impl Evidence {
    /// Evidence of nothing: for a code that was compared with records which are gone meanwhile.
    pub const NONE: Self = Self(Found::Nothing);

    /// Finds out what `submitted` is at `now`. Nothing is put on the heap.
    pub fn of(
        submitted: &Submitted,
        secret: &Secret,
        codes: &RecoveryCodes,
        now: Step,
        rules: Rules,
    ) -> Self {
        let found = match submitted {
            Submitted::Totp(code) => secret.find(code, now, rules.window).map(Found::Step),
            Submitted::Recovery(code) => codes.find(code).map(Found::Recovery),
        };
        Self(found.unwrap_or(Found::Nothing))
    }

    /// Whether the code is one of the recovery codes, spent or not.
    pub fn is_recovery_code(self) -> bool {
        matches!(self.0, Found::Recovery(_))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn recovery_codes_are_told_from_all_else() {
        assert!(Evidence(Found::Recovery(0)).is_recovery_code());
        for other in [Evidence(Found::Step(Step(8))), Evidence::NONE] {
            assert!(!other.is_recovery_code());
        }
    }
}
