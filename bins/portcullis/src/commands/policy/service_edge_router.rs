//! `portcullis service-edge-router-policy`.

use super::Policy;
use super::roles::{self, EdgeRouterRolesArgs, ServiceRolesArgs};
use crate::entity::Entity;
use crate::error::CliError;
use crate::table::Table;
use clap::Args;
use portcullis_api::entity::Base;
use portcullis_api::service_edge_router_policy::{
    ServiceEdgeRouterPolicyBody, ServiceEdgeRouterPolicyDetail, ServiceEdgeRouterPolicyMerge,
};
use portcullis_client::Client;
use portcullis_domain::clock::Timestamp;
use portcullis_domain::ids::ServiceEdgeRouterPolicyId;
use portcullis_domain::roles::Semantic;
use portcullis_domain::tags::Tags;

/// What a service-edge-router policy selects.
#[derive(Debug, Clone, Default, PartialEq, Eq, Args)]
pub(crate) struct Sides {
    #[command(flatten)]
    services: ServiceRolesArgs,

    #[command(flatten)]
    routers: EdgeRouterRolesArgs,
}

impl Entity for ServiceEdgeRouterPolicyDetail {
    const COMMAND: &'static str = "service-edge-router-policy";
    const LIST: &'static str = "portcullis service-edge-router-policy list";
    const SINGULAR: &'static str = "service-edge-router policy";
    const PLURAL: &'static str = "service-edge-router policies";
    const COLUMNS: &'static [&'static str] =
        &["id", "name", "semantic", "services", "edge routers"];

    fn base(&self) -> &Base<ServiceEdgeRouterPolicyId> {
        &self.base
    }

    fn called(&self) -> &str {
        &self.name
    }

    fn further_cells(&self) -> Vec<String> {
        vec![
            self.semantic.name().to_owned(),
            roles::shown(&self.service_roles_display),
            roles::shown(&self.edge_router_roles_display),
        ]
    }

    fn properties(&self, table: Table, _now: Timestamp) -> Table {
        table
            .property("semantic", self.semantic.name())
            .property("services", roles::side(&self.service_roles_display))
            .property("edge routers", roles::side(&self.edge_router_roles_display))
    }
}

impl Policy for ServiceEdgeRouterPolicyDetail {
    const EXAMPLES: &'static str = "\
A service-edge-router policy says through which edge routers the services that it selects may be
used. Selectors are `#attribute`, `@name`, `@id` and `#all`; quote them, since `#` begins a
comment in many shells.

Examples:
  portcullis service-edge-router-policy create anywhere --service-roles '#all' \\
      --edge-router-roles '#all'
  portcullis policy-advisor services wiki anna";
    const CREATE: &'static str = "\
Examples:
  portcullis service-edge-router-policy create anywhere --service-roles '#all' \\
      --edge-router-roles '#all'
  portcullis service-edge-router-policy create wiki --service-roles @wiki \\
      --edge-router-roles '#berlin,@paris-1'";
    const LISTING: &'static str = "\
Examples:
  portcullis service-edge-router-policy list --sort name
  portcullis service-edge-router-policy list --all --output json | jq -r '.data[].name'";
    const SHOW: &'static str = "\
Examples:
  portcullis service-edge-router-policy show anywhere
  portcullis service-edge-router-policy show anywhere --output json | jq .serviceRoles";
    const UPDATE: &'static str = "\
What is not given stays unchanged; a list of selectors is replaced as a whole.

Examples:
  portcullis service-edge-router-policy update wiki --edge-router-roles '#berlin'
  portcullis service-edge-router-policy update wiki --name handbook";
    const DELETE: &'static str = "\
Several policies, and what a filter matches, are deleted only after a question, or with --yes.

Examples:
  portcullis service-edge-router-policy delete anywhere
  portcullis service-edge-router-policy delete --filter 'name contains \"test-\"' --dry-run";

    type New = Sides;
    type Changes = Sides;

    async fn body(
        client: &Client,
        name: String,
        semantic: Semantic,
        new: &Sides,
    ) -> Result<ServiceEdgeRouterPolicyBody, CliError> {
        Ok(ServiceEdgeRouterPolicyBody {
            edge_router_roles: new.routers.read(client).await?.unwrap_or_default(),
            name,
            semantic,
            service_roles: new.services.read(client).await?.unwrap_or_default(),
            tags: Tags::default(),
        })
    }

    async fn change(
        client: &Client,
        name: Option<String>,
        semantic: Option<Semantic>,
        changes: &Sides,
    ) -> Result<ServiceEdgeRouterPolicyMerge, CliError> {
        Ok(ServiceEdgeRouterPolicyMerge {
            edge_router_roles: changes.routers.read(client).await?,
            name,
            semantic,
            service_roles: changes.services.read(client).await?,
            tags: None,
        })
    }
}
