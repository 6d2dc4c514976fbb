//! `portcullis edge-router-policy`.

use super::selector_args::{self, EdgeRouterRolesArgs, IdentityRolesArgs};
use super::{Policy, PolicyBasics};
use crate::column::Column;
use crate::entity::{EntityKind, Named};
use crate::error::CliError;
use crate::table::Table;
use clap::Args;
use portcullis_api::edge_router_policy::{
    EdgeRouterPolicyCreate, EdgeRouterPolicyDetail, EdgeRouterPolicyPatch,
};
use portcullis_api::entity::Base;
use portcullis_client::Client;
use portcullis_domain::clock::Timestamp;
use portcullis_domain::ids::EdgeRouterPolicyId;
use portcullis_domain::roles::Semantic;

/// Selectors of an edge-router policy.
#[derive(Debug, Clone, Default, PartialEq, Eq, Args)]
pub(crate) struct SelectorArgs {
    #[command(flatten)]
    routers: EdgeRouterRolesArgs,

    #[command(flatten)]
    identities: IdentityRolesArgs,
}

impl Named for EdgeRouterPolicyDetail {
    fn name(&self) -> &str {
        &self.name
    }
}

impl EntityKind for EdgeRouterPolicyDetail {
    const COMMAND: &'static str = "edge-router-policy";
    const SINGULAR: &'static str = "edge-router policy";
    const PLURAL: &'static str = "edge-router policies";
    const COLUMNS: &'static [Column<Self>] = &[
        Column::new("semantic", "semantic", |policy, _| {
            policy.semantic.name().into()
        }),
        Column::new("edgeRouterRoles", "edge routers", |policy, _| {
            selector_args::display_or_none(&policy.edge_router_roles_display).into()
        }),
        Column::new("identityRoles", "identities", |policy, _| {
            selector_args::display_or_none(&policy.identity_roles_display).into()
        }),
        Column::new("isSystem", "system", |policy, _| policy.is_system.into()),
    ];
    const FIELDS: &'static [&'static str] =
        &["name", "semantic", "identityRoles", "edgeRouterRoles"];

    fn base(&self) -> Option<&Base<EdgeRouterPolicyId>> {
        Some(&self.base)
    }

    fn add_properties(&self, table: Table, _now: Timestamp) -> Table {
        let kind = if self.is_system {
            "belongs to a tunneler-enabled router and cannot be changed"
        } else {
            ""
        };
        table
            .property("semantic", self.semantic.name())
            .property(
                "edge routers",
                selector_args::display_or_none(&self.edge_router_roles_display),
            )
            .property(
                "identities",
                selector_args::display_or_none(&self.identity_roles_display),
            )
            .property("system", kind)
    }
}

impl Policy for EdgeRouterPolicyDetail {
    const EXAMPLES: &'static str = "\
An edge-router policy lets the identities that it selects use the edge routers that it selects.
Selectors are `#attribute`, `@name`, `@id` and `#all`; quote them, since `#` starts a comment in
many shells.

Examples:
  portcullis edge-router-policy create everybody --edge-router-roles '#public' \\
      --identity-roles '#all'
  portcullis policy-advisor identities anna wiki";
    const CREATE_EXAMPLES: &'static str = "\
Examples:
  portcullis edge-router-policy create everybody --edge-router-roles '#public' \\
      --identity-roles '#all'
  portcullis edge-router-policy create berlin --edge-router-roles @berlin-1,@berlin-2 \\
      --identity-roles '#staff,#berlin' --semantic all-of";
    const LIST_EXAMPLES: &'static str = "\
Examples:
  portcullis edge-router-policy list --filter 'isSystem = false'
  portcullis edge-router-policy list --all --output json | jq -r '.[].name'";
    const SHOW_EXAMPLES: &'static str = "\
Examples:
  portcullis edge-router-policy show everybody
  portcullis edge-router-policy show everybody --output json | jq .edgeRouterRoles";
    const UPDATE_EXAMPLES: &'static str = "\
Only the given options are changed; a list of selectors is replaced as a whole.

Examples:
  portcullis edge-router-policy update everybody --edge-router-roles '#public,@berlin-1'
  portcullis edge-router-policy update everybody --name all";
    const DELETE_EXAMPLES: &'static str = "\
The policy of a tunneler-enabled router cannot be deleted. Deleting several, or with --filter, asks
for confirmation unless --yes is given.

Examples:
  portcullis edge-router-policy delete everybody
  portcullis edge-router-policy delete --filter 'name contains \"test-\"' --dry-run";

    type CreateOptions = SelectorArgs;
    type UpdateOptions = SelectorArgs;

    async fn create_body(
        client: &Client,
        basics: PolicyBasics,
        new: &SelectorArgs,
    ) -> Result<EdgeRouterPolicyCreate, CliError> {
        Ok(EdgeRouterPolicyCreate {
            edge_router_roles: new.routers.read(client).await?.unwrap_or_default(),
            identity_roles: new.identities.read(client).await?.unwrap_or_default(),
            name: basics.name,
            semantic: basics.semantic,
            tags: basics.tags,
        })
    }

    async fn patch_body(
        client: &Client,
        name: Option<String>,
        semantic: Option<Semantic>,
        changes: &SelectorArgs,
    ) -> Result<EdgeRouterPolicyPatch, CliError> {
        Ok(EdgeRouterPolicyPatch {
            edge_router_roles: changes.routers.read(client).await?,
            identity_roles: changes.identities.read(client).await?,
            name,
            semantic,
            tags: None,
        })
    }
}
