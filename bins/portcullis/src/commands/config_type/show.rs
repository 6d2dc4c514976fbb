//! Table view of configuration types.

use crate::column::Column;
use crate::commands::object_args;
use crate::entity::{EntityKind, Named};
use crate::table::Table;
use portcullis_api::config_type::ConfigTypeDetail;
use portcullis_api::entity::Base;
use portcullis_domain::clock::Timestamp;
use portcullis_domain::ids::ConfigTypeId;

impl Named for ConfigTypeDetail {
    fn name(&self) -> &str {
        &self.name
    }
}

impl EntityKind for ConfigTypeDetail {
    const COMMAND: &'static str = "config-type";
    const SINGULAR: &'static str = "configuration type";
    const PLURAL: &'static str = "configuration types";
    const COLUMNS: &'static [Column<Self>] = &[Column::new("target", "target", |kind, _| {
        kind.target.name().into()
    })];
    const FIELDS: &'static [&'static str] = &["name", "schema", "target"];

    fn base(&self) -> Option<&Base<ConfigTypeId>> {
        Some(&self.base)
    }

    fn add_properties(&self, table: Table, _now: Timestamp) -> Table {
        let table = table.property("target", self.target.name());
        match &self.schema {
            Some(schema) => table.footer(object_args::display(schema)),
            None => table.property("schema", "none; any object is valid"),
        }
    }
}
