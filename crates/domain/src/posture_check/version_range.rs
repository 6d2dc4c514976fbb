//! Version ranges.

mod parse;
#[cfg(test)]
mod tests;

use super::Version;
use serde::{Deserialize, Serialize};
use std::cmp::Ordering;

/// A set of versions: alternatives joined by `||`, each a conjunction of bounds.
///
/// | Written | Holds for |
/// |---|---|
/// | `1.2.3`, `=1.2.3`, `==1.2.3` | this version |
/// | `!1.2.3`, `!=1.2.3` | every other |
/// | `<1.2.3`, `<=1.2.3`, `>1.2.3`, `>=1.2.3` | those before or after it |
/// | `1.2.x`, `1.x` | those that begin so; after comparators but `!` and `!=` too |
/// | `>=1.0.0 <2.0.0 \|\| 3.x` | both of the first two, or the third |
///
/// Edge routers parse the same text with the Go library `blang/semver`. Whatever that library
/// rejects, or interprets in a surprising way (`! 1.2.3`, `!=1.2.x`, `1.x.x`), is rejected here,
/// and accepted ranges mean the same in both.
///
/// The text is stored as written; ranges are equal when their texts are equal.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct VersionRange {
    text: String,
    alternatives: Vec<Vec<Bound>>,
}

/// The text is not a valid version range.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum VersionRangeError {
    #[error("must be at most {} bytes long", VersionRange::MAX_LENGTH)]
    TooLong,
    /// An alternative without bounds.
    #[error("must have a version on both sides of every ||")]
    EmptyAlternative,
    /// A bound with an invalid version.
    #[error("{0:?} is not a version range; write one such as >=1.2.0 <2.0.0, or 1.2.x")]
    InvalidVersion(String),
    /// A bound with an invalid comparator.
    #[error("{0:?} is not an operator; use one of = == ! != < <= > >=")]
    InvalidComparator(String),
    /// A wildcard after `!`.
    #[error("{0:?} excludes a wildcard; write it as two alternatives, such as <1.2.0 || >=1.3.0")]
    NegatedWildcard(String),
}

/// Comparison of a version with a bound.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Comparator {
    Less,
    LessOrEqual,
    Equal,
    NotEqual,
    GreaterOrEqual,
    Greater,
}

#[derive(Debug, Clone)]
struct Bound {
    comparator: Comparator,
    version: Version,
}

impl VersionRange {
    /// In bytes.
    pub const MAX_LENGTH: usize = 256;

    /// Parses a range.
    ///
    /// # Errors
    ///
    /// [`VersionRangeError`] for invalid text.
    ///
    /// # Examples
    ///
    /// ```
    /// use portcullis_domain::posture_check::{Version, VersionRange};
    ///
    /// let range = VersionRange::parse(">=10.0.19041 <11.0.0 || 12.x")?;
    /// for (version, is_in_it) in [("10.0.22631", true), ("11.0.0", false), ("12.4.0", true)] {
    ///     assert_eq!(range.contains(&Version::parse(version).unwrap()), is_in_it);
    /// }
    /// # Ok::<(), portcullis_domain::posture_check::VersionRangeError>(())
    /// ```
    pub fn parse(text: impl Into<String>) -> Result<Self, VersionRangeError> {
        let text = text.into();
        if text.len() > Self::MAX_LENGTH {
            return Err(VersionRangeError::TooLong);
        }
        let alternatives = parse::parse_alternatives(&text)?;
        Ok(Self { text, alternatives })
    }

    /// Whether the range contains `version`.
    pub fn contains(&self, version: &Version) -> bool {
        self.alternatives
            .iter()
            .any(|bounds| bounds.iter().all(|bound| bound.contains(version)))
    }

    /// The text as written.
    pub fn as_str(&self) -> &str {
        &self.text
    }
}

impl Bound {
    fn contains(&self, version: &Version) -> bool {
        let order = version.cmp(&self.version);
        match self.comparator {
            Comparator::Less => order.is_lt(),
            Comparator::LessOrEqual => order.is_le(),
            Comparator::Equal => order.is_eq(),
            Comparator::NotEqual => order.is_ne(),
            Comparator::GreaterOrEqual => order.is_ge(),
            Comparator::Greater => order.is_gt(),
        }
    }
}

impl TryFrom<String> for VersionRange {
    type Error = VersionRangeError;

    fn try_from(text: String) -> Result<Self, VersionRangeError> {
        Self::parse(text)
    }
}

impl From<VersionRange> for String {
    fn from(range: VersionRange) -> Self {
        range.text
    }
}

impl PartialEq for VersionRange {
    fn eq(&self, other: &Self) -> bool {
        self.text == other.text
    }
}

impl Eq for VersionRange {}

impl PartialOrd for VersionRange {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for VersionRange {
    fn cmp(&self, other: &Self) -> Ordering {
        self.text.cmp(&other.text)
    }
}
