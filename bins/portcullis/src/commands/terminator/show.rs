//! Table view of terminators.

use crate::column::Column;
use crate::entity::{Entity, EntityKind};
use crate::table::Table;
use portcullis_api::entity::Base;
use portcullis_api::terminator::TerminatorDetail;
use portcullis_domain::clock::Timestamp;
use portcullis_domain::ids::TerminatorId;

impl Entity for TerminatorDetail {
    fn label(&self) -> String {
        format!("of {} at {}", self.service.name, self.router.name)
    }
}

impl EntityKind for TerminatorDetail {
    const COMMAND: &'static str = "terminator";
    const SINGULAR: &'static str = "terminator";
    const PLURAL: &'static str = "terminators";
    const COLUMNS: &'static [Column<Self>] = &[
        Column::new("service", "service", |one, _| {
            one.service.name.as_str().into()
        }),
        Column::new("router", "router", |one, _| one.router.name.as_str().into()),
        Column::new("binding", "binding", |one, _| one.binding.as_str().into()),
        Column::new("address", "address", |one, _| one.address.as_str().into()),
        Column::new("identity", "instance", |one: &Self, _| {
            one.identity.as_str().into()
        })
        .wide(),
        Column::new("cost", "cost", |one, _| one.cost.to_string().into()),
        Column::new("precedence", "precedence", |one, _| {
            one.precedence.name().into()
        }),
    ];
    const FIELDS: &'static [&'static str] = &[
        "binding",
        "address",
        "instanceId",
        "hostId",
        "sourceCtrl",
        "service",
        "router",
        "service.name",
        "router.name",
    ];
    const SEARCHED: &'static [&'static str] = &["service.name", "router.name", "address"];

    fn base(&self) -> Option<&Base<TerminatorId>> {
        Some(&self.base)
    }

    fn add_properties(&self, table: Table, _now: Timestamp) -> Table {
        table
            .property("service", &self.service.name)
            .property("router", &self.router.name)
            .property("binding", &self.binding)
            .property("address", &self.address)
            .property("instance", &self.identity)
            .property("cost", self.cost.to_string())
            .property("dynamic cost", self.dynamic_cost.to_string())
            .property("precedence", self.precedence.name())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::names::Names;
    use crate::render::Render as _;
    use crate::table_layout;
    use serde_json::json;

    #[test]
    fn terminator_is_told_by_names() {
        let reference = |name: &str| json!({"_links": {}, "entity": "x", "id": "i", "name": name});
        let terminator = json!({
            "_links": {}, "createdAt": "2031-04-05T06:07:08.009Z",
            "updatedAt": "2031-04-05T06:07:08.009Z", "id": "t1", "address": "tcp:a:1",
            "binding": "edge_transport", "cost": 5, "dynamicCost": 0, "identity": "",
            "precedence": "failed", "router": reference("r1"), "routerId": "i",
            "service": reference("wiki"), "serviceId": "i",
        });
        let terminator: TerminatorDetail = serde_json::from_value(terminator).unwrap();
        let shown = terminator
            .table(Timestamp::UNIX_EPOCH, &Names::default())
            .render(None);
        for words in ["wiki\n", "r1\n", "tcp:a:1\n", "failed\n"] {
            assert!(shown.contains(words), "{shown}");
        }
        assert!(!shown.contains("instance"), "{shown}");
        let cells = table_layout::row(&terminator, Timestamp::UNIX_EPOCH);
        assert_eq!(cells[..3], ["t1", "wiki", "r1"]);
    }
}
