//! Table view of services.

use crate::commands::{attributes, configs};
use crate::entity::{EntityKind, Named};
use crate::table::Table;
use crate::text::{yes_or_empty, yes_or_no};
use jiff::SignedDuration;
use portcullis_api::entity::Base;
use portcullis_api::service::ServiceDetail;
use portcullis_domain::clock::Timestamp;
use portcullis_domain::ids::ServiceId;

impl Named for ServiceDetail {
    fn name(&self) -> &str {
        &self.name
    }
}

impl EntityKind for ServiceDetail {
    const COMMAND: &'static str = "service";
    const SINGULAR: &'static str = "service";
    const PLURAL: &'static str = "services";
    const COLUMNS: &'static [&'static str] = &["id", "name", "encrypted", "strategy", "attributes"];

    fn base(&self) -> &Base<ServiceId> {
        &self.base
    }

    fn extra_cells(&self, _now: Timestamp) -> Vec<String> {
        vec![
            yes_or_empty(self.encryption_required).to_owned(),
            self.terminator_strategy.clone(),
            attributes::display(self.role_attributes.as_ref()),
        ]
    }

    fn add_properties(&self, table: Table, _now: Timestamp) -> Table {
        table
            .property("encryption required", yes_or_no(self.encryption_required))
            .property("terminator strategy", &self.terminator_strategy)
            .property(
                "close idle circuits",
                display_idle_time(self.max_idle_time_millis),
            )
            .property(
                "role attributes",
                attributes::display(self.role_attributes.as_ref()),
            )
            .property("configurations", configs::display(self.configs.as_ref()))
    }
}

/// Describes when idle circuits are closed.
fn display_idle_time(milliseconds: i64) -> String {
    if milliseconds == 0 {
        return "never".to_owned();
    }
    format!("after {:#}", SignedDuration::from_millis(milliseconds))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::entity::Entity as _;
    use serde_json::json;

    #[test]
    fn service_is_told_in_words() {
        let service = json!({
            "_links": {}, "createdAt": "2031-04-05T06:07:08.009Z",
            "updatedAt": "2031-04-05T06:07:08.009Z", "id": "s1", "name": "wiki",
            "config": null, "configs": ["c1", "c2"], "encryptionRequired": true,
            "maxIdleTimeMillis": 90000, "permissions": ["Dial"], "postureQueries": [],
            "roleAttributes": ["b", "a"], "terminatorStrategy": "smartrouting",
        });
        let service: ServiceDetail = serde_json::from_value(service).unwrap();
        let shown = service.table(Timestamp::UNIX_EPOCH).render();
        for words in ["wiki\n", "after 1m 30s\n", "a, b\n", "c1, c2\n"] {
            assert!(shown.contains(words), "{shown}");
        }
        assert_eq!(display_idle_time(0), "never");
        assert_eq!(
            service.extra_cells(Timestamp::UNIX_EPOCH),
            ["yes", "smartrouting", "a, b"]
        );
    }
}
