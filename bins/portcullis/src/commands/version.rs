//! `portcullis version`.

use crate::context::Context;
use crate::error::CliError;
use crate::table::Table;
use clap::Args;
use portcullis_api::version::Version;
use serde::Serialize;

const EXAMPLES: &str = "\
Examples:
  portcullis version
  portcullis version --controller";

/// Arguments of `version`.
#[derive(Debug, Args)]
#[command(after_long_help = EXAMPLES)]
pub(crate) struct VersionArgs {
    /// Ask the controller of the profile for its version, too
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
        Some(ask(context).await?)
    } else {
        None
    };
    let versions = Versions {
        program: env!("CARGO_PKG_VERSION"),
        controller,
    };
    context.output.result(&versions, || table(&versions))
}

async fn ask(context: &Context) -> Result<Version, CliError> {
    let profile = context.store.read(&context.profile)?.ok_or_else(|| {
        let name = &context.profile;
        CliError::not_logged_in(format!("no controller is known (profile `{name}`)"), None)
    })?;
    let client = context.client(&profile.url, profile.trust()?).build()?;
    Ok(client.version().await?)
}

fn table(versions: &Versions) -> Table {
    let table = Table::of_properties().property("portcullis", versions.program);
    match &versions.controller {
        Some(controller) => table
            .property(
                "controller",
                controller.build_info.as_deref().unwrap_or_default(),
            )
            .property("level of its API", &controller.version)
            .property("revision", &controller.revision)
            .property("built", &controller.build_date)
            .property("capabilities", controller.capabilities.join(", ")),
        None => table,
    }
}
