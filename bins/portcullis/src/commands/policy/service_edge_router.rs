//! `portcullis service-edge-router-policy`.

use super::selector_args::{self, EdgeRouterRolesArgs, ServiceRolesArgs};
use super::{Policy, PolicyBasics};
use crate::column::Column;
use crate::entity::{EntityKind, Named};
use crate::error::CliError;
use crate::table::Table;
use clap::Args;
use portcullis_api::entity::Base;
use portcullis_api::service_edge_router_policy::{
    ServiceEdgeRouterPolicyCreate, ServiceEdgeRouterPolicyDetail, ServiceEdgeRouterPolicyPatch,
};
use portcullis_client::Client;
use portcullis_domain::clock::Timestamp;
use portcullis_domain::ids::ServiceEdgeRouterPolicyId;
use portcullis_domain::roles::Semantic;

/// Selectors of a service-edge-router policy.
#[derive(Debug, Clone, Default, PartialEq, Eq, Args)]
pub(crate) struct SelectorArgs {
    #[command(flatten)]
    services: ServiceRolesArgs,

    #[command(flatten)]
    routers: EdgeRouterRolesArgs,
}

impl Named for ServiceEdgeRouterPolicyDetail {
    fn name(&self) -> &str {
        &self.name
    }
}

impl EntityKind for ServiceEdgeRouterPolicyDetail {
    const COMMAND: &'static str = "service-edge-router-policy";
    const SINGULAR: &'static str = "service-edge-router policy";
    const PLURAL: &'static str = "service-edge-router policies";
    const COLUMNS: &'static [Column<Self>] = &[
        Column::new("semantic", "semantic", |policy, _| {
            policy.semantic.name().into()
        }),
        Column::new("serviceRoles", "services", |policy, _| {
            selector_args::display_or_none(&policy.service_roles_display).into()
        }),
        Column::new("edgeRouterRoles", "edge routers", |policy, _| {
            selector_args::display_or_none(&policy.edge_router_roles_display).into()
        }),
    ];
    const FIELDS: &'static [&'static str] =
        &["name", "semantic", "serviceRoles", "edgeRouterRoles"];

    fn base(&self) -> Option<&Base<ServiceEdgeRouterPolicyId>> {
        Some(&self.base)
    }

    fn add_properties(&self, table: Table, _now: Timestamp) -> Table {
        table
            .property("semantic", self.semantic.name())
            .property(
                "services",
                selector_args::display_or_none(&self.service_roles_display),
            )
            .property(
                "edge routers",
                selector_args::display_or_none(&self.edge_router_roles_display),
            )
    }
}

impl Policy for ServiceEdgeRouterPolicyDetail {
    const EXAMPLES: &'static str = "\
A service-edge-router policy lets the services that it selects be used through the edge routers that
it selects. Selectors are `#attribute`, `@name`, `@id` and `#all`; quote them, since `#` starts a
comment in many shells.

Examples:
  portcullis service-edge-router-policy create anywhere --service-roles '#all' \\
      --edge-router-roles '#all'
  portcullis policy-advisor services wiki anna";
    const CREATE_EXAMPLES: &'static str = "\
Examples:
  portcullis service-edge-router-policy create anywhere --service-roles '#all' \\
      --edge-router-roles '#all'
  portcullis service-edge-router-policy create wiki --service-roles @wiki \\
      --edge-router-roles '#berlin,@paris-1'";
    const LIST_EXAMPLES: &'static str = "\
Examples:
  portcullis service-edge-router-policy list --sort name
  portcullis service-edge-router-policy list --all --output json | jq -r '.[].name'";
    const SHOW_EXAMPLES: &'static str = "\
Examples:
  portcullis service-edge-router-policy show anywhere
  portcullis service-edge-router-policy show anywhere --output json | jq .serviceRoles";
    const UPDATE_EXAMPLES: &'static str = "\
Only the given options are changed; a list of selectors is replaced as a whole.

Examples:
  portcullis service-edge-router-policy update wiki --edge-router-roles '#berlin'
  portcullis service-edge-router-policy update wiki --name handbook";
    const DELETE_EXAMPLES: &'static str = "\
Deleting several, or with --filter, asks for confirmation unless --yes is given.

Examples:
  portcullis service-edge-router-policy delete anywhere
  portcullis service-edge-router-policy delete --filter 'name contains \"test-\"' --dry-run";

    type CreateOptions = SelectorArgs;
    type UpdateOptions = SelectorArgs;

    async fn create_body(
        client: &Client,
        basics: PolicyBasics,
        new: &SelectorArgs,
    ) -> Result<ServiceEdgeRouterPolicyCreate, CliError> {
        Ok(ServiceEdgeRouterPolicyCreate {
            edge_router_roles: new.routers.read(client).await?.unwrap_or_default(),
            name: basics.name,
            semantic: basics.semantic,
            service_roles: new.services.read(client).await?.unwrap_or_default(),
            tags: basics.tags,
        })
    }

    async fn patch_body(
        client: &Client,
        name: Option<String>,
        semantic: Option<Semantic>,
        changes: &SelectorArgs,
    ) -> Result<ServiceEdgeRouterPolicyPatch, CliError> {
        Ok(ServiceEdgeRouterPolicyPatch {
            edge_router_roles: changes.routers.read(client).await?,
            name,
            semantic,
            service_roles: changes.services.read(client).await?,
            tags: None,
        })
    }
}
