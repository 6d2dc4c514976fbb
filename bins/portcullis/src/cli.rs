//! The arguments.

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
    own_password::{self, PasswordCommand},
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
use crate::output::Format;
use clap::{Args, Parser, Subcommand};
use portcullis_api::edge_router_policy::EdgeRouterPolicyDetail;
use portcullis_api::service_edge_router_policy::ServiceEdgeRouterPolicyDetail;
use portcullis_api::service_policy::ServicePolicyDetail;
use std::path::PathBuf;

const EXAMPLES: &str = "\
Examples:
  portcullis login https://localhost:1280 --username admin
  portcullis identity create laptop --type device --output-jwt laptop.jwt
  portcullis enroll laptop.jwt
  portcullis whoami --identity laptop.json
  portcullis router-config check router.yml

Exit codes:
  0    done
  1    the controller refused, something failed, or a file that was checked is refused
  2    the arguments are invalid, or there is no terminal to ask a question on
  3    not logged in, or the session has expired
  4    the controller cannot be reached, or cannot be trusted
  130  cancelled with Ctrl-C

Errors go to the standard error, as text for people in every output format; the
standard output holds results only. If a reader closes the output early, that is not a failure.

Environment:
  PORTCULLIS_PROFILE       profile to use instead of `default`
  PORTCULLIS_CONFIG_DIR    folder of the profiles instead of ~/.config/portcullis
  PORTCULLIS_CODE          TOTP or recovery code, for `login`, `whoami`, `renew` and `mfa`
  PORTCULLIS_PASSWORD      your password, for `login`, `enroll` and `password change`
  PORTCULLIS_NEW_PASSWORD  new password, for `password change` and `authenticator`
  NO_COLOR                 no colours, even if the terminal supports them";

/// Administers a Portcullis network, and enrolls devices in it
#[derive(Debug, Parser)]
#[command(name = "portcullis", version, after_long_help = EXAMPLES, max_term_width = 100)]
pub(crate) struct Cli {
    #[command(flatten)]
    pub(crate) global: GlobalArgs,

    #[command(subcommand)]
    pub(crate) command: Command,
}

/// Arguments of every command.
#[derive(Debug, Args)]
#[command(next_help_heading = "Global options")]
pub(crate) struct GlobalArgs {
    /// Format of the results
    #[arg(
        short,
        long,
        global = true,
        value_name = "FORMAT",
        value_enum,
        default_value_t
    )]
    pub(crate) output: Format,

    /// Profile to use: it remembers a controller and a session with it; the one in
    /// `PORTCULLIS_PROFILE`, else `default`, if left out
    #[arg(
        long,
        global = true,
        value_name = "NAME",
        value_parser = crate::words::not_blank
    )]
    pub(crate) profile: Option<String>,

    /// Folder of the profiles; the one in `PORTCULLIS_CONFIG_DIR` if left out
    #[arg(long, global = true, value_name = "FOLDER", hide_short_help = true)]
    pub(crate) config_dir: Option<PathBuf>,

    /// Timeout of a request in seconds
    #[arg(
        long,
        global = true,
        value_name = "SECONDS",
        default_value_t = 30,
        value_parser = clap::value_parser!(u64).range(1..=3600),
        hide_short_help = true
    )]
    pub(crate) timeout: u64,

    /// Log each request to the standard error, without secrets
    #[arg(short, long, global = true)]
    pub(crate) verbose: bool,
}

/// What to do.
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Log in to a controller by password, certificate or JWT
    Login(LoginArgs),
    /// End the session
    #[command(after_long_help = logout::EXAMPLES)]
    Logout,
    /// Show who is logged in, or whom an identity file belongs to
    Whoami(WhoamiArgs),
    /// Turn a token from an administrator into an identity file or a password
    Enroll(EnrollArgs),
    /// Replace the certificate of an identity file with a new one
    Renew(RenewArgs),
    #[command(flatten)]
    Administration(Administration),
    /// Check, show, explain and generate configuration files of routers, without a controller
    #[command(subcommand, after_long_help = router_config::EXAMPLES)]
    RouterConfig(RouterConfigCommand),
    /// Show the version of this program and of the controller
    Version(VersionArgs),
    /// Print a script that completes commands in a shell
    Completion(CompletionArgs),
}

