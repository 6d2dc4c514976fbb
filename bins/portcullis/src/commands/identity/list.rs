//! `portcullis identity list`.

use super::identity_type::{IdentityType, TYPE_TAG};
use crate::commands::listing;
use crate::commands::pagination::PageArgs;
use crate::commands::role_filter::RoleFilterArgs;
use crate::context::{Context, Session};
use crate::error::CliError;
use clap::Args;
use portcullis_api::identity::IdentityDetail;

const EXAMPLES: &str = "\
Examples:
  portcullis identity list --sort 'createdAt desc' --limit 100
  portcullis identity list --type device --all
  portcullis identity list --role sales --role berlin
  portcullis identity list --filter 'name contains \"lap\" and isAdmin = false'
  portcullis identity list --all --output json | jq -r '.data[].name'";

/// Arguments of `identity list`.
#[derive(Debug, Args)]
#[command(after_long_help = EXAMPLES)]
pub(crate) struct ListArgs {
    #[command(flatten)]
    page: PageArgs,

    /// List only identities with this type
    #[arg(long = "type", value_name = "TYPE", value_enum)]
    kind: Option<IdentityType>,

    #[command(flatten)]
    roles: RoleFilterArgs,
}

pub(super) async fn run(
    context: &Context,
    session: &Session,
    arguments: ListArgs,
) -> Result<(), CliError> {
    let (mut query, extent) = arguments.page.query();
    if let Some(kind) = arguments.kind {
        query = query.and(&format!("tags.{TYPE_TAG} = \"{}\"", kind.name()));
    }
    let query = arguments.roles.apply(query);
    listing::run::<IdentityDetail>(context, &session.client, query, extent).await
}
