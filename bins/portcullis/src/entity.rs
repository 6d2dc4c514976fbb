//! Kinds that are found, listed and deleted by their names in the usual way.

use crate::commands::deletion::Deletable;
use crate::error::CliError;
use crate::listed::Listed;
use crate::resolve::{self, Named};
use crate::table::Table;
use portcullis_api::entity::Base;
use portcullis_api::envelope::ListEnvelope;
use portcullis_client::{Client, ClientError, ListQuery, Resource};
use portcullis_domain::clock::Timestamp;
use portcullis_domain::ids::EntityId as _;
use serde::Serialize;

/// A kind with names that administrators look after.
pub(crate) trait Entity: Resource + Serialize + Send + Sync {
    /// The command for it.
    const COMMAND: &'static str;
    /// The command that lists it.
    const LIST: &'static str;
    /// One of them.
    const SINGULAR: &'static str;
    /// Any other number of them.
    const PLURAL: &'static str;
    /// What the cells are.
    const COLUMNS: &'static [&'static str];

    /// The members that every entity has.
    fn base(&self) -> &Base<Self::Id>;

    /// Its name.
    fn called(&self) -> &str;

    /// Its row in a table, but for the id and the name, which come first.
    fn further_cells(&self) -> Vec<String>;

    /// Writes what is its own, between the name and the id at the top and the dates.
    fn properties(&self, table: Table, now: Timestamp) -> Table;
}

/// Writes an entity for people.
pub(crate) fn table<E: Entity>(entity: &E, now: Timestamp) -> Table {
    let base = entity.base();
    let table = Table::of_properties()
        .property("name", entity.called())
        .property("id", base.id.as_str());
    entity
        .properties(table, now)
        .property("created", base.created_at.to_string())
        .property("changed", base.updated_at.to_string())
}

impl<E: Entity> Listed for E {
    const SINGULAR: &'static str = E::SINGULAR;
    const PLURAL: &'static str = E::PLURAL;
    const COLUMNS: &'static [&'static str] = E::COLUMNS;

    async fn fetch(client: &Client, query: &ListQuery) -> Result<ListEnvelope<Self>, ClientError> {
        client.entities(query).await
    }

    fn id(&self) -> &str {
        self.base().id.as_str()
    }

    fn cells(&self, _now: Timestamp) -> Vec<String> {
        let first = [self.base().id.as_str(), self.called()].map(str::to_owned);
        first.into_iter().chain(self.further_cells()).collect()
    }
}

impl<E: Entity> Named for E {
    const LIST: &'static str = E::LIST;

    fn name(&self) -> &str {
        self.called()
    }
}

impl<E: Entity> Deletable for E {
    async fn find(client: &Client, text: &str) -> Result<Self, CliError> {
        resolve::one(client, text).await
    }

    fn label(&self) -> String {
        self.called().to_owned()
    }

    async fn delete(client: &Client, id: &str) -> Result<(), ClientError> {
        let id = E::Id::from_wire(id.to_owned());
        client.delete_entity::<E>(&id).await
    }
}
