//! Table view of services.

use crate::column::Column;
use crate::commands::{attributes, configs};
use crate::entity::{EntityKind, Named};
use crate::names::Names;
use crate::table::Table;
use crate::text::yes_or_no;
use jiff::SignedDuration;
use portcullis_api::entity::Base;
use portcullis_api::service::ServiceDetail;
use portcullis_client::Client;
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
    const COLUMNS: &'static [Column<Self>] = &[
        Column::new("encryptionRequired", "encrypted", |service, _| {
            service.encryption_required.into()
        }),
        Column::new("terminatorStrategy", "strategy", |service, _| {
            service.terminator_strategy.as_str().into()
        }),
        Column::new("roleAttributes", "attributes", |service, _| {
            attributes::display(service.role_attributes.as_ref()).into()
        }),
    ];
    const FIELDS: &'static [&'static str] = &[
        "name",
        "terminatorStrategy",
        "roleAttributes",
        "isFabricOnly",
        "configs",
    ];

    fn base(&self) -> Option<&Base<ServiceId>> {
        Some(&self.base)
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
    }

    async fn fetch_names(&self, client: &Client) -> Names {
        configs::fetch_names(client, self.configs.as_ref()).await
    }

    fn add_references(&self, table: Table, names: &Names) -> Table {
        let configs = configs::display(self.configs.as_ref(), names);
        table.property("configurations", configs)
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
    use crate::render::Render as _;
    use crate::table_layout;
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
        let shown = service
            .table(Timestamp::UNIX_EPOCH, &Names::default())
            .render(None);
        for words in ["wiki\n", "after 1m 30s\n", "a, b\n", "c1, c2\n"] {
            assert!(shown.contains(words), "{shown}");
        }
        assert_eq!(display_idle_time(0), "never");
        assert_eq!(
            table_layout::row(&service, Timestamp::UNIX_EPOCH),
            ["wiki", "yes", "smartrouting", "a, b", "s1"]
        );
    }
}
