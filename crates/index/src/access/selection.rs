//! What one list of a policy selects.

use super::Selectable;
use crate::catalog::Catalog;
use crate::slots::Slot;
use portcullis_domain::ids::EntityId as _;
use portcullis_domain::roles::{Roles, Semantic};
use roaring::RoaringBitmap;
use std::hash::{Hash as _, Hasher};
use std::mem::discriminant;

/// A list of selectors, with the entities that it names found.
#[derive(Debug, Clone, PartialEq, Default)]
pub(super) enum Selection {
    /// Nothing.
    #[default]
    Nothing,
    /// Every entity.
    Every,
    /// Those that are named, and those that carry the attributes that the semantic asks for.
    Listed {
        /// How many of the attributes it takes.
        semantic: Semantic,
        /// Those that are named.
        named: RoaringBitmap,
        /// The attributes, sorted by bytes.
        attributes: Box<[Box<str>]>,
    },
}

impl Selection {
    /// Finds what a list names in the catalog of what it is about. What is not there is passed
    /// over.
    pub(super) fn resolve<E: Selectable>(
        semantic: Semantic,
        roles: &Roles<E::Id>,
        catalog: &Catalog<E>,
    ) -> Self {
        if *roles == Roles::All {
            return Self::Every;
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

    /// Those that are named.
    pub(super) fn named(&self) -> impl Iterator<Item = u32> {
        match self {
            Self::Listed { named, .. } => Some(named),
            Self::Nothing | Self::Every => None,
        }
        .into_iter()
        .flatten()
    }

    /// The attributes of which whoever is selected without being named carries one.
    pub(super) fn leads(&self) -> &[Box<str>] {
        match self {
            Self::Listed {
                semantic,
                attributes,
                ..
            } => match semantic {
                Semantic::AnyOf => attributes,
                Semantic::AllOf => attributes.get(..1).unwrap_or_default(),
            },
            Self::Nothing | Self::Every => &[],
        }
    }

    /// The attributes for which it asks besides those of [`Selection::leads`].
    pub(super) fn followers(&self) -> &[Box<str>] {
        match self {
            Self::Listed { attributes, .. } => {
                attributes.get(self.leads().len()..).unwrap_or_default()
            },
            Self::Nothing | Self::Every => &[],
        }
    }

    /// Takes in what it selects.
    pub(super) fn mix_into(&self, hasher: &mut impl Hasher) {
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

    /// Whether an entity is selected that policies select at all, and that carries these
    /// attributes, sorted by bytes.
    pub(super) fn selects(&self, slot: Slot, carried: &[&str]) -> bool {
        match self {
            Self::Nothing => false,
            Self::Every => true,
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
            Self::Nothing | Self::Every => 0,
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