/// What to do in a session.
#[derive(Debug, Subcommand)]
pub(crate) enum Administration {
    /// Create, show, change and delete identities
    #[command(subcommand, visible_alias = "identities", after_long_help = identity::EXAMPLES)]
    Identity(IdentityCommand),
    /// Create, list, renew and delete enrollments
    #[command(subcommand, visible_alias = "enrollments", after_long_help = enrollment::EXAMPLES)]
    Enrollment(EnrollmentCommand),
    /// Create, show, change and delete what identities log in with
    #[command(subcommand, visible_alias = "authenticators", after_long_help = authenticator::EXAMPLES)]
    Authenticator(AuthenticatorCommand),
    /// List, show and end sessions
    #[command(subcommand, visible_alias = "sessions", after_long_help = session::EXAMPLES)]
    Session(SessionCommand),
    /// Revoke signed tokens, and list and show revocations
    #[command(subcommand, visible_alias = "revocations", after_long_help = revocation::EXAMPLES)]
    Revocation(RevocationCommand),
    /// Create, show, change and delete authentication policies
    #[command(subcommand, visible_alias = "auth-policies", after_long_help = auth_policy::EXAMPLES)]
    AuthPolicy(AuthPolicyCommand),
    /// Add, verify, show, change and delete third-party authorities
    #[command(subcommand, visible_alias = "cas", after_long_help = ca::EXAMPLES)]
    Ca(CaCommand),
    /// Create, show, change and delete external signers of JWTs
    #[command(subcommand, visible_alias = "ext-jwt-signers", after_long_help = ext_jwt_signer::EXAMPLES)]
    ExtJwtSigner(ExtJwtSignerCommand),
    /// Create, show, change and delete services
    #[command(subcommand, visible_alias = "services", after_long_help = service::EXAMPLES)]
    Service(ServiceCommand),
    /// Create, show, change and delete configurations of services and routers
    #[command(subcommand, visible_alias = "configs", after_long_help = config::EXAMPLES)]
    Config(ConfigCommand),
    /// Create, show, change and delete types of configurations
    #[command(subcommand, visible_alias = "config-types", after_long_help = config_type::EXAMPLES)]
    ConfigType(ConfigTypeCommand),
    /// Create, show, change and delete policies that let identities dial or bind services
    #[command(
        subcommand,
        visible_alias = "service-policies",
        after_long_help = ServicePolicyDetail::EXAMPLES
    )]
    ServicePolicy(Box<PolicyCommand<ServicePolicyDetail>>),
    /// Create, show, change and delete policies that let identities use edge routers
    #[command(
        subcommand,
        visible_alias = "edge-router-policies",
        after_long_help = EdgeRouterPolicyDetail::EXAMPLES
    )]
    EdgeRouterPolicy(Box<PolicyCommand<EdgeRouterPolicyDetail>>),
    /// Create, show, change and delete policies that let services use edge routers
    #[command(
        subcommand,
        visible_alias = "service-edge-router-policies",
        after_long_help = ServiceEdgeRouterPolicyDetail::EXAMPLES
    )]
    ServiceEdgeRouterPolicy(Box<PolicyCommand<ServiceEdgeRouterPolicyDetail>>),
    /// Create, show, change and delete posture checks: what policies require of machines and their users
    #[command(
        subcommand,
        visible_alias = "posture-checks",
        after_long_help = posture_check::EXAMPLES
    )]
    PostureCheck(Box<PostureCheckCommand>),
    /// Create, show, change, re-enroll and delete edge routers
    #[command(subcommand, visible_alias = "edge-routers", after_long_help = edge_router::EXAMPLES)]
    EdgeRouter(Box<EdgeRouterCommand>),
    /// Create, show, change and delete routers that pass traffic on
    #[command(
        subcommand,
        visible_alias = "transit-routers",
        after_long_help = transit_router::EXAMPLES
    )]
    TransitRouter(Box<TransitRouterCommand>),
    /// Create, show, change and delete terminators: the addresses where services are available
    #[command(subcommand, visible_alias = "terminators", after_long_help = terminator::EXAMPLES)]
    Terminator(TerminatorCommand),
    /// Explain why identities can or cannot use services
    #[command(subcommand, after_long_help = policy_advisor::EXAMPLES)]
    PolicyAdvisor(PolicyAdvisorCommand),
    /// Copy and check the store of the controller, and count its entities
    #[command(subcommand, visible_alias = "db", after_long_help = database::EXAMPLES)]
    Database(DatabaseCommand),
    /// Protect your logins with codes of an authenticator app (TOTP), and manage your codes
    #[command(subcommand, after_long_help = mfa::EXAMPLES)]
    Mfa(MfaCommand),
    /// Change your own password
    #[command(subcommand, after_long_help = own_password::EXAMPLES)]
    Password(PasswordCommand),
    /// Send a request to the API for which there is no command
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
