//! Listable entity kinds.

use portcullis_api::envelope::ListEnvelope;
use portcullis_client::{Client, ClientError, ListQuery, Pages};
use portcullis_domain::clock::Timestamp;
use serde::Serialize;

/// An entity kind that the controller lists. Nouns, columns and cells are for tables.
pub(crate) trait Listable: Serialize + Send + Sync + Sized + 'static {
    const SINGULAR: &'static str;
    const PLURAL: &'static str;
    const COLUMNS: &'static [&'static str];

    fn fetch_page(
        client: &Client,
        query: &ListQuery,
    ) -> impl Future<Output = Result<ListEnvelope<Self>, ClientError>> + Send;

    /// All pages of a list, from the offset of `query` on.
    fn pages(client: &Client, query: ListQuery) -> Pages<Self> {
        let client = client.clone();
        let fetch = move |query| {
            let client = client.clone();
            async move { Self::fetch_page(&client, &query).await }
        };
        Pages::new(fetch, Self::id, query)
    }

    /// The id, which is also the default sort order.
    fn id(&self) -> &str;

    /// Cells of its table row, one per column.
    fn cells(&self, now: Timestamp) -> Vec<String>;
}
