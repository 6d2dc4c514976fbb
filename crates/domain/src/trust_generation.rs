//! Trust generations.

use serde::{Deserialize, Serialize};

/// Generation of the rules by which a signer or an authority identifies others.
///
/// Incremented with every change, so a generation never recurs, even if the rules do. A session
/// opened under an older generation is over.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct TrustGeneration(u64);

impl TrustGeneration {
    /// Whether the rules have never changed.
    pub fn is_first(&self) -> bool {
        self.0 == 0
    }

    /// The next generation if the rules changed, else the same.
    #[must_use]
    pub fn next_if(self, has_changed: bool) -> Self {
        Self(self.0.wrapping_add(u64::from(has_changed)))
    }
}
