//! Paging through lists.

use crate::error::CliError;
use crate::listable::Listable;
use portcullis_api::envelope::{ListEnvelope, Pagination};
use portcullis_client::{Client, ListQuery, quote};
use std::marker::PhantomData;

/// Entities per page. Controllers allow up to 500, so that a higher limit inside the filter is
/// recognized by the limit in the response.
const PAGE_SIZE: i64 = 499;

/// Highest offset that controllers accept.
pub(crate) const MAX_OFFSET: i64 = 100_000;

/// Iterator over the pages of a list.
pub(crate) struct Pages<'c, L> {
    client: &'c Client,
    query: ListQuery,
    cursor: Option<PageCursor>,
    kind: PhantomData<fn() -> L>,
}

/// Start of a page.
#[derive(Debug, Clone, PartialEq, Eq)]
struct PageCursor {
    /// Id after which the page starts; `None` for the start of the list.
    after: Option<String>,
    /// Number of entities up to that one.
    before: i64,
    /// Number of entities to skip after that one.
    offset: i64,
}

impl<'c, L: Listable> Pages<'c, L> {
    /// All pages from the offset of `query`; its limit is ignored.
    pub(crate) fn new(client: &'c Client, query: ListQuery) -> Self {
        let place = PageCursor {
            after: None,
            before: 0,
            offset: query.offset.unwrap_or_default().max(0),
        };
        Self {
            client,
            query,
            cursor: Some(place),
            kind: PhantomData,
        }
    }

    /// Fetches the next page; `None` after the last one.
    ///
    /// A limit inside the filter is respected: there is only one page then. The pagination in the
    /// results is relative to the whole list, without a limit.
    pub(crate) async fn next(&mut self) -> Result<Option<ListEnvelope<L>>, CliError> {
        let Some(place) = self.cursor.take() else {
            return Ok(None);
        };
        let mut query = self.query.clone();
        if let Some(after) = &place.after {
            query = query.and(&format!("id > {}", quote(after)));
        }
        query.limit = Some(PAGE_SIZE);
        query.offset = Some(place.offset);
        let mut page = L::fetch_page(self.client, &query).await?;
        let last = page.data.last().map(L::id);
        self.cursor = place.next(page.meta.pagination, page.data.len(), last, &self.query)?;
        let pagination = &mut page.meta.pagination;
        if pagination.limit == PAGE_SIZE {
            pagination.limit = i64::MAX;
        }
        pagination.offset = pagination.offset.saturating_add(place.before);
        pagination.total_count = pagination.total_count.saturating_add(place.before);
        Ok(Some(page))
    }
}

impl PageCursor {
    /// Start of the page after one with `length` entities up to `last`.
    fn next(
        &self,
        pagination: Pagination,
        length: usize,
        last: Option<&str>,
        query: &ListQuery,
    ) -> Result<Option<Self>, CliError> {
        let length = i64::try_from(length).unwrap_or(i64::MAX);
        let end = pagination.offset.saturating_add(length);
        let Some(last) =
            last.filter(|_| end < pagination.total_count && pagination.limit == PAGE_SIZE)
        else {
            return Ok(None);
        };
        if pagination.offset != self.offset {
            return Err(CliError::failed(format!(
                "the list changed while it was being read: the page starts at {}, not at {}",
                pagination.offset, self.offset
            ))
            .hint("do not use `skip` in the filter; use --offset instead"));
        }
        // Paging by id is exact while entities are created and deleted; other orders only have
        // offsets.
        if !is_sorted(query) {
            return Ok(Some(Self {
                after: Some(last.to_owned()),
                before: self.before.saturating_add(end),
                offset: 0,
            }));
        }
        if end > MAX_OFFSET {
            return Err(CliError::failed(format!(
                "the controller cannot page beyond {MAX_OFFSET} in a sorted list"
            ))
            .hint("leave out the sort order, or narrow the list with a filter"));
        }
        Ok(Some(Self {
            offset: end,
            ..self.clone()
        }))
    }
}

/// Whether a list may be sorted by something other than id. Strings in the filter count too, which
/// does not matter for short lists.
fn is_sorted(query: &ListQuery) -> bool {
    let filter = query.filter.as_deref().unwrap_or_default();
    query.sort.is_some() || filter.to_ascii_lowercase().contains("sort")
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
    ) -> Result<Vec<i64>, CliError> {
        let mut begins = Vec::new();
        let mut place = Some(PageCursor {
            after: None,
            before: 0,
            offset: query.offset.unwrap_or_default(),
        });
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
            let last = (length > 0).then_some("x");
            place = current.next(standing, length, last, query)?;
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
