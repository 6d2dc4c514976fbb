//! `portcullis session show`.

use crate::context::{Context, Session};
use crate::error::CliError;
use crate::table::Table;
use clap::Args;
use portcullis_api::api_session::ApiSessionDetail;
use portcullis_domain::ids::ApiSessionId;

const EXAMPLES: &str = "\
JSON and YAML contain a placeholder instead of the token.

Examples:
  portcullis session show cmf0a1b2c3d4e5f6g7h8i9j0k
  portcullis session show cmf0a1b2c3d4e5f6g7h8i9j0k --output yaml";

/// Arguments of `session show`.
#[derive(Debug, Args)]
#[command(after_long_help = EXAMPLES)]
pub(crate) struct ShowArgs {
    /// Id of the session, as shown by `session list`
    id: String,
}

pub(super) async fn run(
    context: &Context,
    session: &Session,
    arguments: ShowArgs,
) -> Result<(), CliError> {
    let id = ApiSessionId::from_wire(arguments.id);
    let found = session.client.entity::<ApiSessionDetail>(&id).await?;
    context.output.write_result(&found, || table(&found))
}

fn table(session: &ApiSessionDetail) -> Table {
    let used = super::last_used(session);
    Table::with_properties()
        .property("id", session.base.id.as_str())
        .property("identity", &session.identity.name)
        .property("identity id", session.identity_id.as_str())
        .property("opened by", &session.authenticator_id)
        .property("TOTP code", super::totp_status(session))
        .property("address", &session.ip_address)
        .property("opened", session.base.created_at.to_string())
        .property(
            "last used",
            used.map_or_else(String::new, |used| used.to_string()),
        )
}
