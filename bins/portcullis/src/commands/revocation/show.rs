//! `portcullis revocation show`.

use super::kind;
use crate::context::{Context, Session};
use crate::error::CliError;
use crate::table::Table;
use clap::Args;
use portcullis_api::revocation::RevocationDetail;
use portcullis_domain::ids::RevocationId;

const EXAMPLES: &str = "\
Examples:
  portcullis revocation show 6f0b6c9e-1f63-4d0a-9a55-0d5be1c0ffee";

/// Arguments of `revocation show`.
#[derive(Debug, Args)]
#[command(after_long_help = EXAMPLES)]
pub(crate) struct ShowArgs {
    /// Id of the revocation, which is the id of what it revokes
    id: String,
}

pub(super) async fn run(
    context: &Context,
    session: &Session,
    arguments: ShowArgs,
) -> Result<(), CliError> {
    let id = RevocationId::from_wire(arguments.id);
    let revocation = session.client.entity::<RevocationDetail>(&id).await?;
    context
        .output
        .write_result(&revocation, || table(&revocation))
}

/// Renders a revocation as a table.
pub(super) fn table(revocation: &RevocationDetail) -> Table {
    Table::with_properties()
        .property("id", revocation.base.id.as_str())
        .property("revoked", kind::display(revocation.revoked))
        .property("since", revocation.base.updated_at.to_string())
        .property("until", revocation.expires_at.to_string())
}
