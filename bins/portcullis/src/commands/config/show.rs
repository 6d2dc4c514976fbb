//! How people see configurations.

use crate::commands::data;
use crate::entity::Entity;
use crate::table::Table;
use portcullis_api::config::ConfigDetail;
use portcullis_api::entity::Base;
use portcullis_domain::clock::Timestamp;
use portcullis_domain::ids::ConfigId;

impl Entity for ConfigDetail {
    const COMMAND: &'static str = "config";
    const LIST: &'static str = "portcullis config list";
    const SINGULAR: &'static str = "configuration";
    const PLURAL: &'static str = "configurations";
    const COLUMNS: &'static [&'static str] = &["id", "name", "type"];

    fn base(&self) -> &Base<ConfigId> {
        &self.base
    }

    fn called(&self) -> &str {
        &self.name
    }

    fn further_cells(&self) -> Vec<String> {
        vec![self.config_type.name.clone()]
    }

    fn properties(&self, table: Table, _now: Timestamp) -> Table {
        table
            .property("type", &self.config_type.name)
            .footer(data::shown(&self.data))
    }
}
