//! Dispatch of commands.

use crate::cli::{Cli, Command, ManagementCommand};
use crate::commands::{
    api, auth_policy, authenticator, ca, completion, config, config_type, database, edge_router,
    enroll, enrollment, ext_jwt_signer, identity, login, logout, mfa, password, policy,
    policy_advisor, posture_check, renew, revocation, router_config, service, session, terminator,
    transit_router, version, whoami,
};
use crate::context::Context;
use crate::error::CliError;
use crate::output::Output;
use clap::CommandFactory as _;

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
        Command::Version(arguments) => version::run(&context()?, arguments).await,
        Command::Completion(arguments) => completion::run(&arguments, &mut Cli::command()),
        Command::Management(command) => administer(&context()?, command).await,
    }
}

/// Runs a command that needs a session.
async fn administer(context: &Context, command: ManagementCommand) -> Result<(), CliError> {
    command.validate(context.output)?;
    let session = context.session()?;
    let result = match command {
        ManagementCommand::Identity(command) => identity::run(context, &session, command).await,
        ManagementCommand::Enrollment(command) => enrollment::run(context, &session, command).await,
        ManagementCommand::Authenticator(command) => {
            authenticator::run(context, &session, command).await
        },
        ManagementCommand::Session(command) => session::run(context, &session, command).await,
        ManagementCommand::Revocation(command) => revocation::run(context, &session, command).await,
        ManagementCommand::AuthPolicy(command) => {
            auth_policy::run(context, &session, command).await
        },
        ManagementCommand::Ca(command) => ca::run(context, &session, command).await,
        ManagementCommand::ExtJwtSigner(command) => {
            ext_jwt_signer::run(context, &session, command).await
        },
        ManagementCommand::Service(command) => service::run(context, &session, command).await,
        ManagementCommand::Config(command) => config::run(context, &session, command).await,
        ManagementCommand::ConfigType(command) => {
            config_type::run(context, &session, command).await
        },
        ManagementCommand::ServicePolicy(command) => policy::run(context, &session, *command).await,
        ManagementCommand::EdgeRouterPolicy(command) => {
            policy::run(context, &session, *command).await
        },
        ManagementCommand::ServiceEdgeRouterPolicy(command) => {
            policy::run(context, &session, *command).await
        },
        ManagementCommand::PostureCheck(command) => {
            posture_check::run(context, &session, *command).await
        },
        ManagementCommand::EdgeRouter(command) => {
            edge_router::run(context, &session, *command).await
        },
        ManagementCommand::TransitRouter(command) => {
            transit_router::run(context, &session, *command).await
        },
        ManagementCommand::Terminator(command) => terminator::run(context, &session, command).await,
        ManagementCommand::PolicyAdvisor(command) => {
            policy_advisor::run(context, &session, command).await
        },
        ManagementCommand::Database(command) => database::run(context, &session, command).await,
        ManagementCommand::Mfa(command) => mfa::run(context, &session, command).await,
        ManagementCommand::Password(command) => password::run(context, &session, command).await,
        ManagementCommand::Api(arguments) => api::run(context, &session, arguments).await,
    };
    session.explain(result).await
}

impl ManagementCommand {
    /// Rejects contradictory arguments.
    fn validate(&self, output: Output) -> Result<(), CliError> {
        match self {
            Self::Identity(command) => command.check(output),
            Self::Enrollment(command) => command.check(output),
            Self::Api(arguments) => arguments.validate(),
            Self::Authenticator(command) => command.check(output),
            Self::Ca(command) => command.check(output),
            Self::Config(command) => command.check(),
            Self::ServiceEdgeRouterPolicy(command) => command.check(),
            Self::EdgeRouterPolicy(command) => command.check(),
            Self::ServicePolicy(command) => command.check(),
            Self::ConfigType(command) => command.check(),
            Self::Service(command) => command.check(),
            Self::PostureCheck(command) => command.check(),
            Self::Terminator(command) => command.check(),
            Self::EdgeRouter(command) => command.check(output),
            Self::TransitRouter(command) => command.check(output),
            Self::ExtJwtSigner(command) => command.check(output),
            Self::Password(command) => command.check(),
            Self::Session(_)
            | Self::Revocation(_)
            | Self::AuthPolicy(_)
            | Self::PolicyAdvisor(_)
            | Self::Database(_)
            | Self::Mfa(_) => Ok(()),
        }
    }
}
