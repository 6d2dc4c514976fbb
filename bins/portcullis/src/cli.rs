//! Command-line arguments.

use crate::commands::{
    api::ApiArgs,
    auth_policy::{self, AuthPolicyCommand},
    authenticator::{self, AuthenticatorCommand},
    ca::{self, CaCommand},
    completion::CompletionArgs,
    config::{self, ConfigCommand},
    config_type::{self, ConfigTypeCommand},
    database::{self, DatabaseCommand},
    edge_router::{self, EdgeRouterCommand},
    enroll::EnrollArgs,
    enrollment::{self, EnrollmentCommand},
    ext_jwt_signer::{self, ExtJwtSignerCommand},
    identity::{self, IdentityCommand},
    login::LoginArgs,
    logout,
    mfa::{self, MfaCommand},
    password::{self, PasswordCommand},
    policy::{Policy as _, PolicyCommand},
    policy_advisor::{self, PolicyAdvisorCommand},
    posture_check::{self, PostureCheckCommand},
    renew::RenewArgs,
    revocation::{self, RevocationCommand},
    router_config::{self, RouterConfigCommand},
    service::{self, ServiceCommand},
    session::{self, SessionCommand},
    terminator::{self, TerminatorCommand},
    transit_router::{self, TransitRouterCommand},
    version::VersionArgs,
    whoami::WhoamiArgs,
};
use crate::context::GlobalArgs;
use clap::{Parser, Subcommand};
use portcullis_api::edge_router_policy::EdgeRouterPolicyDetail;
use portcullis_api::service_edge_router_policy::ServiceEdgeRouterPolicyDetail;
use portcullis_api::service_policy::ServicePolicyDetail;

const EXAMPLES: &str = "\
Examples:
  portcullis login https://localhost:1280 --username admin
  portcullis identity create laptop --type device --output-jwt laptop.jwt
  portcullis enroll laptop.jwt
  portcullis whoami --identity laptop.json
  portcullis router-config check router.yml

Exit codes:
  0    success
  1    the controller refused the request, the command failed, or a checked file is invalid
  2    the arguments are invalid, or a prompt is needed but there is no terminal
  3    not logged in, or the session has expired
  4    the controller cannot be reached or is not trusted
  130  cancelled with Ctrl-C

Results go to standard output, errors to standard error, as plain text in every output format. It is
not an error if a reader closes the output early.

Environment:
  PORTCULLIS_PROFILE       profile to use instead of `default`
  PORTCULLIS_CONFIG_DIR    directory for profiles instead of ~/.config/portcullis
  PORTCULLIS_CODE          TOTP or recovery code, for `login`, `whoami`, `renew` and `mfa`
  PORTCULLIS_PASSWORD      your password, for `login`, `enroll` and `password change`
  PORTCULLIS_NEW_PASSWORD  new password, for `password change` and `authenticator`
  NO_COLOR                 disable colors";

/// Administer a Portcullis network and enroll devices
#[derive(Debug, Parser)]
#[command(name = "portcullis", version, after_long_help = EXAMPLES, max_term_width = 100)]
pub(crate) struct Cli {
    #[command(flatten)]
    pub(crate) global: GlobalArgs,

    #[command(subcommand)]
    pub(crate) command: Command,
}

/// Top-level commands.
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Log in to a controller by password, certificate or JWT
    Login(LoginArgs),
    /// End the session
    #[command(after_long_help = logout::EXAMPLES)]
    Logout,
    /// Show the logged-in identity, or the identity of an identity file
    Whoami(WhoamiArgs),
    /// Enroll with a token from an administrator, to get an identity file or set a password
    Enroll(EnrollArgs),
    /// Renew the certificate of an identity file
    Renew(RenewArgs),
    #[command(flatten)]
    Management(ManagementCommand),
    /// Check, show, explain and generate router configuration files, offline
    #[command(subcommand, after_long_help = router_config::EXAMPLES)]
    RouterConfig(RouterConfigCommand),
    /// Show the version of this program and of the controller
    Version(VersionArgs),
    /// Generate a shell completion script
    Completion(CompletionArgs),
}

