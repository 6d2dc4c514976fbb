//! Selectors of policies.

use super::RoleAttributes;
use crate::FieldError;
use crate::ids::EntityId;
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;

/// Selects every entity.
const ALL: &str = "#all";

/// Selects entities of one kind by id or role attribute.
///
/// On the wire it is a list of selectors: `@id`, `#attribute`, or `#all` alone. Lists are sets, shown
/// sorted by bytes; an empty one selects nothing.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "Vec<String>", into = "Vec<String>", bound = "I: EntityId")]
pub enum RoleSelectors<I> {
    /// Every entity.
    All,
    /// Entities with these ids, or with these attributes according to the [`Semantic`] of the
    /// policy.
    Some {
        /// Role attributes.
        attributes: BTreeSet<String>,
        /// Always alternatives.
        ids: BTreeSet<I>,
    },
}

/// Whether all attributes of a list have to match, or any.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Semantic {
    /// All, and at least one.
    AllOf,
    /// Any.
    AnyOf,
}

impl Semantic {
    pub const ALL: [Self; 2] = [Self::AllOf, Self::AnyOf];

    /// Name on the wire.
    pub const fn name(self) -> &'static str {
        match self {
            Self::AllOf => "AllOf",
            Self::AnyOf => "AnyOf",
        }
    }

    /// Parses the member `semantic`.
    ///
    /// # Errors
    ///
    /// [`FieldError`] on `semantic` for an unknown name; names are case-sensitive.
    pub fn from_name(name: &str) -> Result<Self, FieldError> {
        Self::ALL
            .into_iter()
            .find(|semantic| semantic.name() == name)
            .ok_or_else(|| FieldError::new("semantic", "must be one of AllOf, AnyOf", name))
    }

    /// Whether an entity with the attributes `carried` satisfies the list `required`.
    pub fn is_satisfied_by(self, required: &BTreeSet<String>, carried: &RoleAttributes) -> bool {
        let mut matches = required.iter().map(|attribute| carried.contains(attribute));
        match self {
            Self::AllOf => !required.is_empty() && matches.all(|carries| carries),
            Self::AnyOf => matches.any(|carries| carries),
        }
    }
}

/// Whether a selector is `#` or `@` without a name.
fn is_bare(selector: &str) -> bool {
    matches!(selector, "#" | "@")
}

impl<I> Default for RoleSelectors<I> {
    fn default() -> Self {
        Self::Some {
            attributes: BTreeSet::new(),
            ids: BTreeSet::new(),
        }
    }
}

impl<I: EntityId> RoleSelectors<I> {
    /// Parses the member `field`, a list of selectors.
    ///
    /// # Errors
    ///
    /// [`FieldError`] on `field` when a selector does not begin with `#` or `@`, has no name, or
    /// when `#all` is not the only one.
    pub fn new(
        field: &str,
        selectors: impl IntoIterator<Item = impl Into<String>>,
    ) -> Result<Self, FieldError> {
        let selectors: BTreeSet<String> = selectors.into_iter().map(Into::into).collect();
        match selectors.iter().find(|selector| is_bare(selector)) {
            Some(bare) => Err(FieldError::new(
                field,
                "is incomplete; write #attribute or @id",
                bare.as_str(),
            )),
            None => Self::parse(field, selectors),
        }
    }

    /// Sorts selectors into attributes and ids. Selectors without a name pass, since old records
    /// may contain them.
    fn parse(field: &str, selectors: BTreeSet<String>) -> Result<Self, FieldError> {
        if selectors.contains(ALL) {
            return match selectors.iter().find(|selector| *selector != ALL) {
                Some(other) => Err(FieldError::new(
                    field,
                    "#all must be the only selector; remove the others",
                    other.as_str(),
                )),
                None => Ok(Self::All),
            };
        }
        let mut attributes = BTreeSet::new();
        let mut ids = BTreeSet::new();
        for selector in selectors {
            if let Some(attribute) = selector.strip_prefix('#') {
                attributes.insert(attribute.to_owned());
            } else if let Some(id) = selector.strip_prefix('@') {
                ids.insert(I::from_wire(id.to_owned()));
            } else {
                return Err(FieldError::new(
                    field,
                    "is not a selector; write #attribute or @id, such as #sales or #all",
                    selector,
                ));
            }
        }
        Ok(Self::Some { attributes, ids })
    }

    /// Selects a single entity.
    pub fn from_id(id: I) -> Self {
        Self::Some {
            attributes: BTreeSet::new(),
            ids: BTreeSet::from([id]),
        }
    }

    /// Whether it can never select anything.
    pub fn is_empty(&self) -> bool {
        self.ids().next().is_none() && self.attributes().next().is_none() && *self != Self::All
    }

    pub fn ids(&self) -> impl Iterator<Item = &I> {
        match self {
            Self::All => None,
            Self::Some { ids, .. } => Some(ids),
        }
        .into_iter()
        .flatten()
    }

    pub fn attributes(&self) -> impl Iterator<Item = &str> {
        match self {
            Self::All => None,
            Self::Some { attributes, .. } => Some(attributes),
        }
        .into_iter()
        .flatten()
        .map(String::as_str)
    }

