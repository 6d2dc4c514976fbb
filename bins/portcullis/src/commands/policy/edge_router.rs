//! `portcullis edge-router-policy`.

use super::Policy;
use super::roles::{self, EdgeRouterRolesArgs, IdentityRolesArgs};
use crate::entity::Entity;
use crate::error::CliError;
use crate::table::Table;
use crate::words::only_yes;
use clap::Args;
use portcullis_api::edge_router_policy::{
    EdgeRouterPolicyBody, EdgeRouterPolicyDetail, EdgeRouterPolicyMerge,
};
use portcullis_api::entity::Base;
use portcullis_client::Client;
use portcullis_domain::clock::Timestamp;
use portcullis_domain::ids::EdgeRouterPolicyId;
use portcullis_domain::roles::Semantic;
use portcullis_domain::tags::Tags;

/// What an edge-router policy selects.
#[derive(Debug, Clone, Default, PartialEq, Eq, Args)]
pub(crate) struct Sides {
    #[command(flatten)]
    routers: EdgeRouterRolesArgs,

    #[command(flatten)]
    identities: IdentityRolesArgs,
}

impl Entity for EdgeRouterPolicyDetail {
    const COMMAND: &'static str = "edge-router-policy";
    const LIST: &'static str = "portcullis edge-router-policy list";
    const SINGULAR: &'static str = "edge-router policy";
    const PLURAL: &'static str = "edge-router policies";
    const COLUMNS: &'static [&'static str] = &[
        "id",
        "name",
        "semantic",
        "edge routers",
        "identities",
        "system",
    ];

    fn base(&self) -> &Base<EdgeRouterPolicyId> {
        &self.base
    }

    fn called(&self) -> &str {
        &self.name
    }

    fn further_cells(&self) -> Vec<String> {
        vec![
            self.semantic.name().to_owned(),
            roles::shown(&self.edge_router_roles_display),
            roles::shown(&self.identity_roles_display),
            only_yes(self.is_system).to_owned(),
        ]
    }

    fn properties(&self, table: Table, _now: Timestamp) -> Table {
        let kind = if self.is_system {
            "belongs to a tunneler-enabled router, and cannot be changed"
        } else {
            ""
        };
        table
            .property("semantic", self.semantic.name())
            .property("edge routers", roles::side(&self.edge_router_roles_display))
            .property("identities", roles::side(&self.identity_roles_display))
            .property("system", kind)
    }
}

impl Policy for EdgeRouterPolicyDetail {
    const EXAMPLES: &'static str = "\
An edge-router policy says through which edge routers the identities that it selects reach the
network. Selectors are `#attribute`, `@name`, `@id` and `#all`; quote them, since `#` begins a
comment in many shells.

Examples:
  portcullis edge-router-policy create everybody --edge-router-roles '#public' \\
      --identity-roles '#all'
  portcullis policy-advisor identities anna wiki";
    const CREATE: &'static str = "\
Examples:
  portcullis edge-router-policy create everybody --edge-router-roles '#public' \\
      --identity-roles '#all'
  portcullis edge-router-policy create berlin --edge-router-roles @berlin-1,@berlin-2 \\
      --identity-roles '#staff,#berlin' --semantic all-of";
    const LISTING: &'static str = "\
Examples:
  portcullis edge-router-policy list --filter 'isSystem = false'
  portcullis edge-router-policy list --all --output json | jq -r '.data[].name'";
    const SHOW: &'static str = "\
Examples:
  portcullis edge-router-policy show everybody
  portcullis edge-router-policy show everybody --output json | jq .edgeRouterRoles";
    const UPDATE: &'static str = "\
What is not given stays unchanged; a list of selectors is replaced as a whole.

Examples:
  portcullis edge-router-policy update everybody --edge-router-roles '#public,@berlin-1'
  portcullis edge-router-policy update everybody --name all";
    const DELETE: &'static str = "\
The policy of a tunneler-enabled router cannot be deleted. Several policies, and what a
filter finds, are deleted only after a question, or with --yes.

Examples:
  portcullis edge-router-policy delete everybody
  portcullis edge-router-policy delete --filter 'name contains \"test-\"' --dry-run";

    type New = Sides;
    type Changes = Sides;

    async fn body(
        client: &Client,
        name: String,
        semantic: Semantic,
        new: &Sides,
    ) -> Result<EdgeRouterPolicyBody, CliError> {
        Ok(EdgeRouterPolicyBody {
            edge_router_roles: new.routers.read(client).await?.unwrap_or_default(),
            identity_roles: new.identities.read(client).await?.unwrap_or_default(),
            name,
            semantic,
            tags: Tags::default(),
        })
    }

    async fn change(
        client: &Client,
        name: Option<String>,
        semantic: Option<Semantic>,
        changes: &Sides,
    ) -> Result<EdgeRouterPolicyMerge, CliError> {
        Ok(EdgeRouterPolicyMerge {
            edge_router_roles: changes.routers.read(client).await?,
            identity_roles: changes.identities.read(client).await?,
            name,
            semantic,
            tags: None,
        })
    }
}
