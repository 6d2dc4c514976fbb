//! Under which terms somebody was let in.

use serde::{Deserialize, Serialize};

/// Which terms of an entity are in force: those by which it lets others in.
///
/// They count up whenever they change, and so are never the same again, even if what they say is.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Terms(u64);

impl Terms {
    /// Whether they are those that were there at the beginning.
    pub fn are_first(&self) -> bool {
        self.0 == 0
    }

    /// The terms after these, if what they say `has_changed`.
    #[must_use]
    pub fn followed(self, has_changed: bool) -> Self {
        Self(self.0.wrapping_add(u64::from(has_changed)))
    }
}
