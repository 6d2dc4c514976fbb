//! The commands, one file for each noun.

pub(crate) mod completion;
mod deletion;
pub(crate) mod enroll;
pub(crate) mod enrollment;
pub(crate) mod identity;
pub(crate) mod login;
pub(crate) mod logout;
mod page;
mod token_file;
pub(crate) mod version;
pub(crate) mod whoami;

use crate::cli::{Cli, Command};
use crate::context::Context;
use crate::error::CliError;

/// Does what the arguments say.
pub(crate) async fn run(cli: Cli) -> Result<(), CliError> {
    let context = Context::new(cli.global)?;
    match cli.command {
        Command::Login(arguments) => login::run(&context, arguments).await,
        Command::Logout => logout::run(&context).await,
        Command::Whoami(arguments) => whoami::run(&context, arguments).await,
        Command::Enroll(arguments) => enroll::run(&context, arguments).await,
        Command::Version(arguments) => version::run(&context, arguments).await,
        Command::Completion(arguments) => completion::run(&arguments),
        Command::Identity(command) => {
            command.check(context.output)?;
            let session = context.session()?;
            let result = identity::run(&context, &session, command).await;
            session.explain(result).await
        },
        Command::Enrollment(command) => {
            command.check(context.output)?;
            let session = context.session()?;
            let result = enrollment::run(&context, &session, command).await;
            session.explain(result).await
        },
    }
}
