//! Entity kinds with commands of their own.

use crate::column::{Column, Tabular};
use crate::error::CliError;
use crate::listable::{ListOrder, Listable};
use crate::moment;
use crate::names::Names;
use crate::resolve;
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
    /// What is deleted with entities of the kind, as a sentence after a space.
    const GOES_WITH: &'static str = "";
    /// Columns of its tables besides name, id and dates.
    const COLUMNS: &'static [Column<Self>];

    /// Fields of filters and orders besides [`COMMON_FIELDS`](Self::COMMON_FIELDS).
    const FIELDS: &'static [&'static str];
    /// Those of the fields that most kinds have.
    const COMMON_FIELDS: &'static [&'static str] =
        &["id", "createdAt", "updatedAt", "tags", "isSystem"];
    /// How its lists are sorted if it has no names.
    const UNNAMED_ORDER: ListOrder = ListOrder::Newest;
    /// Fields in which `list` looks for a text.
    const SEARCHED: &'static [&'static str] = &["name"];
    /// Whether it belongs to an identity, by whose name `list` finds it.
    const HAS_IDENTITY: bool = false;

    /// What all records have; `None` for what is in no record.
    fn base(&self) -> Option<&Base<Self::Id>>;

    /// Adds its own properties, between id and dates.
    fn add_properties(&self, table: Table, _now: Timestamp) -> Table {
        table
    }

    /// Fetches the names that its table shows in place of ids.
    fn fetch_names(&self, _client: &Client) -> impl Future<Output = Names> + Send {
        async { Names::default() }
    }

    /// Adds the properties in which names stand, after its own.
    fn add_references(&self, table: Table, _names: &Names) -> Table {
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
        async move {
            client
                .entity(&id)
                .await
                .map_err(resolve::unknown_id::<Self>)
        }
    }

    /// Its table when it is shown alone.
    fn table(&self, now: Timestamp, names: &Names) -> Table {
        let table = Table::with_properties()
            .property("name", self.optional_name().unwrap_or_default())
            .property("id", self.entity_id().as_str());
        let table = self.add_properties(table, now);
        let mut table = self.add_references(table, names);
        if let Some(base) = self.base() {
            table = table
                .property("tags", display_tags(&base.tags))
                .property("created", moment::full(base.created_at, now))
                .property("updated", moment::full(base.updated_at, now));
        }
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

impl<E: Entity> Tabular for E {
    /// Names come first and ids last; ids that stand for names come first.
    fn columns() -> Vec<Column<Self>> {
        let id = Column::id("id", "id", |entity: &E, _| {
            entity.entity_id().as_str().into()
        });
        let name = Column::new("name", "name", |entity: &E, _| {
            entity.optional_name().into()
        });
        let (first, last) = if E::IS_NAMED {
            (name, Some(id))
        } else {
            (id, None)
        };
        let common = [
            Column::new("createdAt", "created", |entity: &E, _| {
                entity.base().map(|base| base.created_at).into()
            })
            .wide(),
            Column::new("updatedAt", "updated", |entity: &E, _| {
                entity.base().map(|base| base.updated_at).into()
            })
            .chosen(),
            Column::new("tags", "tags", |entity: &E, _| {
                entity.base().map(|base| display_tags(&base.tags)).into()
            })
            .chosen(),
        ];
        let is_own = |column: &Column<E>| E::COLUMNS.iter().any(|own| own.name == column.name);
        let has = |column: &Column<E>| E::COMMON_FIELDS.contains(&column.name);
        let common = common.into_iter();
        let common = common.filter(|column| has(column) && !is_own(column));
        let own = E::COLUMNS.iter().copied();
        let columns = std::iter::once(first).chain(own).chain(common);
        columns.chain(last).collect()
    }
}

impl<E: Entity> Listable for E {
    const SINGULAR: &'static str = E::SINGULAR;
    const PLURAL: &'static str = E::PLURAL;
    const ORDER: ListOrder = if E::IS_NAMED {
        ListOrder::Name
    } else {
        E::UNNAMED_ORDER
    };

    async fn fetch_page(
        client: &Client,
        query: &ListQuery,
    ) -> Result<ListEnvelope<Self>, ClientError> {
        client.entities(query).await
    }

    fn id(&self) -> &str {
        self.entity_id().as_str()
    }

    fn optional_name(&self) -> Option<&str> {
        Entity::optional_name(self)
    }
}
