//! What all kinds have in common that the controller lists.

use portcullis_api::envelope::ListEnvelope;
use portcullis_client::{Client, ClientError, ListQuery};
use portcullis_domain::clock::Timestamp;
use serde::Serialize;

/// A kind of things that the controller lists. The nouns, the columns and the cells are for people.
pub(crate) trait Listed: Serialize + Send + Sync + Sized {
    /// One of them.
    const SINGULAR: &'static str;
    /// Any other number of them.
    const PLURAL: &'static str;
    /// What the cells are.
    const COLUMNS: &'static [&'static str];

    /// Fetches a page.
    fn fetch(
        client: &Client,
        query: &ListQuery,
    ) -> impl Future<Output = Result<ListEnvelope<Self>, ClientError>> + Send;

    /// By what the controller knows it, and orders lists unless told otherwise.
    fn id(&self) -> &str;

    /// Its row in a table, one cell for each column.
    fn cells(&self, now: Timestamp) -> Vec<String>;
}
