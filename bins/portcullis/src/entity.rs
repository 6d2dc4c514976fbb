//! Entity kinds with commands of their own.

use crate::error::CliError;
use crate::listable::Listable;
use crate::table::Table;
use portcullis_api::entity::Base;
use portcullis_api::envelope::ListEnvelope;
use portcullis_client::{Client, ClientError, ListQuery, Resource};
use portcullis_domain::clock::Timestamp;
use portcullis_domain::ids::EntityId as _;
use portcullis_domain::tags::{TagValue, Tags};
use serde::Serialize;

/// What tables and messages say about the entities of a kind.
pub(crate) trait EntityKind: Resource + Serialize + Send + Sync + 'static {
    /// Command for the kind, such as `service`.
    const COMMAND: &'static str;
    const SINGULAR: &'static str;
    const PLURAL: &'static str;
    /// Noun where only this kind can be meant.
    const SHORT_NOUN: &'static str = Self::SINGULAR;
    const COLUMNS: &'static [&'static str];

    fn base(&self) -> &Base<Self::Id>;

    /// Cells of its table row after the id and name.
    fn extra_cells(&self, now: Timestamp) -> Vec<String>;

    /// Adds its own properties, between id and dates.
    fn add_properties(&self, table: Table, _now: Timestamp) -> Table {
        table
    }

    /// Adds what follows the dates.
    fn add_final_properties(&self, table: Table, _now: Timestamp) -> Table {
        table
    }
}

/// A kind with names, which users prefer to ids.
pub(crate) trait Named: EntityKind {
    fn name(&self) -> &str;
}

/// An entity that users refer to by id, or also by name if its kind has names.
pub(crate) trait Entity: EntityKind {
    /// Whether the kind has names.
    const IS_NAMED: bool = false;

    fn optional_name(&self) -> Option<&str> {
        None
    }

    /// Label beside the id.
    fn label(&self) -> String;

    /// Finds the entity that a user refers to by `text`.
    fn find(client: &Client, text: &str) -> impl Future<Output = Result<Self, CliError>> + Send {
        let id = Self::Id::from_wire(text.to_owned());
        async move { Ok(client.entity(&id).await?) }
    }

    /// Its table when it is shown alone.
    fn table(&self, now: Timestamp) -> Table {
        let base = self.base();
        let table = Table::with_properties()
            .property("name", self.optional_name().unwrap_or_default())
            .property("id", base.id.as_str());
        let table = self
            .add_properties(table, now)
            .property("tags", display_tags(&base.tags))
            .property("created", base.created_at.to_string())
            .property("updated", base.updated_at.to_string());
        self.add_final_properties(table, now)
    }
}

fn display_tags(tags: &Tags) -> String {
    let tags = tags.iter().map(|(key, value)| match value {
        TagValue::Null => format!("{key}=null"),
        TagValue::Bool(value) => format!("{key}={value}"),
        TagValue::Number(value) => format!("{key}={value}"),
        TagValue::Text(value) => format!("{key}={value}"),
    });
    tags.collect::<Vec<_>>().join(", ")
}

impl<E: Entity> Listable for E {
    const SINGULAR: &'static str = E::SINGULAR;
    const PLURAL: &'static str = E::PLURAL;
    const COLUMNS: &'static [&'static str] = E::COLUMNS;

    async fn fetch_page(
        client: &Client,
        query: &ListQuery,
    ) -> Result<ListEnvelope<Self>, ClientError> {
        client.entities(query).await
    }

    fn id(&self) -> &str {
        self.base().id.as_str()
    }

    fn cells(&self, now: Timestamp) -> Vec<String> {
        let id = [self.base().id.as_str()].into_iter();
        let first = id.chain(self.optional_name()).map(str::to_owned);
        first.chain(self.extra_cells(now)).collect()
    }
}
