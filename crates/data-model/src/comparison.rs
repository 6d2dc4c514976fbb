//! Where a model differs from the one that it should be.

use crate::entity::{Entity, EntityKey};
use std::collections::BTreeMap;

/// An entity that is not as it should be.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Difference {
    pub key: EntityKey,
    pub kind: DifferenceKind,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum DifferenceKind {
    Missing,
    Extra,
    Different,
}

impl DifferenceKind {
    /// As in answers to validations of the model.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Missing => "missing",
            Self::Extra => "extra",
            Self::Different => "different",
        }
    }
}

/// The entities that are not as they are in `expected`.
pub fn differences(
    found: &BTreeMap<EntityKey, Entity>,
    expected: &BTreeMap<EntityKey, Entity>,
) -> Vec<Difference> {
    let missing = expected.keys().filter(|key| !found.contains_key(*key));
    let missing = missing.map(|key| (key, DifferenceKind::Missing));
    let others = found
        .iter()
        .filter_map(|(key, entity)| match expected.get(key) {
            None => Some((key, DifferenceKind::Extra)),
            Some(expected) => (expected != entity).then_some((key, DifferenceKind::Different)),
        });
    let all = missing.chain(others);
    all.map(|(key, kind)| Difference {
        key: key.clone(),
        kind,
    })
    .collect()
}
