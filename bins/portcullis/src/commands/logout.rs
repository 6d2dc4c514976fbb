//! `portcullis logout`.

use crate::context::Context;
use crate::error::{CliError, ErrorKind};
use crate::table::Table;
use serde_json::json;

/// Help footer of `logout`.
pub(crate) const EXAMPLES: &str = "\
The session is ended on the controller and removed here, even if the controller cannot be reached. The
trusted CA stays in the profile. It is no error if there is no session.

Examples:
  portcullis logout
  portcullis logout --profile staging";

pub(crate) async fn run(context: &Context) -> Result<(), CliError> {
    let session = match context.session_for_logout() {
        Ok(session) => session,
        Err(error) if error.kind() == ErrorKind::NotLoggedIn => {
            return context
                .output
                .write_result(&json!({"loggedOut": false}), || {
                    let name = &context.profile;
                    Table::with_properties().footer(format!("Not logged in (profile `{name}`)."))
                });
        },
        Err(error) => return Err(error),
    };
    // Removed first, so that nobody is logged in here afterwards even if the request fails.
    context.store.update(|all| {
        if let Some(profile) = all.profiles.get_mut(&context.profile) {
            profile.session = None;
        }
    })?;
    match session.end().await {
        Err(error) => Err(session
            .profile
            .explain_untrusted(context, error.into())
            .await
            .hint("the session was removed here; it will expire on the controller")),
        Ok(()) => context
            .output
            .write_result(&json!({"loggedOut": true}), || {
                Table::with_properties().footer("Logged out.")
            }),
    }
}
