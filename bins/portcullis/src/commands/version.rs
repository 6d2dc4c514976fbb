//! `portcullis version`.

use crate::context::Context;
use crate::error::CliError;
use crate::table::Table;
use clap::Args;
use portcullis_api::version::Version;
use serde::Serialize;
use std::time::Duration;

/// How long a controller may take that nobody has asked for.
const TIMEOUT: Duration = Duration::from_secs(2);

const EXAMPLES: &str = "\
With a session, the controller is asked as well; it makes no difference if it does not answer.

Examples:
  portcullis version
  portcullis version --controller    # for scripts";

/// Arguments of `version`.
#[derive(Debug, Args)]
#[command(after_long_help = EXAMPLES)]
pub(crate) struct VersionArgs {
    /// Fail if the controller of the profile does not tell its version
    #[arg(long)]
    controller: bool,
}

#[derive(Serialize)]
struct Versions {
    program: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    controller: Option<Version>,
}

pub(crate) async fn run(context: &Context, arguments: VersionArgs) -> Result<(), CliError> {
    let controller = if arguments.controller {
        Some(fetch_version(context).await?)
    } else {
        fetch_quickly(context).await
    };
    let versions = Versions {
        program: env!("CARGO_PKG_VERSION"),
        controller,
    };
    context.output.write_result(&versions, || table(&versions))
}

/// The version of the controller of a session, if it answers at once.
async fn fetch_quickly(context: &Context) -> Option<Version> {
    let profile = context.store.read(&context.profile).ok()??;
    profile.session.as_ref()?;
    let client = context.client_of(&profile).ok()?.timeout(TIMEOUT).build();
    let version = client.ok()?;
    let version = tokio::time::timeout(TIMEOUT, version.version()).await;
    version.ok()?.ok()
}

async fn fetch_version(context: &Context) -> Result<Version, CliError> {
    let profile = context.store.read(&context.profile)?.ok_or_else(|| {
        let name = &context.profile;
        CliError::not_logged_in(format!("no controller in profile `{name}`"), None)
    })?;
    let client = context.client_of(&profile)?.build()?;
    match client.version().await {
        Ok(version) => Ok(version),
        Err(error) => Err(profile.explain_untrusted(context, error.into()).await),
    }
}

fn table(versions: &Versions) -> Table {
    let table = Table::with_properties().property("portcullis", versions.program);
    match &versions.controller {
        Some(controller) => table
            .property(
                "controller",
                controller.build_info.as_deref().unwrap_or_default(),
            )
            .property("API version", &controller.version)
            .property("revision", &controller.revision)
            .property("built", build_date(controller))
            .property("capabilities", controller.capabilities.join(", ")),
        None => table,
    }
}

/// Build date of a controller; builds without one report 1970.
fn build_date(controller: &Version) -> &str {
    let date = controller.build_date.as_str();
    if date.starts_with("1970-01-01") {
        ""
    } else {
        date
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::render::Render as _;

    #[test]
    fn only_real_dates_are_shown() {
        for (date, is_shown) in [
            ("2031-02-03T04:05:06Z", true),
            ("1970-01-01T00:00:00Z", false),
            ("", false),
        ] {
            let controller = Version {
                build_date: date.to_owned(),
                ..Version::default()
            };
            let text = table(&Versions {
                program: "1",
                controller: Some(controller),
            });
            assert_eq!(text.render(None).contains("built:"), is_shown, "{date}");
        }
    }
}
