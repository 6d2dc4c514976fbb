//! Named entity kinds with the usual commands.

use crate::commands::deletion::Deletable;
use crate::error::CliError;
use crate::listable::Listable;
use crate::resolve::{self, Named};
use crate::table::Table;
use portcullis_api::entity::Base;
use portcullis_api::envelope::ListEnvelope;
use portcullis_client::{Client, ClientError, Creatable, ListQuery, Patchable};
use portcullis_domain::clock::Timestamp;
use portcullis_domain::ids::EntityId as _;
use serde::Serialize;

/// A named entity kind.
pub(crate) trait Entity: Creatable + Patchable + Serialize + Send + Sync {
    /// Command for the kind, such as `service`.
    const COMMAND: &'static str;
    /// Command that lists the kind.
    const LIST_COMMAND: &'static str;
    const SINGULAR: &'static str;
    const PLURAL: &'static str;
    const COLUMNS: &'static [&'static str];

    fn base(&self) -> &Base<Self::Id>;

    fn display_name(&self) -> &str;

    /// Cells of its table row after the id and name.
    fn extra_cells(&self) -> Vec<String>;

    /// Adds its own properties, between id and dates.
    fn add_properties(&self, table: Table, now: Timestamp) -> Table;
}

/// Renders an entity as a table.
pub(crate) fn table<E: Entity>(entity: &E, now: Timestamp) -> Table {
    let base = entity.base();
    let table = Table::with_properties()
        .property("name", entity.display_name())
        .property("id", base.id.as_str());
    entity
        .add_properties(table, now)
        .property("created", base.created_at.to_string())
        .property("updated", base.updated_at.to_string())
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

    fn cells(&self, _now: Timestamp) -> Vec<String> {
        let first = [self.base().id.as_str(), self.display_name()].map(str::to_owned);
        first.into_iter().chain(self.extra_cells()).collect()
    }
}

impl<E: Entity> Named for E {
    const LIST_COMMAND: &'static str = E::LIST_COMMAND;

    fn name(&self) -> &str {
        self.display_name()
    }
}

impl<E: Entity> Deletable for E {
    async fn find(client: &Client, text: &str) -> Result<Self, CliError> {
        resolve::by_id_or_name(client, text).await
    }

    fn label(&self) -> String {
        self.display_name().to_owned()
    }

    async fn delete(client: &Client, id: &str) -> Result<(), ClientError> {
        let id = E::Id::from_wire(id.to_owned());
        client.delete_entity::<E>(&id).await
    }
}
