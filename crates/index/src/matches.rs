//! The entities that a search left over.

use roaring::RoaringBitmap;

/// Entities of a catalog. They are kept by their slots, so they mean something only until the
/// catalog changes.
#[derive(Debug, Clone, PartialEq)]
pub struct Matches {
    /// `None` for all.
    slots: Option<RoaringBitmap>,
    len: usize,
    is_exact: bool,
}

impl Matches {
    /// All of a catalog that has `len` entities.
    pub(crate) const fn all(len: usize, is_exact: bool) -> Self {
        Self {
            slots: None,
            len,
            is_exact,
        }
    }

    /// `of` is the number of all entities.
    pub(crate) fn of(slots: RoaringBitmap, of: usize, is_exact: bool) -> Self {
        let len = usize::try_from(slots.len()).unwrap_or(of);
        Self {
            slots: (len < of).then_some(slots),
            len,
            is_exact: is_exact || len == 0,
        }
    }

    /// The same entities, as those among which the matches are.
    #[must_use]
    pub const fn unsure(mut self) -> Self {
        self.is_exact = self.len == 0;
        self
    }

    /// Whether exactly these match. Otherwise what matches is among them, and the record of each
    /// has to be looked at.
    pub const fn is_exact(&self) -> bool {
        self.is_exact
    }

    /// Whether these are all entities of the catalog.
    pub const fn is_everything(&self) -> bool {
        self.slots.is_none()
    }

    /// Number of entities.
    pub const fn len(&self) -> usize {
        self.len
    }

    /// Whether there is none.
    pub const fn is_empty(&self) -> bool {
        self.len == 0
    }

    pub(crate) const fn slots(&self) -> Option<&RoaringBitmap> {
        self.slots.as_ref()
    }
}
