//! Locations of records.

use super::listable::Listable;
use portcullis_domain::change::Owner;
use portcullis_domain::ids::RecordNumber;
use portcullis_index::Catalog;
use portcullis_storage::key::{Kind, RecordKey};
use portcullis_storage::tables::{Found, IDENTITY, ROUTER};

/// Compact location of a record, for lists of many.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct RecordLocation {
    root: (Kind, u64),
    number: u64,
}

impl RecordLocation {
    pub(crate) fn from_found<E>(found: &Found<E>) -> Self {
        Self {
            root: found.key.root_id(),
            number: found.number().0,
        }
    }

    /// The location of the record with a number; `None` if the catalog does not have it.
    pub(crate) fn find_in_catalog<E: Listable>(
        catalog: &Catalog<E::Entry>,
        number: RecordNumber,
    ) -> Option<Self> {
        let slot = catalog.slot(number)?;
        let root = match catalog.owner(slot) {
            None => (E::KIND, number.0),
            Some(Owner::Identity(owner)) => (IDENTITY, owner.0),
            Some(Owner::Router(owner)) => (ROUTER, owner.0),
        };
        Some(Self {
            root,
            number: number.0,
        })
    }

    pub(crate) const fn number(self) -> RecordNumber {
        RecordNumber(self.number)
    }

    pub(crate) fn key<E: Listable>(self) -> RecordKey {
        let (kind, number) = self.root;
        let root = RecordKey::root(kind, number);
        if kind == E::KIND {
            root
        } else {
            root.dependent(E::KIND, self.number)
        }
    }
}
