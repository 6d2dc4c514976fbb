//! Dispatch of commands.

use crate::cli::{self, Cli, Command, ManagementCommand};
use crate::commands::verb::Verb as _;
use crate::commands::{
    completion, enroll, login, logout, man, profile, renew, router_config, version, whoami,
};
use crate::context::Context;
use crate::error::CliError;

/// Runs the command.
pub(crate) async fn run(cli: Cli) -> Result<(), CliError> {
    let Cli { global, command } = cli;
    let output = global.output;
    let context = || Context::new(global);
    match command {
        Command::Login(arguments) => login::run(&context()?, arguments).await,
        Command::Logout => logout::run(&context()?).await,
        Command::Whoami(arguments) => whoami::run(&context()?, arguments).await,
        Command::Renew(arguments) => renew::run(&context()?, arguments).await,
        Command::Enroll(arguments) => enroll::run(&context()?, arguments).await,
        Command::RouterConfig(command) => router_config::run(output, &command),
        Command::Profile(command) => profile::run(&context()?, command).await,
        Command::Version(arguments) => version::run(&context()?, arguments).await,
        Command::Completion(arguments) => completion::run(&arguments),
        Command::Man(arguments) => man::run(&context()?, &arguments, cli::command()),
        Command::Management(command) => administer(&context()?, command).await,
    }
}

/// Runs a command that needs a session.
async fn administer(context: &Context, command: ManagementCommand) -> Result<(), CliError> {
    command.check(context.output)?;
    let session = context.session()?;
    let result = command.run(context, &session).await;
    session.explain(context, result).await
}
