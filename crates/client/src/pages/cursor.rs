//! Where the next page begins.

use super::{MAX_OFFSET, PAGE_SIZE};
use crate::error::{ClientError, PagingError};
use crate::list_query::ListQuery;
use portcullis_api::envelope::Pagination;

/// Start of a page.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct PageCursor {
    /// Condition for the entities after another one; `None` for the start of the list.
    after: Option<String>,
    /// Number of entities up to that one.
    before: i64,
    /// Number of entities to skip after that one.
    offset: i64,
}

impl PageCursor {
    /// The page that starts at an offset of the list.
    pub(super) fn at(offset: i64) -> Self {
        Self {
            after: None,
            before: 0,
            offset: offset.max(0),
        }
    }

    /// The query for this page of the list of `query`.
    pub(super) fn query(&self, query: &ListQuery) -> ListQuery {
        let query = query.clone();
        let query = match &self.after {
            Some(after) => query.and(after),
            None => query,
        };
        ListQuery {
            limit: Some(PAGE_SIZE),
            offset: Some(self.offset),
            ..query
        }
    }

    /// Makes the pagination of this page relative to the start of the list.
    pub(super) fn count_from_start(&self, pagination: &mut Pagination) {
        pagination.offset = pagination.offset.saturating_add(self.before);
        pagination.total_count = pagination.total_count.saturating_add(self.before);
    }

    /// Start of the page after this one with `length` entities, of which the next ones come `after`.
    /// Where no condition says it, they are counted from the start of this page.
    pub(super) fn next(
        &self,
        pagination: Pagination,
        length: usize,
        after: Option<String>,
    ) -> Result<Option<Self>, ClientError> {
        let count = i64::try_from(length).unwrap_or(i64::MAX);
        let end = pagination.offset.saturating_add(count);
        if length == 0 || end >= pagination.total_count || pagination.limit != PAGE_SIZE {
            return Ok(None);
        }
        if pagination.offset != self.offset {
            return Err(PagingError::Moved {
                expected: self.offset,
                found: pagination.offset,
            }
            .into());
        }
        // This is exact while entities are created and deleted; offsets are not.
        if after.is_some() {
            return Ok(Some(Self {
                after,
                before: self.before.saturating_add(end),
                offset: 0,
            }));
        }
        if end > MAX_OFFSET {
            return Err(PagingError::TooFar { limit: MAX_OFFSET }.into());
        }
        Ok(Some(Self {
            offset: end,
            ..self.clone()
        }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Pages through a list of `total` entities as controllers do; the filter may contain a limit
    /// and an offset. Returns the offsets of the pages.
    fn walk(
        total: i64,
        query: &ListQuery,
        limit: Option<i64>,
        skip: Option<i64>,
    ) -> Result<Vec<i64>, ClientError> {
        let mut begins = Vec::new();
        let mut place = Some(PageCursor::at(query.offset.unwrap_or_default()));
        while let Some(current) = place {
            let limit = limit.unwrap_or(PAGE_SIZE).min(500);
            let offset = skip.unwrap_or(current.offset).min(MAX_OFFSET);
            let left = total - current.before;
            let length = (left - offset).clamp(0, limit);
            let standing = Pagination {
                limit,
                offset,
                total_count: left,
            };
            begins.push(current.before + offset);
            let length = usize::try_from(length).unwrap();
            let after = ListQuery::greater("id", "x").filter(|_| !query.is_sorted());
            place = current.next(standing, length, after)?;
        }
        Ok(begins)
    }

    #[test]
    fn every_page_is_visited_once() {
        let query = ListQuery::default();
        for (total, begins) in [
            (0, vec![0]),
            (499, vec![0]),
            (500, vec![0, 499]),
            (1200, vec![0, 499, 998]),
        ] {
            assert_eq!(walk(total, &query, None, None).unwrap(), begins, "{total}");
        }
        let later = ListQuery {
            offset: Some(1000),
            ..query
        };
        assert_eq!(walk(1200, &later, None, None).unwrap(), [1000]);
    }

    #[test]
    fn long_lists_are_counted_from_an_entity() {
        let begins = walk(1_000_000, &ListQuery::default(), None, None).unwrap();
        let expected: Vec<_> = (0..)
            .map(|page| page * PAGE_SIZE)
            .take(begins.len())
            .collect();
        assert_eq!(begins, expected);
        assert!(begins.last().unwrap() + PAGE_SIZE >= 1_000_000);
        for sorted in [
            ListQuery::with_filter("true Sort By name"),
            ListQuery {
                sort: Some("name".to_owned()),
                ..ListQuery::default()
            },
        ] {
            assert!(walk(90_000, &sorted, None, None).is_ok());
            assert!(walk(1_000_000, &sorted, None, None).is_err());
        }
    }

    #[test]
    fn where_filters_cannot_say_it_offsets_go_on() {
        let place = PageCursor {
            after: ListQuery::greater("name", "a"),
            before: 499,
            offset: 0,
        };
        let standing = Pagination {
            limit: PAGE_SIZE,
            offset: 0,
            total_count: 2000,
        };
        let next = place.next(standing, 499, None).unwrap();
        let expected = PageCursor {
            offset: 499,
            ..place
        };
        assert_eq!(next, Some(expected));
    }

    #[test]
    fn limits_inside_the_filter_are_kept() {
        let query = ListQuery::default();
        for limit in [1, 5, 498, 500, 100_000] {
            assert_eq!(walk(1200, &query, Some(limit), None).unwrap(), [0]);
        }
        assert_eq!(walk(1200, &query, Some(5), Some(10)).unwrap(), [10]);
        assert_eq!(walk(300, &query, None, Some(10)).unwrap(), [10]);
        assert!(walk(1200, &query, None, Some(10)).is_err());
    }
}
