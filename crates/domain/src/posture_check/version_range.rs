//! Ranges of versions.

mod parse;
#[cfg(test)]
mod tests;

use super::Version;
use serde::{Deserialize, Serialize};
use std::cmp::Ordering;

/// Which versions will do: alternatives joined by `||`, each of bounds that all have to hold.
///
/// | Written | Holds for |
/// |---|---|
/// | `1.2.3`, `=1.2.3`, `==1.2.3` | this version |
/// | `!1.2.3`, `!=1.2.3` | every other |
/// | `<1.2.3`, `<=1.2.3`, `>1.2.3`, `>=1.2.3` | those before or after it |
/// | `1.2.x`, `1.x` | those that begin so; after comparators but `!` and `!=` too |
/// | `>=1.0.0 <2.0.0 \|\| 3.x` | both of the first two, or the third |
///
/// Edge routers read the text as well, with the Go library `blang/semver`. What that refuses, or
/// reads otherwise than it looks (`! 1.2.3`, `!=1.2.x`, `1.x.x`), is refused here, and what is read
/// here means the same there.
///
/// The text is kept as it was written; ranges are equal when their texts are.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct VersionRange {
    text: String,
    alternatives: Vec<Vec<Bound>>,
}

/// Says why a text is no range of versions.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum RangeError {
    /// It is too long.
    #[error("must be at most {} bytes long", VersionRange::LONGEST)]
    TooLong,
    /// There is no bound before, between or behind `||`.
    #[error("must have a version on both sides of every ||")]
    NoBounds,
    /// The version of a bound is none.
    #[error("{0:?} is not a version range; write one such as >=1.2.0 <2.0.0, or 1.2.x")]
    NoVersion(String),
    /// The comparator of a bound is none.
    #[error("{0:?} is not an operator; use one of = == ! != < <= > >=")]
    NoComparator(String),
    /// A wildcard stands after `!`.
    #[error("{0:?} excludes a wildcard; write it as two alternatives, such as <1.2.0 || >=1.3.0")]
    WildcardExcluded(String),
}

/// How a version is to compare with that of a bound.
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
    /// Longest text of a range, bytes.
    pub const LONGEST: usize = 256;

    /// Reads a range.
    ///
    /// # Errors
    ///
    /// [`RangeError`] says what is wrong with it.
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
    /// # Ok::<(), portcullis_domain::posture_check::RangeError>(())
    /// ```
    pub fn parse(text: impl Into<String>) -> Result<Self, RangeError> {
        let text = text.into();
        if text.len() > Self::LONGEST {
            return Err(RangeError::TooLong);
        }
        let alternatives = parse::alternatives(&text)?;
        Ok(Self { text, alternatives })
    }

    /// Whether `version` lies in it.
    pub fn contains(&self, version: &Version) -> bool {
        self.alternatives
            .iter()
            .any(|bounds| bounds.iter().all(|bound| bound.holds(version)))
    }

    /// The text, as it was written.
    pub fn as_str(&self) -> &str {
        &self.text
    }
}

impl Bound {
    fn holds(&self, version: &Version) -> bool {
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
    type Error = RangeError;

    fn try_from(text: String) -> Result<Self, RangeError> {
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