    pub fn selects(&self, semantic: Semantic, id: &I, carried: &RoleAttributes) -> bool {
        match self {
            Self::All => true,
            Self::Some { attributes, ids } => {
                ids.contains(id) || semantic.is_satisfied_by(attributes, carried)
            },
        }
    }

    /// Removes the id of a deleted entity; returns whether it was present.
    pub fn remove_id(&mut self, id: &I) -> bool {
        match self {
            Self::All => false,
            Self::Some { ids, .. } => ids.remove(id),
        }
    }

    /// In byte order.
    pub fn selectors(&self) -> impl Iterator<Item = String> {
        let all = (*self == Self::All).then(|| ALL.to_owned());
        all.into_iter()
            .chain(self.attributes().map(|attribute| format!("#{attribute}")))
            .chain(self.ids().map(|id| format!("@{}", id.as_str())))
    }
}

impl<I: EntityId> TryFrom<Vec<String>> for RoleSelectors<I> {
    type Error = FieldError;

    fn try_from(selectors: Vec<String>) -> Result<Self, FieldError> {
        Self::parse("roles", selectors.into_iter().collect())
    }
}

impl<I: EntityId> From<RoleSelectors<I>> for Vec<String> {
    fn from(roles: RoleSelectors<I>) -> Self {
        roles.selectors().collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ids::ServiceId;

    fn roles(selectors: &[&str]) -> Result<RoleSelectors<ServiceId>, FieldError> {
        RoleSelectors::new("serviceRoles", selectors.iter().copied())
    }

    #[test]
    fn lists_are_sets_shown_sorted_by_bytes() {
        let read = roles(&["@b", "#z", "@a", "#y", "@b"]).unwrap();
        assert_eq!(
            read.selectors().collect::<Vec<_>>(),
            ["#y", "#z", "@a", "@b"]
        );
        let json = serde_json::to_string(&read).unwrap();
        assert_eq!(json, r##"["#y","#z","@a","@b"]"##);
        assert_eq!(
            serde_json::from_str::<RoleSelectors<ServiceId>>(&json).unwrap(),
            read
        );
        assert_eq!(roles(&["#all", "#all"]).unwrap(), RoleSelectors::All);
        assert_eq!(
            RoleSelectors::<ServiceId>::All
                .selectors()
                .collect::<Vec<_>>(),
            ["#all"]
        );
    }

    #[test]
    fn malformed_selectors_are_refused_by_name() {
        for (selectors, culprit) in [
            (&["#a", "b"][..], "b"),
            (&[""], ""),
            (&["#all", "#a"], "#a"),
            (&["@x", "#all"], "@x"),
            (&["all"], "all"),
            (&["#a", "#"], "#"),
            (&["#all", "@"], "@"),
        ] {
            let error = roles(selectors).unwrap_err();
            assert_eq!(
                (error.field.as_str(), error.value.as_str()),
                ("serviceRoles", culprit)
            );
        }
    }

    #[test]
    fn what_was_written_without_the_rules_is_read() {
        let json = r##"["#","@"]"##;
        let read: RoleSelectors<ServiceId> = serde_json::from_str(json).unwrap();
        assert_eq!(serde_json::to_string(&read).unwrap(), json);
    }

    #[test]
    fn the_semantic_is_about_attributes_and_ids_are_alternatives() {
        use Semantic::{AllOf, AnyOf};
        let id = ServiceId::from_wire("x");
        for (selectors, carried, all_of, any_of) in [
            (&[][..], &["a"][..], false, false),
            (&["#a"], &["a", "b"], true, true),
            (&["#a", "#b"], &["a"], false, true),
            (&["#a", "#b"], &["b", "a"], true, true),
            (&["#a"], &[], false, false),
            (&["@x"], &[], true, true),
            (&["@y"], &["y"], false, false),
            (&["#a", "#b", "@x"], &["a"], true, true),
            (&["#all"], &[], true, true),
            (&["#al"], &["all"], false, false),
        ] {
            let roles = roles(selectors).unwrap();
            let carried = RoleAttributes::new(carried.iter().copied()).unwrap();
            assert_eq!(roles.selects(AllOf, &id, &carried), all_of, "{roles:?}");
            assert_eq!(roles.selects(AnyOf, &id, &carried), any_of, "{roles:?}");
        }
    }

    #[test]
    fn what_is_gone_is_named_no_more() {
        let mut named = roles(&["@x", "#a"]).unwrap();
        let id = ServiceId::from_wire("x");
        assert!(named.remove_id(&id));
        assert!(!named.remove_id(&id));
        assert_eq!(named.selectors().collect::<Vec<_>>(), ["#a"]);
        assert!(!named.is_empty());
        assert!(roles(&[]).unwrap().is_empty());
        assert!(!RoleSelectors::<ServiceId>::All.is_empty());
        assert!(!RoleSelectors::from_id(id).is_empty());
    }

    #[test]
    fn semantics_are_read_in_their_own_case_only() {
        for semantic in Semantic::ALL {
            assert_eq!(Semantic::from_name(semantic.name()), Ok(semantic));
        }
        for name in ["anyof", "ANYOF", "", "Any"] {
            assert_eq!(Semantic::from_name(name).unwrap_err().field, "semantic");
        }
    }
}
