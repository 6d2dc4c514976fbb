//! Role attributes, by which policies select entities.

mod selector;

pub use selector::{RoleSelectors, Semantic};

use crate::FieldError;
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;

/// The role attributes of an entity: a set, shown sorted by bytes.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct RoleAttributes(BTreeSet<String>);

impl RoleAttributes {
    /// Collects attributes without repetitions.
    ///
    /// # Errors
    ///
    /// [`FieldError`] on `roleAttributes` when one is empty or begins with `#` or `@`, which are
    /// reserved for selectors.
    pub fn new(
        attributes: impl IntoIterator<Item = impl Into<String>>,
    ) -> Result<Self, FieldError> {
        attributes
            .into_iter()
            .map(Into::into)
            .map(|attribute| match attribute.chars().next() {
                Some(mark @ ('#' | '@')) => Err(FieldError::new(
                    "roleAttributes",
                    format!(
                        "role attributes must not begin with {mark}; that prefix belongs to \
                         selectors in policies"
                    ),
                    attribute,
                )),
                Some(_) => Ok(attribute),
                None => Err(FieldError::new(
                    "roleAttributes",
                    "role attributes must not be empty",
                    attribute,
                )),
            })
            .collect::<Result<_, _>>()
            .map(Self)
    }

    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// In byte order.
    pub fn iter(&self) -> impl Iterator<Item = &str> {
        self.0.iter().map(String::as_str)
    }

    pub fn contains(&self, attribute: &str) -> bool {
        self.0.contains(attribute)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn attributes_are_a_sorted_set() {
        let words = ["two", "one", "two"].map(str::to_owned);
        let roles = RoleAttributes::new(words).unwrap();
        assert_eq!(roles.iter().collect::<Vec<_>>(), ["one", "two"]);
    }

    #[test]
    fn selector_marks_and_nothing_are_refused() {
        for bad in ["#all", "@x", ""] {
            let error = RoleAttributes::new([bad]).unwrap_err();
            assert_eq!(
                (error.field.as_str(), error.value.as_str()),
                ("roleAttributes", bad)
            );
        }
    }

    #[test]
    fn what_was_written_without_the_rules_is_read() {
        let roles: RoleAttributes = serde_json::from_str(r#"["", "a"]"#).unwrap();
        assert!(roles.contains(""));
    }

    #[test]
    fn empty_without_attributes() {
        assert!(RoleAttributes::default().is_empty());
        assert!(!RoleAttributes::new(["a"]).unwrap().is_empty());
    }
}
