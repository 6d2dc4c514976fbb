//! Which part of the matching rows is given.

use std::ops::Range;

/// Rows of a page when nobody says otherwise.
const DEFAULT_LIMIT: u16 = 10;
/// Largest page that can be asked for by number.
const MAX_LIMIT: u16 = 500;
/// Most rows that can be skipped.
const MAX_OFFSET: u32 = 100_000;

/// The most rows of a page, within the bounds of the API. Asking for too many or too few is no error.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limit(Option<u16>);

impl Limit {
    /// No limit, as `limit none` and -1 ask for.
    pub const NONE: Self = Self(None);

    /// The effective limit for the number asked for: -1 is none, other numbers below 1 are 10, numbers
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

    /// The number of rows, `None` when there is no limit.
    pub fn rows(self) -> Option<usize> {
        self.0.map(usize::from)
    }

    /// The number for `meta.pagination.limit`, where no limit is the largest 64-bit integer.
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

/// Rows to skip, within the bounds of the API.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Offset(u32);

impl Offset {
    /// The effective offset for the number asked for: negative numbers are 0, numbers above 100 000 are
    /// 100 000.
    pub fn clamped(asked: i64) -> Self {
        Self(u32::try_from(asked.clamp(0, i64::from(MAX_OFFSET))).unwrap_or(MAX_OFFSET))
    }

    /// The number of rows.
    pub fn rows(self) -> usize {
        usize::try_from(self.0).unwrap_or(usize::MAX)
    }

    /// The number for `meta.pagination.offset`.
    pub fn on_wire(self) -> i64 {
        i64::from(self.0)
    }
}

/// A part of a list.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Page {
    /// Most rows.
    pub limit: Limit,
    /// Rows before the first.
    pub offset: Offset,
}

impl Page {
    /// The positions of the page in a list of `total` rows; empty behind the end.
    pub fn range(self, total: usize) -> Range<usize> {
        let start = self.offset.rows().min(total);
        start..self.end().map_or(total, |end| end.min(total))
    }

    /// The position after the page, `None` when it reaches to the end of the list.
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
