//! Resolved selector lists of policies.

use super::Selectable;
use crate::catalog::Catalog;
use crate::slots::Slot;
use portcullis_domain::ids::EntityId as _;
use portcullis_domain::roles::{RoleSelectors, Semantic};
use roaring::RoaringBitmap;
use std::hash::{Hash as _, Hasher};
use std::mem::discriminant;

/// A selector list with its ids resolved to slots.
#[derive(Debug, Clone, PartialEq, Default)]
pub(super) enum ResolvedSelectors {
    #[default]
    Nothing,
    All,
    /// Entities referenced by id, and those whose attributes satisfy the semantic.
    Listed {
        /// Whether all or any of the attributes are required.
        semantic: Semantic,
        /// Entities referenced by id.
        named: RoaringBitmap,
        /// Sorted by bytes.
        attributes: Box<[Box<str>]>,
    },
}

impl ResolvedSelectors {
    /// Resolves the ids of a list in the catalog. Unknown ids are skipped.
    pub(super) fn resolve<E: Selectable>(
        semantic: Semantic,
        roles: &RoleSelectors<E::Id>,
        catalog: &Catalog<E>,
    ) -> Self {
        if *roles == RoleSelectors::All {
            return Self::All;
        }
        if roles.is_empty() {
            return Self::Nothing;
        }
        let named = roles
            .ids()
            .filter_map(|id| catalog.slot_by_id(id.as_str()))
            .map(Slot::bit)
            .collect();
        Self::Listed {
            semantic,
            named,
            attributes: roles.attributes().map(Box::from).collect(),
        }
    }

    /// Entities referenced by id.
    pub(super) fn named(&self) -> impl Iterator<Item = u32> {
        match self {
            Self::Listed { named, .. } => Some(named),
            Self::Nothing | Self::All => None,
        }
        .into_iter()
        .flatten()
    }

    /// Attributes of which every entity that is selected by attributes has at least one.
    pub(super) fn key_attributes(&self) -> &[Box<str>] {
        match self {
            Self::Listed {
                semantic,
                attributes,
                ..
            } => match semantic {
                Semantic::AnyOf => attributes,
                Semantic::AllOf => attributes.get(..1).unwrap_or_default(),
            },
            Self::Nothing | Self::All => &[],
        }
    }

    /// The other attributes of the list.
    pub(super) fn other_attributes(&self) -> &[Box<str>] {
        match self {
            Self::Listed { attributes, .. } => attributes
                .get(self.key_attributes().len()..)
                .unwrap_or_default(),
            Self::Nothing | Self::All => &[],
        }
    }

    /// Hashes what it selects.
    pub(super) fn hash_into(&self, hasher: &mut impl Hasher) {
        discriminant(self).hash(hasher);
        if let Self::Listed {
            semantic,
            named,
            attributes,
        } = self
        {
            (*semantic == Semantic::AnyOf).hash(hasher);
            named.iter().for_each(|bit| bit.hash(hasher));
            attributes.hash(hasher);
        }
    }

    /// Whether the list selects an entity with these attributes, sorted by bytes. The entity has to
    /// be selectable.
    pub(super) fn selects(&self, slot: Slot, carried: &[&str]) -> bool {
        match self {
            Self::Nothing => false,
            Self::All => true,
            Self::Listed {
                semantic,
                named,
                attributes,
            } => {
                let mut asked = attributes.iter().map(|asked| &**asked);
                let has = |asked: &str| carried.binary_search(&asked).is_ok();
                named.contains(slot.bit())
                    || match semantic {
                        Semantic::AnyOf => asked.any(has),
                        Semantic::AllOf => !attributes.is_empty() && asked.all(has),
                    }
            },
        }
    }

    pub(super) fn heap_bytes(&self) -> usize {
        match self {
            Self::Nothing | Self::All => 0,
            Self::Listed {
                named, attributes, ..
            } => {
                let attributes = attributes.iter();
                let texts: usize = attributes
                    .map(|attribute| size_of::<Box<str>>() + attribute.len())
                    .sum();
                texts + named.serialized_size()
            },
        }
    }
}
