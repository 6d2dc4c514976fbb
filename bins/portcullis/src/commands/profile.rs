//! `portcullis profile`.

mod list;
mod remove;
mod show;

use crate::completion::Values;
use crate::context::{Context, PROFILE_VARIABLE};
use crate::error::CliError;
use crate::moment;
use crate::output;
use crate::profile::{Profile, Profiles, StoredSession};
use crate::table::Table;
use clap::{Args, Subcommand};
use portcullis_api::time::WireTime;
use portcullis_domain::clock::Timestamp;
use serde_json::json;

/// Help footer of `profile`.
pub(crate) const EXAMPLES: &str = "\
A profile holds a controller, the CA to trust and a session. `portcullis login --profile NAME` makes
one. Commands use the profile of --profile, else of PORTCULLIS_PROFILE, else the one that `profile
use` chose, else `default`.

Examples:
  portcullis login https://staging:1280 --username admin --profile staging
  portcullis profile list
  portcullis profile use staging
  portcullis profile remove staging";

const USE_EXAMPLES: &str = "\
Examples:
  portcullis profile use staging
  portcullis profile use default";

/// Subcommands for profiles.
#[derive(Debug, Subcommand)]
pub(crate) enum ProfileCommand {
    /// List profiles
    #[command(alias = "ls", after_long_help = list::EXAMPLES)]
    List,
    /// Show a profile
    #[command(alias = "get")]
    Show(show::ShowArgs),
    /// Choose the profile that commands use from now on
    #[command(after_long_help = USE_EXAMPLES)]
    Use(NameArgs),
    /// Log out and remove a profile
    #[command(alias = "rm")]
    Remove(remove::RemoveArgs),
}

/// Reference to a profile.
#[derive(Debug, Args)]
pub(crate) struct NameArgs {
    /// Name of the profile
    #[arg(add = Values::Profiles)]
    name: String,
}

pub(crate) async fn run(context: &Context, command: ProfileCommand) -> Result<(), CliError> {
    match command {
        ProfileCommand::List => list::run(context),
        ProfileCommand::Show(arguments) => show::run(context, &arguments),
        ProfileCommand::Use(arguments) => choose(context, &arguments.name),
        ProfileCommand::Remove(arguments) => remove::run(context, &arguments).await,
    }
}

fn choose(context: &Context, name: &str) -> Result<(), CliError> {
    find(&context.store.read_all()?, name)?;
    context
        .store
        .update(|all| all.current = Some(name.to_owned()))?;
    if std::env::var_os(PROFILE_VARIABLE).is_some_and(|value| !value.is_empty()) {
        output::note(&format!(
            "{PROFILE_VARIABLE} is set and comes before this choice."
        ));
    }
    context.output.write_result(&json!({"current": name}), || {
        Table::with_properties().footer(format!("Commands use the profile `{name}` now."))
    })
}

/// The profile with a name.
fn find<'a>(all: &'a Profiles, name: &str) -> Result<&'a Profile, CliError> {
    all.profiles.get(name).ok_or_else(|| {
        let error = CliError::failed(format!("there is no profile `{name}`"));
        let known = all.describe_known(name);
        error.hint(
            known.unwrap_or_else(|| "`portcullis login URL --profile NAME` makes one".to_owned()),
        )
    })
}

/// Describes the session. Use extends it, of which the profile knows nothing if it has a session token.
fn session(profile: &Profile, now: Timestamp) -> String {
    let Some(session) = &profile.session else {
        return "none".to_owned();
    };
    let is_over = |end: WireTime| end.0 <= now;
    match (session, session.expires_at()) {
        (StoredSession::Oidc(_), Some(end)) if is_over(end) => {
            format!("over since {}", moment::absolute(end))
        },
        (StoredSession::Token(_), Some(end)) if is_over(end) => {
            format!("over since {}, unless used", moment::absolute(end))
        },
        (_, Some(end)) => format!("until {}", moment::absolute(end)),
        (_, None) => "open".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sessions_are_described_by_their_end() {
        let profile = |session: &str| -> Profile {
            let text = format!("{{\"url\": \"https://c:1280\"{session}}}");
            serde_json::from_str(&text).unwrap()
        };
        let now = "2031-01-01T00:00:00Z".parse().unwrap();
        for (text, expected) in [
            ("", "none"),
            (r#", "session": {"token": "t"}"#, "open"),
            (
                r#", "session": {"token": "t", "expiresAt": "2031-01-02T00:00:00.000Z"}"#,
                "until 2031-01-02T00:00:00Z",
            ),
            (
                r#", "session": {"token": "t", "expiresAt": "2030-12-31T00:00:00.000Z"}"#,
                "over since 2030-12-31T00:00:00Z, unless used",
            ),
            (
                r#", "session": {"accessToken": "a", "accessExpiresAt": "2030-12-31T00:00:00.000Z",
                    "refreshToken": "r", "expiresAt": "2031-01-02T00:00:00.000Z",
                    "identityId": "i"}"#,
                "until 2031-01-02T00:00:00Z",
            ),
            (
                r#", "session": {"accessToken": "a", "accessExpiresAt": "2030-12-31T00:00:00.000Z",
                    "identityId": "i"}"#,
                "over since 2030-12-31T00:00:00Z",
            ),
        ] {
            assert_eq!(session(&profile(text), now), expected);
        }
    }
}
