//! State of TOTP enrollments.
//!
//! Values only: the state transitions are in `portcullis-totp`, and secrets are stored separately.

use crate::clock::Timestamp;
use crate::ids::{ApiSessionId, MfaId};
use serde::{Deserialize, Serialize};

/// State of the TOTP enrollment of an identity.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum TotpState {
    /// Not begun.
    #[default]
    None,
    /// Enrolled, not verified.
    Started,
    /// Verified: every login requires a code.
    Verified,
}

/// The TOTP enrollment of an identity (RFC 6238), started or verified.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Mfa {
    pub id: MfaId,
    #[serde(with = "jiff::fmt::serde::timestamp::millisecond::required")]
    pub created_at: Timestamp,
    /// Last start, verification or renewal of recovery codes.
    #[serde(with = "jiff::fmt::serde::timestamp::millisecond::required")]
    pub updated_at: Timestamp,
    pub progress: MfaProgress,
}

/// Progress of a TOTP enrollment.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum MfaProgress {
    /// No code has been accepted yet.
    Started,
    Verified(CodeUsage),
}

impl Mfa {
    /// The state to record on the identity.
    pub fn state(&self) -> TotpState {
        match self.progress {
            MfaProgress::Started => TotpState::Started,
            MfaProgress::Verified(_) => TotpState::Verified,
        }
    }
}

/// Codes accepted so far, as needed to prevent reuse.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CodeUsage {
    /// The latest time step with an accepted code.
    pub last_step: TimeStep,
    /// Used recovery codes.
    #[serde(default, skip_serializing_if = "SpentCodes::is_empty")]
    pub spent: SpentCodes,
    /// The code that may be reused once.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reprise: Option<ReuseGrant>,
}

/// A code that was accepted to renew recovery codes and may be reused once by the same session to
/// read them.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ReuseGrant {
    pub step: TimeStep,
    pub session: ApiSessionId,
}

/// A time step: the number of whole intervals of 30 seconds since the Unix epoch (RFC 6238
/// section 4.2, where it is T).
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize,
)]
#[serde(transparent)]
pub struct TimeStep(pub u64);

impl TimeStep {
    /// Length of a step in seconds.
    pub const SECONDS: u64 = 30;

    /// The step that contains `instant`; 0 before the Unix epoch.
    pub fn at(instant: Timestamp) -> Self {
        Self(u64::try_from(instant.as_second()).unwrap_or(0) / Self::SECONDS)
    }
}

/// Bit set of used recovery codes, by index.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(transparent)]
pub struct SpentCodes(u32);

impl SpentCodes {
    /// Maximum number of codes.
    pub const CAPACITY: u8 = 32;

    pub fn is_empty(&self) -> bool {
        self.0 == 0
    }

    /// Whether the code at `index` was used; `true` beyond the capacity.
    pub fn contains(self, index: u8) -> bool {
        Self::bit(index).is_none_or(|bit| self.0 & bit != 0)
    }

    /// Marks the code at `index` as used.
    #[must_use]
    pub fn with_spent(self, index: u8) -> Self {
        Self(self.0 | Self::bit(index).unwrap_or(0))
    }

    fn bit(index: u8) -> Option<u32> {
        1_u32.checked_shl(index.into())
    }
}

/// Consecutive rejected codes of an identity, across sessions and enrollments.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct WrongCodes {
    pub in_a_row: u32,
    #[serde(with = "jiff::fmt::serde::timestamp::millisecond::required")]
    pub last_at: Timestamp,
}

#[cfg(test)]
mod tests {
    use super::*;

    fn instant(text: &str) -> Timestamp {
        text.parse().unwrap()
    }

    #[test]
    fn steps_begin_at_whole_half_minutes() {
        for (text, step) in [
            ("1969-12-31T23:59:59Z", 0),
            ("1970-01-01T00:00:29.999Z", 0),
            ("1970-01-01T00:00:30Z", 1),
            ("2005-03-18T01:58:29Z", 37_037_036),
            ("2005-03-18T01:58:31Z", 37_037_037),
        ] {
            assert_eq!(TimeStep::at(instant(text)), TimeStep(step), "{text}");
        }
    }

    #[test]
    fn spent_codes_are_told_apart() {
        let spent = SpentCodes::default()
            .with_spent(0)
            .with_spent(31)
            .with_spent(200);
        for (place, is_spent) in [(0, true), (1, false), (30, false), (31, true)] {
            assert_eq!(spent.contains(place), is_spent, "{place}");
        }
        assert!(spent.contains(32), "what cannot be noted cannot be spent");
        assert_eq!(spent.with_spent(31), spent, "it stays spent");
        assert!(SpentCodes::default().is_empty() && !spent.is_empty());
    }

    #[test]
    fn record_is_small() {
        let mfa = Mfa {
            id: MfaId::from_wire("a1b2c3d4e5f"),
            created_at: Timestamp::UNIX_EPOCH,
            updated_at: Timestamp::UNIX_EPOCH,
            progress: MfaProgress::Verified(CodeUsage {
                last_step: TimeStep(59_000_000),
                spent: SpentCodes::default(),
                reprise: None,
            }),
        };
        assert_eq!(mfa.state(), TotpState::Verified);
        let text = serde_json::to_string(&mfa).unwrap();
        assert!(text.len() < 120, "{text}");
        assert_eq!(serde_json::from_str::<Mfa>(&text).unwrap(), mfa);
    }
}
