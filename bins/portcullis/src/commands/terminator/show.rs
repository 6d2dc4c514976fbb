//! Table view of terminators.

use crate::column::Column;
use crate::commands::terminator::parts::{self, TerminatorColumns, TerminatorParts};
use crate::entity::{Entity, EntityKind};
use crate::table::Table;
use portcullis_api::entity::Base;
use portcullis_api::terminator::TerminatorDetail;
use portcullis_domain::clock::Timestamp;
use portcullis_domain::identity::Precedence;
use portcullis_domain::ids::TerminatorId;

impl TerminatorParts for TerminatorDetail {
    fn service(&self) -> &str {
        &self.service.name
    }

    fn router(&self) -> &str {
        &self.router.name
    }

    fn binding(&self) -> &str {
        &self.binding
    }

    fn address(&self) -> &str {
        &self.address
    }

    fn instance(&self) -> &str {
        &self.identity
    }

    fn precedence(&self) -> Precedence {
        self.precedence
    }

    fn cost(&self) -> u16 {
        self.cost
    }

    fn dynamic_cost(&self) -> u16 {
        self.dynamic_cost
    }
}

impl Entity for TerminatorDetail {
    fn label(&self) -> String {
        parts::label(self)
    }
}

impl EntityKind for TerminatorDetail {
    const COMMAND: &'static str = "terminator";
    const SINGULAR: &'static str = "terminator";
    const PLURAL: &'static str = "terminators";
    const COLUMNS: &'static [Column<Self>] = &[
        TerminatorColumns::SERVICE,
        TerminatorColumns::ROUTER,
        TerminatorColumns::BINDING,
        TerminatorColumns::ADDRESS,
        Column::new("identity", "instance", |one: &Self, _| {
            one.identity.as_str().into()
        })
        .wide(),
        TerminatorColumns::COST,
        TerminatorColumns::PRECEDENCE,
    ];
    const FIELDS: &'static [&'static str] = parts::FIELDS;
    const SEARCHED: &'static [&'static str] = parts::SEARCHED;

    fn base(&self) -> Option<&Base<TerminatorId>> {
        Some(&self.base)
    }

    fn add_properties(&self, table: Table, _now: Timestamp) -> Table {
        parts::add_costs(parts::add_place(table, self), self)
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
