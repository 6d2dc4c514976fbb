//! `portcullis fabric terminator`.

use crate::column::Column;
use crate::commands::entity_command::{Deletable, Noun, Positional, VerbHelp};
use crate::entity::{Entity, EntityKind};
use crate::table::Table;
use portcullis_api::entity::Base;
use portcullis_api::fabric::terminator::TerminatorDetail;
use portcullis_domain::clock::Timestamp;
use portcullis_domain::ids::TerminatorId;

/// Help footer of `fabric terminator`.
pub(super) const EXAMPLES: &str = "\
Terminators as the network uses them: of those of a service, a circuit ends at the one with the
best precedence and the least cost. The dynamic cost grows with open circuits and failed dials.
Create and change terminators with `portcullis terminator`.

Examples:
  portcullis fabric terminator list --watch
  portcullis fabric terminator show 3Tn4aRb2kx";

impl Entity for TerminatorDetail {
    fn label(&self) -> String {
        format!("of {} at {}", self.service.name, self.router.name)
    }
}

impl EntityKind for TerminatorDetail {
    const COMMAND: &'static str = "fabric terminator";
    const SINGULAR: &'static str = "terminator";
    const PLURAL: &'static str = "terminators";
    const COLUMNS: &'static [Column<Self>] = &[
        Column::new("service", "service", |one, _| {
            one.service.name.as_str().into()
        }),
        Column::new("router", "router", |one, _| one.router.name.as_str().into()),
        Column::new("address", "address", |one, _| one.address.as_str().into()),
        Column::new("precedence", "precedence", |one, _| {
            one.precedence.name().into()
        }),
        Column::new("cost", "cost", |one, _| one.cost.to_string().into()),
        Column::new("dynamicCost", "dynamic", |one: &Self, _| {
            one.dynamic_cost.to_string().into()
        }),
        Column::new("binding", "binding", |one: &Self, _| {
            one.binding.as_str().into()
        })
        .wide(),
        Column::new("instanceId", "instance", |one: &Self, _| {
            one.instance_id.as_str().into()
        })
        .wide(),
        Column::new("hostId", "host", |one: &Self, _| {
            one.host_id.as_str().into()
        })
        .wide(),
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
            .property("instance", &self.instance_id)
            .property("host", &self.host_id)
            .property("precedence", self.precedence.name())
            .property("cost", self.cost.to_string())
            .property("dynamic cost", self.dynamic_cost.to_string())
    }
}

impl Noun for TerminatorDetail {
    const LIST: VerbHelp = VerbHelp {
        about: "List terminators with their costs",
        examples: "\
Examples:
  portcullis fabric terminator list
  portcullis fabric terminator list --filter 'service.name = \"wiki\"' --watch",
    };
    const SHOW: VerbHelp = VerbHelp {
        about: "Show a terminator",
        examples: "\
Examples:
  portcullis fabric terminator show 3Tn4aRb2kx
  portcullis fabric terminator show 3Tn4aRb2kx --output json | jq .dynamicCost",
    };
    const REFERENCE: Positional = Positional {
        id: "id",
        value_name: "ID",
        help: "Id of the terminator, as shown by `list`",
    };
}

impl Deletable for TerminatorDetail {
    const DELETE: VerbHelp = VerbHelp {
        about: "Delete terminators",
        examples: "\
Deleting several, or with --filter, asks for confirmation unless --yes is given.

Examples:
  portcullis fabric terminator delete 3Tn4aRb2kx
  portcullis fabric terminator delete --filter 'router.name = \"r1\"' --dry-run",
    };
    const TARGETS: Positional = Positional {
        id: "ids",
        value_name: "ID",
        help: "Ids, as shown by `list`",
    };
}
