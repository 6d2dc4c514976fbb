//! Scope of a list: restriction, visibility and cancellation.

use super::ListRequest;
use super::lazy_record::LazyRecord;
use super::listable::{Listable, PolicyRelated};
use super::restriction::{FindSlots, Restriction};
use crate::error::AppError;
use portcullis_domain::ids::RecordNumber;
use portcullis_index::Catalog;
use roaring::RoaringBitmap;
use std::collections::BTreeSet;

/// The records that a list covers and that its caller may see.
pub(crate) struct ListScope<'s, E: Listable> {
    /// `None` when the caller may see all of them.
    pub(crate) visibility: Option<&'s Visibility<'s, E>>,
    /// The records that the list covers.
    pub(crate) restriction: Restriction<'s, E>,
    /// Whether the client no longer waits.
    pub(crate) is_cancelled: &'s dyn Fn() -> bool,
}

impl<'s, E: Listable> ListScope<'s, E> {
    /// All records of the kind, all of them visible.
    pub(crate) const fn all(request: &'s ListRequest<'_>) -> Self {
        Self {
            visibility: None,
            restriction: Restriction::All,
            is_cancelled: request.is_cancelled,
        }
    }

    /// Restricts the list to the records with these numbers.
    pub(crate) fn restricted_to_numbers(self, numbers: &'s BTreeSet<RecordNumber>) -> Self {
        let restriction = Restriction::ByNumbers(numbers);
        Self {
            restriction,
            ..self
        }
    }

    /// Restricts the list to the slots that `find` finds in the kind's catalog.
    pub(crate) fn restricted_by_catalog(
        self,
        find: fn(&Catalog<E::Entry>) -> RoaringBitmap,
    ) -> Self {
        let restriction = Restriction::ByCatalog(find);
        Self {
            restriction,
            ..self
        }
    }

    /// Restricts the list to the slots that `find` derives from policies.
    pub(crate) fn restricted_by_policies(self, find: &'s FindSlots<'s>) -> Self
    where
        E: PolicyRelated,
    {
        let restriction = Restriction::by_policies(find);
        Self {
            restriction,
            ..self
        }
    }
}

/// Whether a caller may see a record, which is read only if that depends on it.
pub(crate) type Visibility<'s, E> = dyn Fn(&LazyRecord<'_, E>) -> Result<bool, AppError> + 's;
