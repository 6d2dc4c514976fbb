//! How people see types of configurations.

use crate::commands::data;
use crate::entity::Entity;
use crate::table::Table;
use portcullis_api::config_type::ConfigTypeDetail;
use portcullis_api::entity::Base;
use portcullis_domain::clock::Timestamp;
use portcullis_domain::ids::ConfigTypeId;

impl Entity for ConfigTypeDetail {
    const COMMAND: &'static str = "config-type";
    const LIST: &'static str = "portcullis config-type list";
    const SINGULAR: &'static str = "configuration type";
    const PLURAL: &'static str = "configuration types";
    const COLUMNS: &'static [&'static str] = &["id", "name", "target"];

    fn base(&self) -> &Base<ConfigTypeId> {
        &self.base
    }

    fn called(&self) -> &str {
        &self.name
    }

    fn further_cells(&self) -> Vec<String> {
        vec![self.target.name().to_owned()]
    }

    fn properties(&self, table: Table, _now: Timestamp) -> Table {
        let table = table.property("target", self.target.name());
        match &self.schema {
            Some(schema) => table.footer(data::shown(schema)),
            None => table.property("schema", "none: any object is valid"),
        }
    }
}
