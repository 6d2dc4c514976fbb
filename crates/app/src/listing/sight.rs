//! What a caller sees of a list.

use super::Asked;
use super::among::{Among, FindSlots};
use super::listed::{Listed, Place, Ruled};
use crate::error::AppError;
use portcullis_domain::ids::Number;
use portcullis_index::Catalog;
use portcullis_storage::tables::{Found, Rows};
use roaring::RoaringBitmap;
use std::collections::BTreeSet;

/// Which records a list is about and its caller may see, and whether anybody still waits for them.
pub(crate) struct Sight<'s, E: Listed> {
    /// `None` for all of them.
    pub(crate) sees: Option<&'s Sees<'s, E>>,
    /// What is known of that without the records, if something is.
    pub(crate) knows: Option<&'s Knows<'s>>,
    /// Those that the list is about.
    pub(crate) among: Among<'s, E>,
    /// Whether nobody waits any more.
    pub(crate) is_over: &'s dyn Fn() -> bool,
}

impl<'s, E: Listed> Sight<'s, E> {
    /// The sight of a caller who may see all records of the kind.
    pub(crate) const fn of_all(asked: &'s Asked<'_>) -> Self {
        Self {
            sees: None,
            knows: None,
            among: Among::All,
            is_over: asked.is_over,
        }
    }

    /// The same sight, of the records with some numbers alone.
    pub(crate) fn of_numbers(self, numbers: &'s BTreeSet<Number>) -> Self {
        let among = Among::Numbered(numbers);
        Self { among, ..self }
    }

    /// The same sight, of those alone that their own catalog singles out.
    pub(crate) fn of_marked(self, find: fn(&Catalog<E::Entry>) -> RoaringBitmap) -> Self {
        let among = Among::Marked(find);
        Self { among, ..self }
    }

    /// The same sight, of those alone whom policies single out.
    pub(crate) fn of_ruled(self, find: &'s FindSlots<'s>) -> Self
    where
        E: Ruled,
    {
        let among = Among::ruled(find);
        Self { among, ..self }
    }

    /// What is known of a record before it is read. Memory tells of so many so fast that the end of
    /// waiting is looked at here too.
    pub(super) fn beforehand(
        &self,
        rows: Rows<'_>,
        place: Place,
    ) -> Result<Option<bool>, AppError> {
        let Some(knows) = self.knows else {
            return Ok(None);
        };
        if (self.is_over)() {
            return Err(AppError::TooSlow);
        }
        knows(rows, place.number())
    }
}

/// Whether a caller may see a record.
pub(crate) type Sees<'s, E> = dyn Fn(Rows<'_>, &Found<E>) -> Result<bool, AppError> + 's;

/// Whether a caller may see the record of a number; `None` if that has to be read to tell.
pub(crate) type Knows<'s> = dyn Fn(Rows<'_>, Number) -> Result<Option<bool>, AppError> + 's;
