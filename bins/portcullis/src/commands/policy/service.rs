//! `portcullis service-policy`.

use super::selector_args::{self, IdentityRolesArgs, PostureCheckRolesArgs, ServiceRolesArgs};
use super::{Policy, PolicyBasics};
use crate::column::Column;
use crate::entity::{EntityKind, Named};
use crate::error::CliError;
use crate::table::Table;
use clap::{Args, ValueEnum};
use portcullis_api::entity::Base;
use portcullis_api::service_policy::{
    PolicyType, ServicePolicyCreate, ServicePolicyDetail, ServicePolicyPatch,
};
use portcullis_client::Client;
use portcullis_domain::clock::Timestamp;
use portcullis_domain::ids::ServicePolicyId;
use portcullis_domain::policies::ServiceGrant;
use portcullis_domain::roles::Semantic;

/// Selectors of a service policy.
#[derive(Debug, Clone, Default, PartialEq, Eq, Args)]
pub(crate) struct SelectorArgs {
    #[command(flatten)]
    services: ServiceRolesArgs,

    #[command(flatten)]
    identities: IdentityRolesArgs,

    #[command(flatten)]
    checks: PostureCheckRolesArgs,
}

/// Arguments of a new service policy.
#[derive(Debug, Clone, Args)]
pub(crate) struct CreateOptions {
    /// Kind of access that it grants
    #[arg(value_name = "TYPE", value_enum, ignore_case = true)]
    grant: Grant,

    #[command(flatten)]
    sides: SelectorArgs,
}

/// Arguments of an update of a service policy.
#[derive(Debug, Clone, Default, PartialEq, Eq, Args)]
pub(crate) struct UpdateOptions {
    /// Kind of access that it grants
    #[arg(long = "type", value_name = "TYPE", value_enum, ignore_case = true)]
    grant: Option<Grant>,

    #[command(flatten)]
    sides: SelectorArgs,
}

/// Kinds of access that service policies grant.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Grant {
    /// Connect to services
    Dial,
    /// Host services
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

impl Named for ServicePolicyDetail {
    fn name(&self) -> &str {
        &self.name
    }
}

impl EntityKind for ServicePolicyDetail {
    const COMMAND: &'static str = "service-policy";
    const SINGULAR: &'static str = "service policy";
    const PLURAL: &'static str = "service policies";
    const COLUMNS: &'static [Column<Self>] = &[
        Column::new("type", "type", |policy, _| grant_name(policy.kind).into()),
        Column::new("semantic", "semantic", |policy, _| {
            policy.semantic.name().into()
        }),
        Column::new("serviceRoles", "services", |policy, _| {
            selector_args::display_or_none(&policy.service_roles_display).into()
        }),
        Column::new("identityRoles", "identities", |policy, _| {
            selector_args::display_or_none(&policy.identity_roles_display).into()
        }),
        Column::new("postureCheckRoles", "checks", |policy, _| {
            selector_args::display(&policy.posture_check_roles_display).into()
        }),
    ];
    const FIELDS: &'static [&'static str] = &[
        "name",
        "type",
        "semantic",
        "identityRoles",
        "serviceRoles",
        "postureCheckRoles",
        "identities",
        "services",
    ];

    fn base(&self) -> Option<&Base<ServicePolicyId>> {
        Some(&self.base)
    }

    fn add_properties(&self, table: Table, _now: Timestamp) -> Table {
        let services = selector_args::display_or_none(&self.service_roles_display);
        let identities = selector_args::display_or_none(&self.identity_roles_display);
        let checks = selector_args::display_or_none(&self.posture_check_roles_display);
        table
            .property("type", grant_name(self.kind))
            .property("semantic", self.semantic.name())
            .property("services", services)
            .property("identities", identities)
            .property("posture checks", checks)
    }
}

fn grant_name(kind: PolicyType) -> &'static str {
    match kind {
        PolicyType::Dial => "dial",
        PolicyType::Bind => "bind",
        PolicyType::Invalid => "nothing",
    }
}

impl Policy for ServicePolicyDetail {
    const EXAMPLES: &'static str = "\
A service policy lets the identities that it selects dial or bind the services that it selects.
Selectors are `#attribute`, `@name`, `@id` and `#all`; quote them, since `#` starts a comment in
many shells.

Examples:
  portcullis service-policy create staff dial --service-roles '#intranet' --identity-roles '#staff'
  portcullis service-policy create wiki-host bind --service-roles @wiki --identity-roles @server
  portcullis policy-advisor identities anna wiki";
    const CREATE_EXAMPLES: &'static str = "\
Examples:
  portcullis service-policy create staff dial --service-roles '#intranet' --identity-roles '#staff'
  portcullis service-policy create wiki-host bind --service-roles @wiki --identity-roles @server
  portcullis service-policy create berlin dial --semantic all-of --service-roles '#all' \\
      --identity-roles '#staff,#berlin'";
    const LIST_EXAMPLES: &'static str = "\
Examples:
  portcullis service-policy list --filter 'name contains \"staff\"'
  portcullis service-policy list --all --output json | jq -r '.[].name'";
    const SHOW_EXAMPLES: &'static str = "\
Examples:
  portcullis service-policy show staff
  portcullis service-policy show staff --output json | jq .identityRoles";
    const UPDATE_EXAMPLES: &'static str = "\
Only the given options are changed; a list of selectors is replaced as a whole.

Examples:
  portcullis service-policy update staff --identity-roles '#staff,@guest'
  portcullis service-policy update staff --service-roles ''      # no services
  portcullis service-policy update staff --type bind";
    const DELETE_EXAMPLES: &'static str = "\
Identities lose access at once unless another policy grants it. Deleting several, or with --filter,
asks for confirmation unless --yes is given.

Examples:
  portcullis service-policy delete staff
  portcullis service-policy delete --filter 'name contains \"test-\"' --dry-run";

    type CreateOptions = CreateOptions;
    type UpdateOptions = UpdateOptions;

    async fn create_body(
        client: &Client,
        basics: PolicyBasics,
        new: &CreateOptions,
    ) -> Result<ServicePolicyCreate, CliError> {
        let sides = &new.sides;
        Ok(ServicePolicyCreate {
            identity_roles: sides.identities.read(client).await?.unwrap_or_default(),
            name: basics.name,
            posture_check_roles: sides.checks.read(client).await?.unwrap_or_default(),
            semantic: basics.semantic,
            service_roles: sides.services.read(client).await?.unwrap_or_default(),
            tags: basics.tags,
            grant: new.grant.into(),
        })
    }

    async fn patch_body(
        client: &Client,
        name: Option<String>,
        semantic: Option<Semantic>,
        changes: &UpdateOptions,
    ) -> Result<ServicePolicyPatch, CliError> {
        let sides = &changes.sides;
        Ok(ServicePolicyPatch {
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
