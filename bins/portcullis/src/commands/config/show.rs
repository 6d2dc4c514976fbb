//! Table view of configurations.

use crate::commands::object_args;
use crate::entity::Entity;
use crate::table::Table;
use portcullis_api::config::ConfigDetail;
use portcullis_api::entity::Base;
use portcullis_domain::clock::Timestamp;
use portcullis_domain::ids::ConfigId;

impl Entity for ConfigDetail {
    const COMMAND: &'static str = "config";
    const LIST_COMMAND: &'static str = "portcullis config list";
    const SINGULAR: &'static str = "configuration";
    const PLURAL: &'static str = "configurations";
    const COLUMNS: &'static [&'static str] = &["id", "name", "type"];

    fn base(&self) -> &Base<ConfigId> {
        &self.base
    }

    fn display_name(&self) -> &str {
        &self.name
    }

    fn extra_cells(&self) -> Vec<String> {
        vec![self.config_type.name.clone()]
    }

    fn add_properties(&self, table: Table, _now: Timestamp) -> Table {
        table
            .property("type", &self.config_type.name)
            .footer(object_args::display(&self.data))
    }
}
