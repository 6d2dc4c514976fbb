//! Options of `portcullis identity list`.

use super::identity_type::{IdentityType, TYPE_TAG};
use crate::commands::entity_command::ListFilter;
use crate::commands::role_filter::RoleFilterArgs;
use crate::error::CliError;
use clap::Args;
use portcullis_api::identity::IdentityDetail;
use portcullis_client::{Client, ListQuery};

/// Options that narrow a list of identities.
#[derive(Debug, Args)]
pub(crate) struct IdentityListFilter {
    /// List only identities with this type
    #[arg(long = "type", value_name = "TYPE", value_enum)]
    kind: Option<IdentityType>,

    #[command(flatten)]
    roles: RoleFilterArgs<IdentityDetail>,
}

impl ListFilter for IdentityListFilter {
    async fn apply(&self, client: &Client, query: ListQuery) -> Result<ListQuery, CliError> {
        let query = match self.kind {
            Some(kind) => query.and(&format!("tags.{TYPE_TAG} = \"{}\"", kind.name())),
            None => query,
        };
        self.roles.apply(client, query).await
    }
}
