//! `portcullis enrollment list`.

use crate::commands::page::{self, PageArgs};
use crate::context::{Context, Session};
use crate::error::CliError;
use crate::table::Table;
use clap::Args;
use portcullis_api::enrollment::EnrollmentDetail;
use portcullis_api::envelope::ListEnvelope;
use portcullis_client::ListQuery;
use portcullis_domain::clock::Timestamp;

const EXAMPLES: &str = "\
Examples:
  portcullis enrollment list
  portcullis enrollment list --filter 'identity=\"uI2Rn3.8h\"'
  portcullis enrollment list --output json | jq -r '.data[0].jwt'";

/// Arguments of `enrollment list`.
#[derive(Debug, Args)]
#[command(after_long_help = EXAMPLES)]
pub(crate) struct ListArgs {
    #[command(flatten)]
    page: PageArgs,
}

pub(super) async fn run(
    context: &Context,
    session: &Session,
    arguments: ListArgs,
) -> Result<(), CliError> {
    let list = session
        .client
        .enrollments(&ListQuery::from(arguments.page))
        .await?;
    let now = context.now();
    context.output.result(&list, || table(&list, now))
}

fn table(list: &ListEnvelope<EnrollmentDetail>, now: Timestamp) -> Table {
    let mut table = Table::with_columns(&["id", "method", "identity", "identity id", "until"]);
    for enrollment in &list.data {
        let identity = enrollment.identity.as_ref();
        let identity_id = enrollment.identity_id.as_ref();
        table.row([
            enrollment.base.id.as_str(),
            &enrollment.method,
            identity.map_or("", |identity| &identity.name),
            identity_id.map_or("", |id| id.as_str()),
            &page::end(enrollment.expires_at, now),
        ]);
    }
    table.footer(page::standing(
        list,
        "pending enrollment",
        "pending enrollments",
    ))
}
