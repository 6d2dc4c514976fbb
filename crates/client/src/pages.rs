//! Lists that are longer than a page.

mod cursor;
mod stream;

pub use stream::EntityStream;

use crate::error::ClientError;
use crate::list_query::ListQuery;
use cursor::PageCursor;
use portcullis_api::envelope::ListEnvelope;
use std::fmt;
use std::pin::Pin;

/// Entities per page. Controllers allow up to 500, so that a higher limit inside the filter is
/// recognized by the limit in the response.
const PAGE_SIZE: i64 = 499;

/// Highest offset that controllers accept.
pub const MAX_OFFSET: i64 = 100_000;

/// A request for a page, as it is polled.
type PageRequest<T> = Pin<Box<dyn Future<Output = Result<ListEnvelope<T>, ClientError>> + Send>>;

/// The pages of a list, each fetched when it is asked for.
///
/// Unsorted lists are followed by the ids of their entities, or by their names, so that none is missed
/// or told twice while others are created and deleted. Sorted ones only have offsets, which controllers
/// accept up to [`MAX_OFFSET`].
pub struct Pages<T> {
    fetch: Box<dyn FnMut(ListQuery) -> PageRequest<T> + Send>,
    /// `None` if the list has an order that only offsets follow.
    key: Option<PageKey<T>>,
    query: ListQuery,
    cursor: Option<PageCursor>,
}

/// What is different for each entity and grows along the list.
struct PageKey<T> {
    /// Field in filters.
    field: &'static str,
    value: fn(&T) -> &str,
}

impl<T> Pages<T> {
    /// All pages of the list of which `fetch` fetches one, from the offset of `query`; its limit is
    /// ignored. `id` is what an entity is sorted by unless the query says otherwise.
    pub fn new<F>(
        mut fetch: impl FnMut(ListQuery) -> F + Send + 'static,
        id: fn(&T) -> &str,
        query: ListQuery,
    ) -> Self
    where
        F: Future<Output = Result<ListEnvelope<T>, ClientError>> + Send + 'static,
    {
        let cursor = PageCursor::at(query.offset.unwrap_or_default());
        let by_id = PageKey {
            field: "id",
            value: id,
        };
        Self {
            fetch: Box::new(move |query| Box::pin(fetch(query))),
            key: Some(by_id).filter(|_| !query.is_sorted()),
            query,
            cursor: Some(cursor),
        }
    }

    /// Sorts the list by name unless its query says otherwise. Names have to be different.
    #[must_use]
    pub fn by_name(mut self, name: fn(&T) -> &str) -> Self {
        if !self.query.is_sorted() {
            self.query.sort = Some("name".to_owned());
            self.key = Some(PageKey {
                field: "name",
                value: name,
            });
        }
        self
    }

    /// Fetches the next page; `None` after the last one, and after an error.
    ///
    /// A limit inside the filter is respected: there is only one page then. The pagination in the
    /// results is relative to the whole list, without a limit.
    ///
    /// # Errors
    ///
    /// [`ClientError::Paging`] if the list cannot be read to its end, and any other error of the
    /// request.
    pub async fn next(&mut self) -> Result<Option<ListEnvelope<T>>, ClientError> {
        let Some(cursor) = self.cursor.take() else {
            return Ok(None);
        };
        let mut page = (self.fetch)(cursor.query(&self.query)).await?;
        let last = self.key.as_ref().zip(page.data.last());
        let after = last.and_then(|(key, last)| ListQuery::greater(key.field, (key.value)(last)));
        let pagination = &mut page.meta.pagination;
        self.cursor = cursor.next(*pagination, page.data.len(), after)?;
        if pagination.limit == PAGE_SIZE {
            pagination.limit = i64::MAX;
        }
        cursor.count_from_start(pagination);
        Ok(Some(page))
    }

    /// The entities of all pages.
    pub fn into_stream(self) -> EntityStream<T> {
        EntityStream::new(self)
    }
}

impl<T> fmt::Debug for Pages<T> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("Pages")
            .field("query", &self.query)
            .field("cursor", &self.cursor)
            .finish_non_exhaustive()
    }
}
