//! Commands that need a session.

use crate::commands::verb::delegate_verbs;
use crate::commands::{
    api::ApiArgs,
    auth_policy::{self, AuthPolicyCommand},
    authenticator::{self, AuthenticatorCommand},
    ca::{self, CaCommand},
    config::{self, ConfigCommand},
    config_type::{self, ConfigTypeCommand},
    database::{self, DatabaseCommand},
    edge_router::{self, EdgeRouterCommand},
    enrollment::{self, EnrollmentCommand},
    events::EventsArgs,
    ext_jwt_signer::{self, ExtJwtSignerCommand},
    fabric::{self, FabricCommand},
    identity::{self, IdentityCommand},
    mfa::{self, MfaCommand},
    password::{self, PasswordCommand},
    policy::{Policy as _, PolicyCommand},
    policy_advisor::{self, PolicyAdvisorCommand},
    posture_check::{self, PostureCheckCommand},
    revocation::{self, RevocationCommand},
    service::{self, ServiceCommand},
    session::{self, SessionCommand},
    terminator::{self, TerminatorCommand},
    transit_router::{self, TransitRouterCommand},
};
use clap::Subcommand;
use portcullis_api::edge_router_policy::EdgeRouterPolicyDetail;
use portcullis_api::service_edge_router_policy::ServiceEdgeRouterPolicyDetail;
use portcullis_api::service_policy::ServicePolicyDetail;

#[derive(Debug, Subcommand)]
pub(crate) enum ManagementCommand {
    /// Manage identities
    #[command(subcommand, alias = "identities", after_long_help = identity::EXAMPLES)]
    Identity(IdentityCommand),
    /// Manage enrollments and their tokens
    #[command(subcommand, alias = "enrollments", after_long_help = enrollment::EXAMPLES)]
    Enrollment(EnrollmentCommand),
    /// Manage the credentials of identities
    #[command(subcommand, alias = "authenticators", after_long_help = authenticator::EXAMPLES)]
    Authenticator(AuthenticatorCommand),
    /// List, show and end sessions
    #[command(subcommand, alias = "sessions", after_long_help = session::EXAMPLES)]
    Session(SessionCommand),
    /// Revoke signed tokens, list and show revocations
    #[command(subcommand, alias = "revocations", after_long_help = revocation::EXAMPLES)]
    Revocation(RevocationCommand),
    /// Manage authentication policies
    #[command(subcommand, alias = "auth-policies", after_long_help = auth_policy::EXAMPLES)]
    AuthPolicy(AuthPolicyCommand),
    /// Manage third-party CAs
    #[command(subcommand, alias = "cas", after_long_help = ca::EXAMPLES)]
    Ca(CaCommand),
    /// Manage external JWT signers
    #[command(subcommand, alias = "ext-jwt-signers", after_long_help = ext_jwt_signer::EXAMPLES)]
    ExtJwtSigner(ExtJwtSignerCommand),
    /// Manage services
    #[command(subcommand, alias = "services", after_long_help = service::EXAMPLES)]
    Service(ServiceCommand),
    /// Manage configurations for services and routers
    #[command(subcommand, alias = "configs", after_long_help = config::EXAMPLES)]
    Config(ConfigCommand),
    /// Manage configuration types
    #[command(subcommand, alias = "config-types", after_long_help = config_type::EXAMPLES)]
    ConfigType(ConfigTypeCommand),
    /// Manage who may dial or bind services
    #[command(
        subcommand,
        alias = "service-policies",
        after_long_help = ServicePolicyDetail::EXAMPLES
    )]
    ServicePolicy(Box<PolicyCommand<ServicePolicyDetail>>),
    /// Manage which edge routers identities may use
    #[command(
        subcommand,
        alias = "edge-router-policies",
        after_long_help = EdgeRouterPolicyDetail::EXAMPLES
    )]
    EdgeRouterPolicy(Box<PolicyCommand<EdgeRouterPolicyDetail>>),
    /// Manage which edge routers services may use
    #[command(
        subcommand,
        alias = "service-edge-router-policies",
        after_long_help = ServiceEdgeRouterPolicyDetail::EXAMPLES
    )]
    ServiceEdgeRouterPolicy(Box<PolicyCommand<ServiceEdgeRouterPolicyDetail>>),
    /// Manage what policies require of devices and users
    #[command(
        subcommand,
        alias = "posture-checks",
        after_long_help = posture_check::EXAMPLES
    )]
    PostureCheck(Box<PostureCheckCommand>),
    /// Manage edge routers
    #[command(subcommand, alias = "edge-routers", after_long_help = edge_router::EXAMPLES)]
    EdgeRouter(Box<EdgeRouterCommand>),
    /// Manage transit routers
    #[command(
        subcommand,
        alias = "transit-routers",
        after_long_help = transit_router::EXAMPLES
    )]
    TransitRouter(Box<TransitRouterCommand>),
    /// Manage terminators, the addresses of services
    #[command(subcommand, alias = "terminators", after_long_help = terminator::EXAMPLES)]
    Terminator(TerminatorCommand),
    /// See routers, links and circuits as they are now
    #[command(subcommand, after_long_help = fabric::EXAMPLES)]
    Fabric(FabricCommand),
    /// Follow events of the network as they happen
    Events(EventsArgs),
    /// Explain why identities can or cannot use services
    #[command(subcommand, after_long_help = policy_advisor::EXAMPLES)]
    PolicyAdvisor(PolicyAdvisorCommand),
    /// Back up and check the store, count its entities
    #[command(subcommand, alias = "db", after_long_help = database::EXAMPLES)]
    Database(DatabaseCommand),
    /// Protect your own logins with TOTP codes
    #[command(subcommand, after_long_help = mfa::EXAMPLES)]
    Mfa(MfaCommand),
    /// Change your own password
    #[command(subcommand, after_long_help = password::EXAMPLES)]
    Password(PasswordCommand),
    /// Send an arbitrary request to the API
    Api(ApiArgs),
}

delegate_verbs!(
    ManagementCommand: Identity, Enrollment, Authenticator, Session, Revocation, AuthPolicy, Ca,
    ExtJwtSigner, Service, Config, ConfigType, ServicePolicy, EdgeRouterPolicy,
    ServiceEdgeRouterPolicy, PostureCheck, EdgeRouter, TransitRouter, Terminator, Fabric, Events, PolicyAdvisor,
    Database, Mfa, Password, Api
);
