//! `portcullis identity delete`.

use crate::commands::deletion::{self, Target};
use crate::context::{Context, Session};
use crate::error::CliError;
use crate::resolve;
use clap::Args;
use portcullis_api::identity::IdentityDetail;
use portcullis_client::ListQuery;
use portcullis_domain::ids::IdentityId;

const EXAMPLES: &str = "\
Sessions, certificates, passwords and enrollments of an identity go with it: its access ends at
once. Several identities are deleted only after a question, or with --yes.

Examples:
  portcullis identity delete laptop
  portcullis identity delete laptop printer --yes
  portcullis identity delete --filter 'name startswith \"test-\"'";

/// Arguments of `identity delete`.
#[derive(Debug, Args)]
#[command(after_long_help = EXAMPLES)]
pub(crate) struct DeleteArgs {
    /// Ids or names of identities
    #[arg(
        required_unless_present = "filter",
        conflicts_with = "filter",
        value_name = "IDENTITY"
    )]
    identities: Vec<String>,

    /// Delete all identities that match, instead of naming them; `identity list` shows them first
    #[arg(long)]
    filter: Option<String>,

    /// Do not ask before several are deleted
    #[arg(short, long)]
    yes: bool,
}

pub(super) async fn run(
    context: &Context,
    session: &Session,
    arguments: DeleteArgs,
) -> Result<(), CliError> {
    let client = &session.client;
    let targets = targets(session, &arguments).await?;
    deletion::confirm(&targets, "identities", arguments.yes)?;
    let delete = async |id: &str| {
        client.delete_identity(&IdentityId::from_wire(id)).await?;
        Ok(())
    };
    deletion::run(context, targets, ("identity", "identities"), delete).await
}

/// Finds all that is to be deleted before anything is.
async fn targets(session: &Session, arguments: &DeleteArgs) -> Result<Vec<Target>, CliError> {
    let client = &session.client;
    if let Some(filter) = &arguments.filter {
        let fetch = async |limit, offset| {
            let query = ListQuery {
                limit: Some(limit),
                offset: Some(offset),
                ..ListQuery::filtered(filter)
            };
            Ok(client.identities(&query).await?)
        };
        return deletion::collect(fetch, target).await;
    }
    let mut targets: Vec<Target> = Vec::new();
    for text in &arguments.identities {
        let found = target(resolve::identity(client, text).await?);
        if !targets.contains(&found) {
            targets.push(found);
        }
    }
    Ok(targets)
}

fn target(identity: IdentityDetail) -> Target {
    Target {
        id: identity.base.id.as_str().to_owned(),
        name: identity.name,
    }
}
