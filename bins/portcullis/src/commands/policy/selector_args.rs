//! Selectors of policies, as arguments.

use crate::commands::selectors::{self, Selectors};
use crate::completion::Values;
use crate::error::CliError;
use clap::Args;
use portcullis_api::edge_router::EdgeRouterDetail;
use portcullis_api::identity::IdentityDetail;
use portcullis_api::posture_check::PostureCheckDetail;
use portcullis_api::role::NamedRole;
use portcullis_api::service::ServiceDetail;
use portcullis_client::{Client, RoleAttributeKind};
use portcullis_domain::ids::{IdentityId, PostureCheckId, RouterId, ServiceId};
use portcullis_domain::roles::RoleSelectors;

/// `--identity-roles`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Args)]
pub(crate) struct IdentityRolesArgs {
    /// Comma-separated selectors of identities: `#attribute`, `@name`, `@id` or `#all`; empty for
    /// none
    #[arg(long, value_name = "SELECTORS", value_parser = selectors::parse, add = Values::selectors::<IdentityDetail>(RoleAttributeKind::Identity))]
    identity_roles: Option<Vec<Selectors>>,
}

/// `--service-roles`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Args)]
pub(crate) struct ServiceRolesArgs {
    /// Comma-separated selectors of services: `#attribute`, `@name`, `@id` or `#all`; empty for
    /// none
    #[arg(long, value_name = "SELECTORS", value_parser = selectors::parse, add = Values::selectors::<ServiceDetail>(RoleAttributeKind::Service))]
    service_roles: Option<Vec<Selectors>>,
}

/// `--edge-router-roles`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Args)]
pub(crate) struct EdgeRouterRolesArgs {
    /// Comma-separated selectors of edge routers: `#attribute`, `@name`, `@id` or `#all`; empty for
    /// none
    #[arg(long, value_name = "SELECTORS", value_parser = selectors::parse, add = Values::selectors::<EdgeRouterDetail>(RoleAttributeKind::EdgeRouter))]
    edge_router_roles: Option<Vec<Selectors>>,
}

/// `--posture-check-roles`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Args)]
pub(crate) struct PostureCheckRolesArgs {
    /// Comma-separated selectors of required posture checks: `#attribute`, `@name`, `@id` or
    /// `#all`; empty for none
    #[arg(short = 'p', long, value_name = "SELECTORS", value_parser = selectors::parse, add = Values::selectors::<PostureCheckDetail>(RoleAttributeKind::PostureCheck))]
    posture_check_roles: Option<Vec<Selectors>>,
}

impl IdentityRolesArgs {
    /// Resolved selectors, if given.
    pub(crate) async fn read(
        &self,
        client: &Client,
    ) -> Result<Option<RoleSelectors<IdentityId>>, CliError> {
        let given = self.identity_roles.as_deref();
        selectors::resolve::<IdentityDetail, _>(client, "--identity-roles", given).await
    }
}

impl ServiceRolesArgs {
    /// Resolved selectors, if given.
    pub(crate) async fn read(
        &self,
        client: &Client,
    ) -> Result<Option<RoleSelectors<ServiceId>>, CliError> {
        let given = self.service_roles.as_deref();
        selectors::resolve::<ServiceDetail, _>(client, "--service-roles", given).await
    }
}

impl EdgeRouterRolesArgs {
    /// Resolved selectors, if given.
    pub(crate) async fn read(
        &self,
        client: &Client,
    ) -> Result<Option<RoleSelectors<RouterId>>, CliError> {
        let given = self.edge_router_roles.as_deref();
        selectors::resolve::<EdgeRouterDetail, _>(client, "--edge-router-roles", given).await
    }
}

impl PostureCheckRolesArgs {
    /// Resolved selectors, if given.
    pub(crate) async fn read(
        &self,
        client: &Client,
    ) -> Result<Option<RoleSelectors<PostureCheckId>>, CliError> {
        let given = self.posture_check_roles.as_deref();
        selectors::resolve::<PostureCheckDetail, _>(client, "--posture-check-roles", given).await
    }
}

/// Formats selectors for tables.
pub(super) fn display(roles: &[NamedRole]) -> String {
    let names: Vec<_> = roles.iter().map(|role| role.name.as_str()).collect();
    names.join(", ")
}

/// Formats selectors, or `none` if there are none.
pub(super) fn display_or_none(roles: &[NamedRole]) -> String {
    if roles.is_empty() {
        "none".to_owned()
    } else {
        display(roles)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sides_are_told_by_names() {
        let role = |name: &str, role: &str| NamedRole {
            name: name.to_owned(),
            role: role.to_owned(),
        };
        let roles = [role("#a", "#a"), role("@wiki", "@s1")];
        assert_eq!(display_or_none(&roles), "#a, @wiki");
        assert_eq!(
            (display_or_none(&[]).as_str(), display(&[]).as_str()),
            ("none", "")
        );
    }
}
