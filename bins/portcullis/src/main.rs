//! `portcullis`: the command line of administrators and users of a Portcullis network.

mod auth_queries;
mod cli;
mod column;
mod commands;
mod completion;
mod context;
mod controller_url;
mod credential;
mod dispatch;
mod duration;
mod entity;
mod error;
mod ext_jwt;
mod files;
mod grid;
mod identity_file;
mod invocation;
mod listable;
mod management_channel;
mod mfa_code;
mod moment;
mod names;
mod output;
mod panic_filter;
mod password;
mod profile;
mod profile_tokens;
mod progress;
mod prompt;
mod render;
mod resolve;
mod secret;
mod secret_source;
mod shell;
mod suggestions;
mod table;
mod table_layout;
mod terminal;
mod text;
mod trust;
mod usage;

use clap::FromArgMatches as _;
use cli::Cli;
use error::CliError;
use std::process::ExitCode;

fn main() -> ExitCode {
    if let Some(code) = completion::answer() {
        return code;
    }
    let parsed = cli::command().try_get_matches();
    let cli = match parsed.and_then(|matches| Cli::from_arg_matches(&matches)) {
        Ok(cli) => cli,
        Err(usage) => return usage::report(usage),
    };
    invocation::remember(&cli.global);
    match run(cli) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => error.report(),
    }
}

fn run(cli: Cli) -> Result<(), CliError> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .map_err(|error| CliError::failed("the runtime cannot be started").with_source(error))?;
    let done = runtime.block_on(dispatch::run(cli));
    // A cancelled prompt still blocks its thread.
    runtime.shutdown_background();
    done
}
