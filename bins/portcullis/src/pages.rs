//! Lists that are longer than a page.

use crate::error::CliError;
use crate::listed::Listed;
use portcullis_api::envelope::{ListEnvelope, Pagination};
use portcullis_client::{Client, ListQuery, quote};
use std::marker::PhantomData;

/// Entities on a page. Controllers give up to one more, so that a limit of its own in the filter,
/// however high, shows by the limit in the answer.
const PAGE: i64 = 499;

/// The furthest that controllers skip to.
pub(crate) const FURTHEST: i64 = 100_000;

/// Goes through a list to its end, one page at a time.
pub(crate) struct Pages<'c, L> {
    client: &'c Client,
    query: ListQuery,
    place: Option<Place>,
    kind: PhantomData<fn() -> L>,
}

/// Where a page begins.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Place {
    /// The entity after which the list is counted; its beginning if there is none.
    after: Option<String>,
    /// Entities up to that one.
    before: i64,
    /// Entities to skip from there.
    offset: i64,
}

impl<'c, L: Listed> Pages<'c, L> {
    /// All pages of a list from the offset of `query` on; its limit does not count.
    pub(crate) fn new(client: &'c Client, query: ListQuery) -> Self {
        let place = Place {
            after: None,
            before: 0,
            offset: query.offset.unwrap_or_default().max(0),
        };
        Self {
            client,
            query,
            place: Some(place),
            kind: PhantomData,
        }
    }

    /// Fetches the next page; `None` after the last one.
    ///
    /// A filter with a limit of its own is taken at its word: there is one page then. The answers
    /// stand as if counted from the beginning of the list, without a limit.
    pub(crate) async fn next(&mut self) -> Result<Option<ListEnvelope<L>>, CliError> {
        let Some(place) = self.place.take() else {
            return Ok(None);
        };
        let mut query = self.query.clone();
        if let Some(after) = &place.after {
            query = query.and(&format!("id > {}", quote(after)));
        }
        query.limit = Some(PAGE);
        query.offset = Some(place.offset);
        let mut page = L::fetch(self.client, &query).await?;
        let last = page.data.last().map(L::id);
        self.place = place.next(page.meta.pagination, page.data.len(), last, &self.query)?;
        let standing = &mut page.meta.pagination;
        if standing.limit == PAGE {
            standing.limit = i64::MAX;
        }
        standing.offset = standing.offset.saturating_add(place.before);
        standing.total_count = standing.total_count.saturating_add(place.before);
        Ok(Some(page))
    }
}

impl Place {
    /// Where the page begins that follows on one with `length` entities up to `last`.
    fn next(
        &self,
        standing: Pagination,
        length: usize,
        last: Option<&str>,
        query: &ListQuery,
    ) -> Result<Option<Self>, CliError> {
        let length = i64::try_from(length).unwrap_or(i64::MAX);
        let end = standing.offset.saturating_add(length);
        let Some(last) = last.filter(|_| end < standing.total_count && standing.limit == PAGE)
        else {
            return Ok(None);
        };
        if standing.offset != self.offset {
            return Err(CliError::failed(format!(
                "the list changed while it was read: the answer begins at {}, not at {}",
                standing.offset, self.offset
            ))
            .hint("do not use `skip` in the filter; use --offset instead"));
        }
        // By its ids a list is followed exactly, whatever is created or deleted meanwhile; with
        // another order there is only counting.
        if !is_sorted(query) {
            return Ok(Some(Self {
                after: Some(last.to_owned()),
                before: self.before.saturating_add(end),
                offset: 0,
            }));
        }
        if end > FURTHEST {
            return Err(CliError::failed(format!(
                "the controller pages only to {FURTHEST} in a sorted list"
            ))
            .hint("leave out the sort order, or narrow the list with a filter"));
        }
        Ok(Some(Self {
            offset: end,
            ..self.clone()
        }))
    }
}

/// Whether a list may have another order than that of the ids. Texts in the filter count as well:
/// they make no difference to short lists.
fn is_sorted(query: &ListQuery) -> bool {
    let filter = query.filter.as_deref().unwrap_or_default();
    query.sort.is_some() || filter.to_ascii_lowercase().contains("sort")
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Goes through a list of `total` entities as controllers give it; the filter may hold a limit
    /// and an offset of its own. The numbers are where the pages began.
    fn walk(
        total: i64,
        query: &ListQuery,
        limit: Option<i64>,
        skip: Option<i64>,
    ) -> Result<Vec<i64>, CliError> {
        let mut begins = Vec::new();
        let mut place = Some(Place {
            after: None,
            before: 0,
            offset: query.offset.unwrap_or_default(),
        });
        while let Some(current) = place {
            let limit = limit.unwrap_or(PAGE).min(500);
            let offset = skip.unwrap_or(current.offset).min(FURTHEST);
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
        let expected: Vec<_> = (0..).map(|page| page * PAGE).take(begins.len()).collect();
        assert_eq!(begins, expected);
        assert!(begins.last().unwrap() + PAGE >= 1_000_000);
        for sorted in [
            ListQuery::filtered("true Sort By name"),
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
