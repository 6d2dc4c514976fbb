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
    /// What users would write after `--sort`.
    pub(crate) fn sort(self) -> Option<&'static str> {
        match self {
            Self::Name => Some("name"),
            Self::Newest => Some("createdAt desc"),
            Self::Controller => None,
        }
    }
}
