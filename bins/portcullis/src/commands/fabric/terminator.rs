//! `portcullis fabric terminator`.

use crate::column::Column;
use crate::commands::entity_command::{Deletable, Noun, Positional, VerbHelp};
use crate::commands::terminator::parts::{self, TerminatorColumns, TerminatorParts};
use crate::entity::{Entity, EntityKind};
use crate::names::Names;
use crate::table::Table;
use portcullis_api::entity::Base;
use portcullis_api::fabric::terminator::TerminatorDetail;
use portcullis_api::identity::IdentityDetail;
use portcullis_client::Client;
use portcullis_domain::clock::Timestamp;
use portcullis_domain::identity::Precedence;
use portcullis_domain::ids::TerminatorId;

/// Help footer of `fabric terminator`.
pub(super) const EXAMPLES: &str = "\
Terminators as the network uses them: of those of a service, a circuit ends at the one with the
best precedence and the least cost. The dynamic cost grows with open circuits and failed dials.
Create and change terminators with `portcullis terminator`.

Examples:
  portcullis fabric terminator list --watch
  portcullis fabric terminator show 3Tn4aRb2kx";

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
        &self.instance_id
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
    const COMMAND: &'static str = "fabric terminator";
    const SINGULAR: &'static str = "terminator";
    const PLURAL: &'static str = "terminators";
    const COLUMNS: &'static [Column<Self>] = &[
        TerminatorColumns::SERVICE,
        TerminatorColumns::ROUTER,
        TerminatorColumns::ADDRESS,
        TerminatorColumns::PRECEDENCE,
        TerminatorColumns::COST,
        Column::new("dynamicCost", "dynamic", |one: &Self, _| {
            one.dynamic_cost.to_string().into()
        }),
        TerminatorColumns::BINDING.wide(),
        Column::new("instanceId", "instance", |one: &Self, _| {
            one.instance_id.as_str().into()
        })
        .wide(),
        Column::new("hostId", "host", |one: &Self, _| {
            one.host_id.as_str().into()
        })
        .wide(),
    ];
    const FIELDS: &'static [&'static str] = parts::FIELDS;
    const SEARCHED: &'static [&'static str] = parts::SEARCHED;

    fn base(&self) -> Option<&Base<TerminatorId>> {
        Some(&self.base)
    }

    fn add_properties(&self, table: Table, _now: Timestamp) -> Table {
        parts::add_costs(parts::add_place(table, self), self)
    }

    async fn fetch_names(&self, client: &Client) -> Names {
        let host = Some(self.host_id.as_str()).filter(|host| !host.is_empty());
        Names::fetch::<IdentityDetail>(client, host.as_slice()).await
    }

    fn add_references(&self, table: Table, names: &Names) -> Table {
        table.property("host", names.with_id(&self.host_id))
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
    const REFERENCE: Positional = parts::REFERENCE;
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
    const TARGETS: Positional = parts::TARGETS;
}
