//! Limits, offsets and pages.

use std::ops::Range;

/// Default page size.
const DEFAULT_LIMIT: u16 = 10;
/// Maximum page size, except for no limit at all.
const MAX_LIMIT: u16 = 500;
/// Maximum number of skipped rows.
const MAX_OFFSET: u32 = 100_000;

/// Maximum number of rows of a page, within the bounds of the API. Values out of range are clamped.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limit(Option<u16>);

impl Limit {
    /// No limit, as requested by `limit none` or -1.
    pub const NONE: Self = Self(None);

    /// The effective limit for a requested number: -1 is no limit, other numbers below 1 are 10, numbers
    /// above 500 are 500.
    pub fn clamped(asked: i64) -> Self {
        match asked {
            -1 => Self::NONE,
            ..=0 => Self::default(),
            _ => Self(Some(
                u16::try_from(asked).map_or(MAX_LIMIT, |rows| rows.min(MAX_LIMIT)),
            )),
        }
    }

    /// Number of rows; `None` for no limit.
    pub fn rows(self) -> Option<usize> {
        self.0.map(usize::from)
    }

    /// The value of `meta.pagination.limit`: [`i64::MAX`] for no limit.
    pub fn on_wire(self) -> i64 {
        self.0.map_or(i64::MAX, i64::from)
    }
}

/// Ten rows.
impl Default for Limit {
    fn default() -> Self {
        Self(Some(DEFAULT_LIMIT))
    }
}

/// Number of rows to skip, within the bounds of the API.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Offset(u32);

impl Offset {
    /// The effective offset for a requested number, clamped to 0 to 100 000.
    pub fn clamped(asked: i64) -> Self {
        Self(u32::try_from(asked.clamp(0, i64::from(MAX_OFFSET))).unwrap_or(MAX_OFFSET))
    }

    /// Number of rows.
    pub fn rows(self) -> usize {
        usize::try_from(self.0).unwrap_or(usize::MAX)
    }

    /// The value of `meta.pagination.offset`.
    pub fn on_wire(self) -> i64 {
        i64::from(self.0)
    }
}

/// A part of a list.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Page {
    pub limit: Limit,
    pub offset: Offset,
}

impl Page {
    /// The index range of the page in a list of `total` rows; empty past the end.
    pub fn range(self, total: usize) -> Range<usize> {
        let start = self.offset.rows().min(total);
        start..self.end().map_or(total, |end| end.min(total))
    }

    /// The index after the page; `None` if it extends to the end of the list.
    pub fn end(self) -> Option<usize> {
        self.limit
            .rows()
            .map(|rows| rows.saturating_add(self.offset.rows()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn limits_are_clamped_not_refused() {
        for (asked, wire) in [
            (i64::MIN, 10),
            (-7, 10),
            (-1, i64::MAX),
            (0, 10),
            (1, 1),
            (500, 500),
            (501, 500),
            (100_000, 500),
            (i64::MAX, 500),
        ] {
            assert_eq!(Limit::clamped(asked).on_wire(), wire, "{asked}");
        }
    }

    #[test]
    fn offsets_are_clamped_not_refused() {
        for (asked, wire) in [
            (i64::MIN, 0),
            (-3, 0),
            (0, 0),
            (7, 7),
            (100_000, 100_000),
            (100_001, 100_000),
            (i64::MAX, 100_000),
        ] {
            assert_eq!(Offset::clamped(asked).on_wire(), wire, "{asked}");
        }
    }

    #[test]
    fn pages_stay_inside_the_list() {
        let page = |limit, offset| Page {
            limit,
            offset: Offset::clamped(offset),
        };
        for (page, total, expected) in [
            (page(Limit::clamped(2), 0), 5, 0..2),
            (page(Limit::clamped(2), 4), 5, 4..5),
            (page(Limit::clamped(2), 9), 5, 5..5),
            (page(Limit::NONE, 0), 5, 0..5),
            (page(Limit::NONE, 3), 5, 3..5),
            (page(Limit::NONE, 9), 5, 5..5),
        ] {
            assert_eq!(page.range(total), expected, "{page:?} of {total}");
        }
    }
}
