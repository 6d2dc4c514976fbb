//! `portcullis enrollment show`.

use crate::commands::pagination;
use crate::commands::token_output::{TokenArgs, TokenDestination};
use crate::context::{Context, Session};
use crate::error::CliError;
use crate::output::Output;
use crate::table::Table;
use clap::Args;
use portcullis_api::enrollment::EnrollmentDetail;
use portcullis_domain::clock::Timestamp;
use portcullis_domain::ids::EnrollmentId;

const EXAMPLES: &str = "\
Examples:
  portcullis enrollment show Yb0Dk.7vQ
  portcullis enrollment show Yb0Dk.7vQ --output-jwt laptop.jwt";

/// Arguments of `enrollment show`.
#[derive(Debug, Args)]
#[command(after_long_help = EXAMPLES)]
pub(crate) struct ShowArgs {
    /// Id of the enrollment, as shown by `enrollment list`
    id: String,

    #[command(flatten)]
    token: TokenArgs,
}

impl ShowArgs {
    pub(super) fn check(&self, output: Output) -> Result<(), CliError> {
        self.token.check(output)
    }
}

pub(super) async fn run(
    context: &Context,
    session: &Session,
    arguments: ShowArgs,
) -> Result<(), CliError> {
    let destination = arguments.token.prepare()?;
    let id = EnrollmentId::from_wire(arguments.id);
    let enrollment = session.client.entity::<EnrollmentDetail>(&id).await?;
    deliver(context, destination, &enrollment)
}

/// Writes the token, if requested, and shows the enrollment.
pub(crate) fn deliver(
    context: &Context,
    destination: TokenDestination,
    enrollment: &EnrollmentDetail,
) -> Result<(), CliError> {
    if destination.deliver(enrollment.jwt.as_ref(), Some(&enrollment.base.id))? {
        let now = context.now();
        context
            .output
            .write_result(enrollment, || table(enrollment, now))?;
    }
    Ok(())
}

fn table(enrollment: &EnrollmentDetail, now: Timestamp) -> Table {
    let identity = enrollment.identity.as_ref();
    let identity_id = enrollment.identity_id.as_ref();
    Table::with_properties()
        .property("id", enrollment.base.id.as_str())
        .property("method", &enrollment.method)
        .property("identity", identity.map_or("", |identity| &identity.name))
        .property("identity id", identity_id.map_or("", |id| id.as_str()))
        .property(
            "until",
            pagination::format_expiry(enrollment.expires_at, now),
        )
        .property("created", enrollment.base.created_at.to_string())
}
