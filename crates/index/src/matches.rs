//! Results of catalog searches.

use roaring::RoaringBitmap;

/// Entities of a catalog, stored as slots and therefore valid only until the catalog changes.
#[derive(Debug, Clone, PartialEq)]
pub struct Matches {
    /// `None` for all.
    slots: Option<RoaringBitmap>,
    len: usize,
    is_exact: bool,
}

impl Matches {
    /// All entities of a catalog that has `len` of them.
    pub(crate) const fn all(len: usize, is_exact: bool) -> Self {
        Self {
            slots: None,
            len,
            is_exact,
        }
    }

    /// `total` is the number of all entities of the catalog.
    pub(crate) fn new(slots: RoaringBitmap, total: usize, is_exact: bool) -> Self {
        let len = usize::try_from(slots.len()).unwrap_or(total);
        Self {
            slots: (len < total).then_some(slots),
            len,
            is_exact: is_exact || len == 0,
        }
    }

    /// The same entities as inexact candidates.
    #[must_use]
    pub const fn into_inexact(mut self) -> Self {
        self.is_exact = self.len == 0;
        self
    }

    /// Whether all of these match. Otherwise they are candidates whose records have to be tested.
    pub const fn is_exact(&self) -> bool {
        self.is_exact
    }

    pub const fn is_all(&self) -> bool {
        self.slots.is_none()
    }

    pub const fn len(&self) -> usize {
        self.len
    }

    pub const fn is_empty(&self) -> bool {
        self.len == 0
    }

    pub(crate) const fn slots(&self) -> Option<&RoaringBitmap> {
        self.slots.as_ref()
    }
}
