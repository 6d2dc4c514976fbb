//! Table view of configurations.

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
    const COLUMNS: &'static [&'static str] = &["id", "name", "type"];

    fn base(&self) -> &Base<ConfigId> {
        &self.base
    }

    fn extra_cells(&self, _now: Timestamp) -> Vec<String> {
        vec![self.config_type.name.clone()]
    }

    fn add_properties(&self, table: Table, _now: Timestamp) -> Table {
        table
            .property("type", &self.config_type.name)
            .footer(object_args::display(&self.data))
    }
}
