//! Events of a device that may prompt for a TOTP code.

use portcullis_domain::posture_check::MfaCheck;

/// Events of a device that may prompt for a code.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct MfaPrompts {
    pub woken: bool,
    pub unlocked: bool,
}

impl MfaPrompts {
    /// Whether there was any event.
    pub fn any(self) -> bool {
        self.woken || self.unlocked
    }

    #[must_use]
    pub fn union(self, other: Self) -> Self {
        Self {
            woken: self.woken || other.woken,
            unlocked: self.unlocked || other.unlocked,
        }
    }

    /// Whether `check` requires a code after these events.
    pub(crate) fn are_required_by(self, check: MfaCheck) -> bool {
        (self.woken && check.prompt_on_wake) || (self.unlocked && check.prompt_on_unlock)
    }
}
