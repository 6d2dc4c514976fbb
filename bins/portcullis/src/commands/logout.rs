//! `portcullis logout`.

use crate::context::Context;
use crate::error::CliError;
use crate::table::Table;
use portcullis_api::code::Code;
use portcullis_client::Api;
use serde_json::json;

/// Shown below the help of `logout`.
pub(crate) const EXAMPLES: &str = "\
The session ends at the controller and is removed here. What is trusted stays in the profile.

Examples:
  portcullis logout
  portcullis logout --profile staging";

pub(crate) async fn run(context: &Context) -> Result<(), CliError> {
    let session = context.session_to_end()?;
    // Forgotten first: whatever the controller says, nobody is logged in here afterwards.
    context.store.change(|all| {
        if let Some(profile) = all.profiles.get_mut(&context.profile) {
            profile.session = None;
        }
    })?;
    match session.client.log_out(Api::Management).await {
        Err(error) if !error.is_refused_with(Code::Unauthorized) => Err(session
            .profile
            .explain(error.into())
            .hint("the session was removed here; the controller will expire it")),
        // A session that is over already has ended.
        _ => context.output.result(&json!({"loggedOut": true}), || {
            Table::of_properties().footer("Logged out.")
        }),
    }
}
