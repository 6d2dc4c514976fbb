//! Group names of dialers and listeners.

use std::collections::BTreeSet;

/// The group if none is configured.
const DEFAULT: &str = "default";

/// A non-empty set of group names, compared exactly.
///
/// # Examples
///
/// ```
/// use portcullis_router::links::GroupNames;
///
/// let dialer = GroupNames::new(["internal", "default"]);
/// assert!(dialer.intersects(&GroupNames::default()), "both are in `default`");
/// assert!(!dialer.intersects(&GroupNames::new(["Internal"])));
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GroupNames(BTreeSet<String>);

impl GroupNames {
    /// Creates a set; without any name, the group is `default`.
    pub fn new<Name: Into<String>>(names: impl IntoIterator<Item = Name>) -> Self {
        let names: BTreeSet<String> = names.into_iter().map(Name::into).collect();
        if names.is_empty() {
            Self::default()
        } else {
            Self(names)
        }
    }

    /// Whether the sets have a common group.
    pub fn intersects(&self, other: &Self) -> bool {
        !self.0.is_disjoint(&other.0)
    }

    /// Iterates over the names in alphabetical order.
    pub fn iter(&self) -> impl Iterator<Item = &str> {
        self.0.iter().map(String::as_str)
    }
}

impl Default for GroupNames {
    fn default() -> Self {
        Self(BTreeSet::from([DEFAULT.to_owned()]))
    }
}
