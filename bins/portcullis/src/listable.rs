//! Listable entity kinds.

use crate::column::Tabular;
use portcullis_api::envelope::ListEnvelope;
use portcullis_client::{Client, ClientError, ListQuery, Pages};
use serde::Serialize;

/// An entity kind that the controller lists. Nouns and columns are for tables.
pub(crate) trait Listable: Tabular + Serialize + Send + Sync + 'static {
    const SINGULAR: &'static str;
    const PLURAL: &'static str;
    /// How lists are sorted if users do not say it.
    const ORDER: ListOrder;

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

    /// The same in the order of lists if it can be followed exactly, and else by id. Where the filter
    /// has a limit, the order says which entities are meant.
    fn ordered_pages(client: &Client, query: ListQuery) -> Pages<Self> {
        match Self::ORDER {
            ListOrder::Name => Self::pages(client, query)
                .by_name(|entity| entity.optional_name().unwrap_or_default()),
            order if has_limit(&query) => Self::pages(client, order.sort(query)),
            ListOrder::Newest | ListOrder::Controller => Self::pages(client, query),
        }
    }

    fn id(&self) -> &str;

    fn optional_name(&self) -> Option<&str> {
        None
    }

    /// What commands take to mean it: the name or, if there is none that stands on a line, the id.
    fn reference(&self) -> &str {
        let name = self.optional_name().filter(|name| is_one_line(name));
        name.unwrap_or_else(|| self.id())
    }
}

/// Whether a text is shown as it is.
fn is_one_line(text: &str) -> bool {
    !text.contains(portcullis_domain::terminal::is_terminal_control)
}

/// Whether the filter of a query may have a limit; strings in it count too.
fn has_limit(query: &ListQuery) -> bool {
    let filter = query.filter.as_deref().unwrap_or_default();
    filter.to_ascii_lowercase().contains("limit")
}

/// How lists are sorted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ListOrder {
    /// By name, which is different for each entity.
    Name,
    /// The newest first.
    Newest,
    /// As the controller does it; it takes no other order.
    Controller,
}

impl ListOrder {
    /// Sorts a list unless its query says otherwise.
    pub(crate) fn sort(self, mut query: ListQuery) -> ListQuery {
        if !query.is_sorted() {
            query.sort = self.keys().map(str::to_owned);
        }
        query
    }

    /// What users would write after `--sort`.
    fn keys(self) -> Option<&'static str> {
        match self {
            Self::Name => Some("name"),
            Self::Newest => Some("createdAt desc"),
            Self::Controller => None,
        }
    }
}
