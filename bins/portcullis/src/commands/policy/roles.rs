//! The sides of policies, as arguments.

use crate::commands::selectors::{self, Selectors};
use crate::error::CliError;
use clap::Args;
use portcullis_api::edge_router::EdgeRouterDetail;
use portcullis_api::identity::IdentityDetail;
use portcullis_api::posture_check::PostureCheckDetail;
use portcullis_api::role::NamedRole;
use portcullis_api::service::ServiceDetail;
use portcullis_client::Client;
use portcullis_domain::ids::{IdentityId, PostureCheckId, RouterId, ServiceId};
use portcullis_domain::roles::Roles;

/// Which identities a policy selects.
#[derive(Debug, Clone, Default, PartialEq, Eq, Args)]
pub(crate) struct IdentityRolesArgs {
    /// Identities: `#attribute`, `@name`, `@id` or `#all`, separated by commas; empty for none
    #[arg(long, value_name = "SELECTORS", value_parser = selectors::parse)]
    identity_roles: Option<Vec<Selectors>>,
}

/// Which services a policy selects.
#[derive(Debug, Clone, Default, PartialEq, Eq, Args)]
pub(crate) struct ServiceRolesArgs {
    /// Services: `#attribute`, `@name`, `@id` or `#all`, separated by commas; empty for none
    #[arg(long, value_name = "SELECTORS", value_parser = selectors::parse)]
    service_roles: Option<Vec<Selectors>>,
}

/// Which edge routers a policy selects.
#[derive(Debug, Clone, Default, PartialEq, Eq, Args)]
pub(crate) struct EdgeRouterRolesArgs {
    /// Edge routers: `#attribute`, `@name`, `@id` or `#all`, separated by commas; empty for
    /// none
    #[arg(long, value_name = "SELECTORS", value_parser = selectors::parse)]
    edge_router_roles: Option<Vec<Selectors>>,
}

/// Which posture checks have to be passed.
#[derive(Debug, Clone, Default, PartialEq, Eq, Args)]
pub(crate) struct PostureCheckRolesArgs {
    /// Posture checks that must pass: `#attribute`, `@name`, `@id` or `#all`, separated by commas;
    /// empty for none
    #[arg(short = 'p', long, value_name = "SELECTORS", value_parser = selectors::parse)]
    posture_check_roles: Option<Vec<Selectors>>,
}

impl IdentityRolesArgs {
    /// The selectors, if they are given.
    pub(crate) async fn read(
        &self,
        client: &Client,
    ) -> Result<Option<Roles<IdentityId>>, CliError> {
        let given = self.identity_roles.as_deref();
        selectors::read::<IdentityDetail, _>(client, "--identity-roles", given).await
    }
}

impl ServiceRolesArgs {
    /// The selectors, if they are given.
    pub(crate) async fn read(&self, client: &Client) -> Result<Option<Roles<ServiceId>>, CliError> {
        let given = self.service_roles.as_deref();
        selectors::read::<ServiceDetail, _>(client, "--service-roles", given).await
    }
}

impl EdgeRouterRolesArgs {
    /// The selectors, if they are given.
    pub(crate) async fn read(&self, client: &Client) -> Result<Option<Roles<RouterId>>, CliError> {
        let given = self.edge_router_roles.as_deref();
        selectors::read::<EdgeRouterDetail, _>(client, "--edge-router-roles", given).await
    }
}

impl PostureCheckRolesArgs {
    /// The selectors, if they are given.
    pub(crate) async fn read(
        &self,
        client: &Client,
    ) -> Result<Option<Roles<PostureCheckId>>, CliError> {
        let given = self.posture_check_roles.as_deref();
        selectors::read::<PostureCheckDetail, _>(client, "--posture-check-roles", given).await
    }
}

/// Writes selectors for people.
pub(super) fn shown(roles: &[NamedRole]) -> String {
    let names: Vec<_> = roles.iter().map(|role| role.name.as_str()).collect();
    names.join(", ")
}

/// Writes one side of a policy for people, who have to know when it selects nothing.
pub(super) fn side(roles: &[NamedRole]) -> String {
    if roles.is_empty() {
        "none".to_owned()
    } else {
        shown(roles)
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
        assert_eq!(side(&roles), "#a, @wiki");
        assert_eq!((side(&[]).as_str(), shown(&[]).as_str()), ("none", ""));
    }
}
