//! `portcullis service-policy`.

use super::Policy;
use super::roles::{self, IdentityRolesArgs, PostureCheckRolesArgs, ServiceRolesArgs};
use crate::entity::Entity;
use crate::error::CliError;
use crate::table::Table;
use clap::{Args, ValueEnum};
use portcullis_api::entity::Base;
use portcullis_api::service_policy::{
    PolicyType, ServicePolicyBody, ServicePolicyDetail, ServicePolicyMerge,
};
use portcullis_client::Client;
use portcullis_domain::clock::Timestamp;
use portcullis_domain::ids::ServicePolicyId;
use portcullis_domain::policies::ServiceGrant;
use portcullis_domain::roles::Semantic;
use portcullis_domain::tags::Tags;

/// What a service policy selects.
#[derive(Debug, Clone, Default, PartialEq, Eq, Args)]
pub(crate) struct Sides {
    #[command(flatten)]
    services: ServiceRolesArgs,

    #[command(flatten)]
    identities: IdentityRolesArgs,

    #[command(flatten)]
    checks: PostureCheckRolesArgs,
}

/// What a new service policy needs.
#[derive(Debug, Clone, Args)]
pub(crate) struct New {
    /// What it grants
    #[arg(value_name = "TYPE", value_enum, ignore_case = true)]
    grant: Grant,

    #[command(flatten)]
    sides: Sides,
}

/// What of a service policy can be changed.
#[derive(Debug, Clone, Default, PartialEq, Eq, Args)]
pub(crate) struct Changes {
    /// What it grants from now on
    #[arg(long = "type", value_name = "TYPE", value_enum, ignore_case = true)]
    grant: Option<Grant>,

    #[command(flatten)]
    sides: Sides,
}

/// What service policies grant.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Grant {
    /// To connect to the services
    Dial,
    /// To offer the services
    Bind,
}

impl From<Grant> for ServiceGrant {
    fn from(grant: Grant) -> Self {
        match grant {
            Grant::Dial => Self::Dial,
            Grant::Bind => Self::Bind,
        }
    }
}

impl Entity for ServicePolicyDetail {
    const COMMAND: &'static str = "service-policy";
    const LIST: &'static str = "portcullis service-policy list";
    const SINGULAR: &'static str = "service policy";
    const PLURAL: &'static str = "service policies";
    const COLUMNS: &'static [&'static str] = &[
        "id",
        "name",
        "type",
        "semantic",
        "services",
        "identities",
        "posture checks",
    ];

    fn base(&self) -> &Base<ServicePolicyId> {
        &self.base
    }

    fn called(&self) -> &str {
        &self.name
    }

    fn further_cells(&self) -> Vec<String> {
        vec![
            granted(self.kind).to_owned(),
            self.semantic.name().to_owned(),
            roles::shown(&self.service_roles_display),
            roles::shown(&self.identity_roles_display),
            roles::shown(&self.posture_check_roles_display),
        ]
    }

    fn properties(&self, table: Table, _now: Timestamp) -> Table {
        let services = roles::side(&self.service_roles_display);
        let identities = roles::side(&self.identity_roles_display);
        let checks = roles::side(&self.posture_check_roles_display);
        table
            .property("type", granted(self.kind))
            .property("semantic", self.semantic.name())
            .property("services", services)
            .property("identities", identities)
            .property("posture checks", checks)
    }
}

fn granted(kind: PolicyType) -> &'static str {
    match kind {
        PolicyType::Dial => "dial",
        PolicyType::Bind => "bind",
        PolicyType::Invalid => "nothing",
    }
}

impl Policy for ServicePolicyDetail {
    const EXAMPLES: &'static str = "\
A service policy lets the identities that it selects dial or bind the services that it selects.
Selectors are `#attribute`, `@name`, `@id` and `#all`; quote them, since `#` begins a comment in
many shells.

Examples:
  portcullis service-policy create staff dial --service-roles '#intranet' --identity-roles '#staff'
  portcullis service-policy create wiki-host bind --service-roles @wiki --identity-roles @server
  portcullis policy-advisor identities anna wiki";
    const CREATE: &'static str = "\
Examples:
  portcullis service-policy create staff dial --service-roles '#intranet' --identity-roles '#staff'
  portcullis service-policy create wiki-host bind --service-roles @wiki --identity-roles @server
  portcullis service-policy create berlin dial --semantic all-of --service-roles '#all' \\
      --identity-roles '#staff,#berlin'";
    const LISTING: &'static str = "\
Examples:
  portcullis service-policy list --filter 'name contains \"staff\"'
  portcullis service-policy list --all --output json | jq -r '.data[].name'";
    const SHOW: &'static str = "\
Examples:
  portcullis service-policy show staff
  portcullis service-policy show staff --output json | jq .identityRoles";
    const UPDATE: &'static str = "\
What is not given stays unchanged; a list of selectors is replaced as a whole.

Examples:
  portcullis service-policy update staff --identity-roles '#staff,@guest'
  portcullis service-policy update staff --service-roles ''      no services
  portcullis service-policy update staff --type bind";
    const DELETE: &'static str = "\
Whoever could use services by nothing else loses them at once. Several policies, and what a filter
finds, are deleted only after a question, or with --yes.

Examples:
  portcullis service-policy delete staff
  portcullis service-policy delete --filter 'name contains \"test-\"' --dry-run";

    type New = New;
    type Changes = Changes;

    async fn body(
        client: &Client,
        name: String,
        semantic: Semantic,
        new: &New,
    ) -> Result<ServicePolicyBody, CliError> {
        let sides = &new.sides;
        Ok(ServicePolicyBody {
            identity_roles: sides.identities.read(client).await?.unwrap_or_default(),
            name,
            posture_check_roles: sides.checks.read(client).await?.unwrap_or_default(),
            semantic,
            service_roles: sides.services.read(client).await?.unwrap_or_default(),
            tags: Tags::default(),
            grant: new.grant.into(),
        })
    }

    async fn change(
        client: &Client,
        name: Option<String>,
        semantic: Option<Semantic>,
        changes: &Changes,
    ) -> Result<ServicePolicyMerge, CliError> {
        let sides = &changes.sides;
        Ok(ServicePolicyMerge {
            identity_roles: sides.identities.read(client).await?,
            name,
            posture_check_roles: sides.checks.read(client).await?,
            semantic,
            service_roles: sides.services.read(client).await?,
            tags: None,
            grant: changes.grant.map(ServiceGrant::from),
        })
    }
}