/// Commands that need a session.
#[derive(Debug, Subcommand)]
pub(crate) enum ManagementCommand {
    /// Manage identities
    #[command(subcommand, visible_alias = "identities", after_long_help = identity::EXAMPLES)]
    Identity(IdentityCommand),
    /// Manage enrollments
    #[command(subcommand, visible_alias = "enrollments", after_long_help = enrollment::EXAMPLES)]
    Enrollment(EnrollmentCommand),
    /// Manage authenticators, the credentials of identities
    #[command(subcommand, visible_alias = "authenticators", after_long_help = authenticator::EXAMPLES)]
    Authenticator(AuthenticatorCommand),
    /// List, show and end sessions
    #[command(subcommand, visible_alias = "sessions", after_long_help = session::EXAMPLES)]
    Session(SessionCommand),
    /// Revoke signed tokens, and list and show revocations
    #[command(subcommand, visible_alias = "revocations", after_long_help = revocation::EXAMPLES)]
    Revocation(RevocationCommand),
    /// Manage authentication policies
    #[command(subcommand, visible_alias = "auth-policies", after_long_help = auth_policy::EXAMPLES)]
    AuthPolicy(AuthPolicyCommand),
    /// Manage third-party CAs
    #[command(subcommand, visible_alias = "cas", after_long_help = ca::EXAMPLES)]
    Ca(CaCommand),
    /// Manage external JWT signers
    #[command(subcommand, visible_alias = "ext-jwt-signers", after_long_help = ext_jwt_signer::EXAMPLES)]
    ExtJwtSigner(ExtJwtSignerCommand),
    /// Manage services
    #[command(subcommand, visible_alias = "services", after_long_help = service::EXAMPLES)]
    Service(ServiceCommand),
    /// Manage configurations for services and routers
    #[command(subcommand, visible_alias = "configs", after_long_help = config::EXAMPLES)]
    Config(ConfigCommand),
    /// Manage configuration types
    #[command(subcommand, visible_alias = "config-types", after_long_help = config_type::EXAMPLES)]
    ConfigType(ConfigTypeCommand),
    /// Manage policies that let identities dial or bind services
    #[command(
        subcommand,
        visible_alias = "service-policies",
        after_long_help = ServicePolicyDetail::EXAMPLES
    )]
    ServicePolicy(Box<PolicyCommand<ServicePolicyDetail>>),
    /// Manage policies that let identities use edge routers
    #[command(
        subcommand,
        visible_alias = "edge-router-policies",
        after_long_help = EdgeRouterPolicyDetail::EXAMPLES
    )]
    EdgeRouterPolicy(Box<PolicyCommand<EdgeRouterPolicyDetail>>),
    /// Manage policies that let services use edge routers
    #[command(
        subcommand,
        visible_alias = "service-edge-router-policies",
        after_long_help = ServiceEdgeRouterPolicyDetail::EXAMPLES
    )]
    ServiceEdgeRouterPolicy(Box<PolicyCommand<ServiceEdgeRouterPolicyDetail>>),
    /// Manage posture checks, which policies require of devices and users
    #[command(
        subcommand,
        visible_alias = "posture-checks",
        after_long_help = posture_check::EXAMPLES
    )]
    PostureCheck(Box<PostureCheckCommand>),
    /// Manage edge routers
    #[command(subcommand, visible_alias = "edge-routers", after_long_help = edge_router::EXAMPLES)]
    EdgeRouter(Box<EdgeRouterCommand>),
    /// Manage transit routers
    #[command(
        subcommand,
        visible_alias = "transit-routers",
        after_long_help = transit_router::EXAMPLES
    )]
    TransitRouter(Box<TransitRouterCommand>),
    /// Manage terminators, the addresses at which services are available
    #[command(subcommand, visible_alias = "terminators", after_long_help = terminator::EXAMPLES)]
    Terminator(TerminatorCommand),
    /// Explain why identities can or cannot use services
    #[command(subcommand, after_long_help = policy_advisor::EXAMPLES)]
    PolicyAdvisor(PolicyAdvisorCommand),
    /// Back up and check the controller's store, and count its entities
    #[command(subcommand, visible_alias = "db", after_long_help = database::EXAMPLES)]
    Database(DatabaseCommand),
    /// Protect your own logins with TOTP codes from an authenticator app
    #[command(subcommand, after_long_help = mfa::EXAMPLES)]
    Mfa(MfaCommand),
    /// Change your own password
    #[command(subcommand, after_long_help = password::EXAMPLES)]
    Password(PasswordCommand),
    /// Send an arbitrary request to the API
    Api(ApiArgs),
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory as _;

    #[test]
    fn arguments_are_declared_without_contradictions() {
        Cli::command().debug_assert();
    }

    #[test]
    fn texts_below_the_help_are_not_wrapped() {
        let mut commands = vec![Cli::command()];
        while let Some(command) = commands.pop() {
            let text = command.get_after_long_help();
            for line in text.map(ToString::to_string).unwrap_or_default().lines() {
                let width = line.chars().count();
                assert!(width <= 100, "{}: {line}", command.get_name());
            }
            commands.extend(command.get_subcommands().cloned());
        }
    }
}
