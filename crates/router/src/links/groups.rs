//! Groups of dialers and listeners.

use std::collections::BTreeSet;

/// The group of whoever names none.
const DEFAULT: &str = "default";

/// Names of groups, at least one. They are compared letter by letter.
///
/// # Examples
///
/// ```
/// use portcullis_router::links::Groups;
///
/// let dialer = Groups::new(["internal", "default"]);
/// assert!(dialer.share(&Groups::default()), "both are in `default`");
/// assert!(!dialer.share(&Groups::new(["Internal"])));
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Groups(BTreeSet<String>);

impl Groups {
    /// Takes the names; without any, the group is `default`.
    pub fn new<Name: Into<String>>(names: impl IntoIterator<Item = Name>) -> Self {
        let names: BTreeSet<String> = names.into_iter().map(Name::into).collect();
        if names.is_empty() {
            Self::default()
        } else {
            Self(names)
        }
    }

    /// Tells whether there is a group that both have.
    pub fn share(&self, other: &Self) -> bool {
        !self.0.is_disjoint(&other.0)
    }

    /// Walks over the names in alphabetical order.
    pub fn iter(&self) -> impl Iterator<Item = &str> {
        self.0.iter().map(String::as_str)
    }
}

impl Default for Groups {
    fn default() -> Self {
        Self(BTreeSet::from([DEFAULT.to_owned()]))
    }
}
