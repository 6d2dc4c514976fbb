//! `portcullis enrollment delete`.

use crate::commands::deletion::{self, Target};
use crate::context::{Context, Session};
use crate::error::CliError;
use clap::Args;
use portcullis_api::enrollment::EnrollmentDetail;
use portcullis_client::ListQuery;
use portcullis_domain::ids::EnrollmentId;

const EXAMPLES: &str = "\
A deleted enrollment makes its token worthless. Several are deleted only after a question, or with
--yes. `portcullis enrollment list` shows the ids.

Examples:
  portcullis enrollment delete Yb0Dk.7vQ
  portcullis enrollment delete --filter 'identity=\"uI2Rn3.8h\"'    all of one identity";

/// Arguments of `enrollment delete`.
#[derive(Debug, Args)]
#[command(after_long_help = EXAMPLES)]
pub(crate) struct DeleteArgs {
    /// Ids of enrollments
    #[arg(
        required_unless_present = "filter",
        conflicts_with = "filter",
        value_name = "ID"
    )]
    ids: Vec<String>,

    /// Delete all enrollments that match, instead of naming them
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
    deletion::confirm(&targets, "enrollments", arguments.yes)?;
    let delete = async |id: &str| {
        client
            .delete_enrollment(&EnrollmentId::from_wire(id))
            .await?;
        Ok(())
    };
    deletion::run(context, targets, ("enrollment", "enrollments"), delete).await
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
            Ok(client.enrollments(&query).await?)
        };
        return deletion::collect(fetch, target).await;
    }
    let mut targets: Vec<Target> = Vec::new();
    for id in &arguments.ids {
        let found = target(client.enrollment(&EnrollmentId::from_wire(id)).await?);
        if !targets.contains(&found) {
            targets.push(found);
        }
    }
    Ok(targets)
}

fn target(enrollment: EnrollmentDetail) -> Target {
    let method = enrollment.method;
    Target {
        id: enrollment.base.id.as_str().to_owned(),
        name: match enrollment.identity {
            Some(identity) => format!("{method} of {}", identity.name),
            None => method.into_owned(),
        },
    }
}
