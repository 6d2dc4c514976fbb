//! Scope of a list: restriction, visibility and cancellation.

use super::ListRequest;
use super::listable::{Listable, PolicyRelated, RecordLocation};
use super::restriction::{FindSlots, Restriction};
use crate::error::AppError;
use portcullis_domain::ids::RecordNumber;
use portcullis_index::Catalog;
use portcullis_storage::tables::{Found, Rows};
use roaring::RoaringBitmap;
use std::collections::BTreeSet;

/// The records that a list covers and that its caller may see.
pub(crate) struct ListScope<'s, E: Listable> {
    /// `None` when the caller may see all of them.
    pub(crate) visibility: Option<&'s Visibility<'s, E>>,
    /// Decides visibility without reading the record, where possible.
    pub(crate) early_visibility: Option<&'s EarlyVisibility<'s>>,
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
            early_visibility: None,
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

    /// Whether a record is visible, if that is known without reading it. This is so fast for so
    /// many records that cancellation is checked here too.
    pub(super) fn find_visibility(
        &self,
        rows: Rows<'_>,
        location: RecordLocation,
    ) -> Result<Option<bool>, AppError> {
        let Some(early_visibility) = self.early_visibility else {
            return Ok(None);
        };
        if (self.is_cancelled)() {
            return Err(AppError::TimedOut);
        }
        early_visibility(rows, location.number())
    }
}

pub(crate) type Visibility<'s, E> = dyn Fn(Rows<'_>, &Found<E>) -> Result<bool, AppError> + 's;

/// Whether a caller may see the record with a number; `None` if it has to be read to decide.
pub(crate) type EarlyVisibility<'s> =
    dyn Fn(Rows<'_>, RecordNumber) -> Result<Option<bool>, AppError> + 's;
