//! Table view of configurations.

use crate::column::Column;
use crate::commands::object_args;
use crate::entity::{EntityKind, Named};
use crate::table::Table;
use portcullis_api::config::ConfigDetail;
use portcullis_api::entity::Base;
use portcullis_domain::clock::Timestamp;
use portcullis_domain::ids::ConfigId;

impl Named for ConfigDetail {
    fn name(&self) -> &str {
        &self.name
    }
}

impl EntityKind for ConfigDetail {
    const COMMAND: &'static str = "config";
    const SINGULAR: &'static str = "configuration";
    const PLURAL: &'static str = "configurations";
    const COLUMNS: &'static [Column<Self>] = &[Column::new("configType", "type", |config, _| {
        config.config_type.name.as_str().into()
    })];
    const FIELDS: &'static [&'static str] = &["name", "type"];

    fn base(&self) -> Option<&Base<ConfigId>> {
        Some(&self.base)
    }

    fn add_properties(&self, table: Table, _now: Timestamp) -> Table {
        table
            .property("type", &self.config_type.name)
            .footer(object_args::display(&self.data))
    }
}
