//! Paging through lists that only accept a filter.

use crate::error::CliError;
use crate::listable::Listable;
use portcullis_api::envelope::ListEnvelope;
use portcullis_client::{ClientError, ListQuery, quote};

/// Items per page, the maximum of controllers.
const PAGE_SIZE: usize = 500;

/// Fetches a list that only accepts a filter. Stops at the page that exceeds `limit`.
pub(super) async fn fetch_all<L: Listable>(
    limit: usize,
    fetch: impl AsyncFn(&ListQuery) -> Result<ListEnvelope<L>, ClientError>,
) -> Result<Vec<L>, CliError> {
    let mut members: Vec<L> = Vec::new();
    loop {
        let condition = match members.last() {
            Some(last) => format!("id > {}", quote(last.id())),
            None => "true".to_owned(),
        };
        let query = ListQuery::with_filter(format!("{condition} limit {PAGE_SIZE}"));
        let page = fetch(&query).await?.data;
        let is_last = page.len() < PAGE_SIZE;
        members.extend(page);
        if is_last || members.len() > limit {
            return Ok(members);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::column::{Column, Tabular};
    use crate::listable::ListOrder;
    use portcullis_api::envelope::{ListMeta, Pagination};
    use portcullis_client::Client;
    use serde::Serialize;
    use std::cell::RefCell;

    #[derive(Serialize)]
    struct Cat(String);

    impl Tabular for Cat {
        fn columns() -> Vec<Column<Self>> {
            Vec::new()
        }
    }

    impl Listable for Cat {
        const SINGULAR: &'static str = "cat";
        const PLURAL: &'static str = "cats";
        const ORDER: ListOrder = ListOrder::Controller;

        async fn fetch_page(_: &Client, _: &ListQuery) -> Result<ListEnvelope<Self>, ClientError> {
            Err(ClientError::InvalidRequest(String::new()))
        }

        fn id(&self) -> &str {
            &self.0
        }
    }

    /// Fetches up to `most` of `cats` items; returns their number and the filters of the requests.
    fn gathered(cats: usize, most: usize) -> (usize, Vec<String>) {
        let filters = RefCell::new(Vec::new());
        let fetch = async |query: &ListQuery| {
            let begin = filters.borrow().len() * PAGE_SIZE;
            filters.borrow_mut().extend(query.filter.clone());
            let data = (begin..cats.min(begin + PAGE_SIZE)).map(|number| Cat(format!("c{number}")));
            Ok(ListEnvelope {
                data: data.collect(),
                meta: ListMeta {
                    filterable_fields: Vec::new(),
                    pagination: Pagination {
                        limit: 0,
                        offset: 0,
                        total_count: 0,
                    },
                },
            })
        };
        let runtime = tokio::runtime::Builder::new_current_thread().build();
        let cats = runtime.unwrap().block_on(fetch_all(most, fetch)).unwrap();
        (cats.len(), filters.into_inner())
    }

    #[test]
    fn list_is_followed_by_its_ids() {
        let (number, filters) = gathered(501, 5000);
        assert_eq!(number, 501);
        assert_eq!(filters, ["true limit 500", r#"id > "c499" limit 500"#]);
        assert_eq!(gathered(0, 5000).0, 0);
    }

    #[test]
    fn no_more_is_asked_for_than_is_wanted() {
        let (number, filters) = gathered(5000, 10);
        assert_eq!((number, filters.len()), (500, 1));
    }
}
