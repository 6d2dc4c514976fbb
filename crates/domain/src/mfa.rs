//! TOTP enrollments: what is remembered of them.
//!
//! Here are values alone. By which rules one becomes the next is said in `portcullis-totp`; what is
//! secret about an enrollment is not part of it.

use crate::clock::Timestamp;
use crate::identity::TotpState;
use crate::ids::{ApiSessionId, MfaId};
use serde::{Deserialize, Serialize};

/// The TOTP enrollment of an identity (RFC 6238), begun or verified.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Mfa {
    /// Its id.
    pub id: MfaId,
    /// When it was begun.
    #[serde(with = "jiff::fmt::serde::timestamp::millisecond::required")]
    pub created_at: Timestamp,
    /// When it was begun, verified or given new recovery codes.
    #[serde(with = "jiff::fmt::serde::timestamp::millisecond::required")]
    pub updated_at: Timestamp,
    /// How far it has come.
    pub progress: Progress,
}

/// How far a TOTP enrollment has come.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Progress {
    /// Begun; no code has been accepted.
    Started,
    /// A code was accepted.
    Verified(Ledger),
}

impl Mfa {
    /// What the record of its identity says of it.
    pub fn state(&self) -> TotpState {
        match self.progress {
            Progress::Started => TotpState::Started,
            Progress::Verified(_) => TotpState::Verified,
        }
    }
}

/// What was accepted under a verified enrollment, as far as later codes are judged by it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Ledger {
    /// The newest step of which a code was accepted.
    pub last_step: Step,
    /// The recovery codes that were accepted.
    #[serde(default, skip_serializing_if = "SpentCodes::is_empty")]
    pub spent: SpentCodes,
    /// The code that may be shown once more.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reprise: Option<Reprise>,
}

/// A code that was accepted for new recovery codes, and that the same session may show once more to
/// read them.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Reprise {
    /// The step of the code.
    pub step: Step,
    /// The session.
    pub session: ApiSessionId,
}

/// A time step: the number of whole intervals of 30 seconds since the Unix epoch (RFC 6238
/// section 4.2, where it is T).
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize,
)]
#[serde(transparent)]
pub struct Step(pub u64);

impl Step {
    /// How long a step lasts, seconds.
    pub const SECONDS: u64 = 30;

    /// The step in which `instant` lies; the first one for what lies before the Unix epoch.
    pub fn at(instant: Timestamp) -> Self {
        Self(u64::try_from(instant.as_second()).unwrap_or(0) / Self::SECONDS)
    }
}

/// Which recovery codes of a set were spent, by their place in it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(transparent)]
pub struct SpentCodes(u32);

impl SpentCodes {
    /// Most codes of a set that this can tell apart.
    pub const CAPACITY: u8 = 32;

    /// Whether none was spent.
    pub fn is_empty(&self) -> bool {
        self.0 == 0
    }

    /// Whether the code at `place` was spent. Those beyond the capacity are never there to spend.
    pub fn contains(self, place: u8) -> bool {
        Self::bit(place).is_none_or(|bit| self.0 & bit != 0)
    }

    /// The same, with the code at `place` spent.
    #[must_use]
    pub fn and(self, place: u8) -> Self {
        Self(self.0 | Self::bit(place).unwrap_or(0))
    }

    fn bit(place: u8) -> Option<u32> {
        1_u32.checked_shl(place.into())
    }
}

/// Codes that were refused in a row, over all sessions and enrollments of an identity.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct WrongCodes {
    /// How many.
    pub in_a_row: u32,
    /// When the newest one was.
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
            assert_eq!(Step::at(instant(text)), Step(step), "{text}");
        }
    }

    #[test]
    fn spent_codes_are_told_apart() {
        let spent = SpentCodes::default().and(0).and(31).and(200);
        for (place, is_spent) in [(0, true), (1, false), (30, false), (31, true)] {
            assert_eq!(spent.contains(place), is_spent, "{place}");
        }
        assert!(spent.contains(32), "what cannot be noted cannot be spent");
        assert_eq!(spent.and(31), spent, "it stays spent");
        assert!(SpentCodes::default().is_empty() && !spent.is_empty());
    }

    #[test]
    fn record_is_small() {
        let mfa = Mfa {
            id: MfaId::from_wire("a1b2c3d4e5f"),
            created_at: Timestamp::UNIX_EPOCH,
            updated_at: Timestamp::UNIX_EPOCH,
            progress: Progress::Verified(Ledger {
                last_step: Step(59_000_000),
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
