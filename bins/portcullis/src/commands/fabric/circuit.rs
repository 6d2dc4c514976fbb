//! `portcullis fabric circuit`.

use crate::column::Column;
use crate::commands::entity_command::{Deletable, Noun, Positional, VerbHelp};
use crate::entity::{Entity, EntityKind};
use crate::names::Names;
use crate::table::Table;
use portcullis_api::entity::Base;
use portcullis_api::fabric::circuit::CircuitDetail;
use portcullis_api::identity::IdentityDetail;
use portcullis_client::Client;
use portcullis_domain::clock::Timestamp;
use portcullis_domain::ids::CircuitId;

/// Help footer of `fabric circuit`.
pub(super) const EXAMPLES: &str = "\
A circuit is one connection of a client to a service. Circuits have ids, but no names.

Examples:
  portcullis fabric circuit list --watch
  portcullis fabric circuit show 5kHj2mPqRs7tUvWxYz0aBc
  portcullis fabric circuit delete 5kHj2mPqRs7tUvWxYz0aBc";

impl Entity for CircuitDetail {
    fn label(&self) -> String {
        format!("to {}", self.service.name)
    }
}

impl EntityKind for CircuitDetail {
    const COMMAND: &'static str = "fabric circuit";
    const SINGULAR: &'static str = "circuit";
    const PLURAL: &'static str = "circuits";
    const COLUMNS: &'static [Column<Self>] = &[
        Column::new("service", "service", |circuit, _| {
            circuit.service.name.as_str().into()
        }),
        Column::id("clientId", "client", |circuit, _| {
            circuit.client_id.as_str().into()
        }),
        Column::new("terminator", "terminator", |circuit: &Self, _| {
            circuit.terminator.id.as_str().into()
        })
        .wide(),
        Column::new("path", "path", |circuit, _| path(circuit).into()),
        Column::new("createdAt", "created", |circuit: &Self, _| {
            circuit.base.created_at.into()
        }),
    ];
    const FIELDS: &'static [&'static str] = &["clientId", "service", "terminator"];
    const COMMON_FIELDS: &'static [&'static str] = &["id", "createdAt", "updatedAt"];
    const SEARCHED: &'static [&'static str] = &["id", "clientId", "service", "terminator"];

    fn base(&self) -> Option<&Base<CircuitId>> {
        Some(&self.base)
    }

    fn add_properties(&self, table: Table, _now: Timestamp) -> Table {
        let links = self.path.links.iter();
        let links: Vec<_> = links.map(|link| link.id.as_str()).collect();
        table
            .property("service", &self.service.name)
            .property("terminator", &self.terminator.id)
            .property("path", path(self))
            .property("links", links.join(", "))
    }

    async fn fetch_names(&self, client: &Client) -> Names {
        Names::fetch::<IdentityDetail>(client, &[self.client_id.as_str()]).await
    }

    fn add_references(&self, table: Table, names: &Names) -> Table {
        table.property("client", names.with_id(self.client_id.as_str()))
    }
}

/// The routers that a circuit passes.
fn path(circuit: &CircuitDetail) -> String {
    let routers = circuit.path.nodes.iter();
    let routers: Vec<_> = routers.map(|router| router.name.as_str()).collect();
    routers.join(" > ")
}

impl Noun for CircuitDetail {
    const LIST: VerbHelp = VerbHelp {
        about: "List circuits",
        examples: "\
The filter knows clients, services and terminators by their ids.

Examples:
  portcullis fabric circuit list
  portcullis fabric circuit list --filter 'clientId = \"3Xf0aBcDe\"' --all
  portcullis fabric circuit list --watch=1",
    };
    const SHOW: VerbHelp = VerbHelp {
        about: "Show a circuit",
        examples: "\
Examples:
  portcullis fabric circuit show 5kHj2mPqRs7tUvWxYz0aBc
  portcullis fabric circuit show 5kHj2mPqRs7tUvWxYz0aBc --output json | jq .path",
    };
    const REFERENCE: Positional = Positional {
        id: "id",
        value_name: "ID",
        help: "Id of the circuit, as shown by `list`",
    };
}

impl Deletable for CircuitDetail {
    const DELETE: VerbHelp = VerbHelp {
        about: "End circuits",
        examples: "\
Both ends see their connection closed; clients may dial again. Deleting several, or with --filter,
asks for confirmation unless --yes is given.

Examples:
  portcullis fabric circuit delete 5kHj2mPqRs7tUvWxYz0aBc
  portcullis fabric circuit delete --filter 'clientId = \"3Xf0aBcDe\"' --yes",
    };
    const TARGETS: Positional = Positional {
        id: "ids",
        value_name: "ID",
        help: "Ids, as shown by `list`",
    };
}
