//! The commands, one file for each noun.

pub(crate) mod api;
mod attributes;
pub(crate) mod auth_policy;
pub(crate) mod authenticator;
mod by_role;
pub(crate) mod ca;
pub(crate) mod completion;
pub(crate) mod config;
pub(crate) mod config_type;
mod configs;
mod data;
pub(crate) mod database;
pub(crate) mod deletion;
mod document;
pub(crate) mod edge_router;
pub(crate) mod enroll;
pub(crate) mod enrollment;
mod entities;
mod expiry;
pub(crate) mod ext_jwt_signer;
pub(crate) mod identity;
mod listing;
pub(crate) mod login;
pub(crate) mod logout;
pub(crate) mod mfa;
mod named_deletion;
mod of_identity;
pub(crate) mod own_password;
mod page;
pub(crate) mod policy;
pub(crate) mod policy_advisor;
pub(crate) mod posture_check;
pub(crate) mod renew;
pub(crate) mod revocation;
mod role_attributes;
mod router;
pub(crate) mod router_config;
mod selectors;
mod semantic;
pub(crate) mod service;
pub(crate) mod session;
pub(crate) mod terminator;
mod token_file;
pub(crate) mod transit_router;
pub(crate) mod version;
pub(crate) mod whoami;

use crate::cli::{Administration, Cli, Command};
use crate::context::Context;
use crate::error::CliError;
use crate::output::Output;

/// Does what the arguments say.
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
        Command::Completion(arguments) => completion::run(&arguments),
        Command::Administration(command) => administer(&context()?, command).await,
    }
}

/// Does what needs a session.
async fn administer(context: &Context, command: Administration) -> Result<(), CliError> {
    command.check(context.output)?;
    let session = context.session()?;
    let result = match command {
        Administration::Identity(command) => identity::run(context, &session, command).await,
        Administration::Enrollment(command) => enrollment::run(context, &session, command).await,
        Administration::Authenticator(command) => {
            authenticator::run(context, &session, command).await
        },
        Administration::Session(command) => session::run(context, &session, command).await,
        Administration::Revocation(command) => revocation::run(context, &session, command).await,
        Administration::AuthPolicy(command) => auth_policy::run(context, &session, command).await,
        Administration::Ca(command) => ca::run(context, &session, command).await,
        Administration::ExtJwtSigner(command) => {
            ext_jwt_signer::run(context, &session, command).await
        },
        Administration::Service(command) => service::run(context, &session, command).await,
        Administration::Config(command) => config::run(context, &session, command).await,
        Administration::ConfigType(command) => config_type::run(context, &session, command).await,
        Administration::ServicePolicy(command) => policy::run(context, &session, *command).await,
        Administration::EdgeRouterPolicy(command) => policy::run(context, &session, *command).await,
        Administration::ServiceEdgeRouterPolicy(command) => {
            policy::run(context, &session, *command).await
        },
        Administration::PostureCheck(command) => {
            posture_check::run(context, &session, *command).await
        },
        Administration::EdgeRouter(command) => edge_router::run(context, &session, *command).await,
        Administration::TransitRouter(command) => {
            transit_router::run(context, &session, *command).await
        },
        Administration::Terminator(command) => terminator::run(context, &session, command).await,
        Administration::PolicyAdvisor(command) => {
            policy_advisor::run(context, &session, command).await
        },
        Administration::Database(command) => database::run(context, &session, command).await,
        Administration::Mfa(command) => mfa::run(context, &session, command).await,
        Administration::Password(command) => own_password::run(context, &session, command).await,
        Administration::Api(arguments) => api::run(context, &session, arguments).await,
    };
    session.explain(result).await
}

impl Administration {
    /// Refuses arguments that make no sense together.
    fn check(&self, output: Output) -> Result<(), CliError> {
        match self {
            Self::Identity(command) => command.check(output),
            Self::Enrollment(command) => command.check(output),
            Self::Api(arguments) => arguments.check(),
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
