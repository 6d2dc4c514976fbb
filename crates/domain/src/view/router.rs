//! Routers and what uses them, together with what is shown beside them.

use super::{IdentityRef, Named, RouterRef, ServiceGrants};
use crate::enrollment::{Enrollment, EnrollmentSecrets};
use crate::ids::{ServiceId, ServicePolicyId};
use crate::router::Router;
use crate::session::Session;
use crate::terminator::Terminator;
use std::collections::BTreeMap;

/// A router and how it is connected: what clients get to see.
#[derive(Debug, Clone, PartialEq)]
pub struct RouterView {
    /// The router.
    pub router: Router,
    /// How it is connected.
    pub connection: RouterConnection,
}

/// A router with its pending enrollment: what administrators get to see.
#[derive(Debug, Clone)]
pub struct ManagedRouterView {
    /// The router.
    pub router: Router,
    /// How it is connected.
    pub connection: RouterConnection,
    /// Its pending enrollment, an expired one included, with what redeems it if the caller may know
    /// that.
    pub enrollment: Option<(Enrollment, Option<EnrollmentSecrets>)>,
}

/// How a router is connected to the controller, and what it said of itself. The default is that of
/// one that was not heard of.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct RouterConnection {
    /// Whether it is connected.
    pub is_online: bool,
    /// Name of its host, as it says.
    pub hostname: String,
    /// Addresses for clients, by protocol.
    pub supported_protocols: BTreeMap<String, String>,
    /// How far it knows what it has to know.
    pub sync_status: SyncStatus,
    /// What it runs.
    pub version: RouterVersion,
}

/// How far a router knows the identities, services and policies of the network.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub enum SyncStatus {
    /// It was not heard of.
    #[default]
    Unknown,
    /// It connected.
    New,
    /// It waits for its turn.
    Queued,
    /// It is asked what it is.
    Hello,
    /// It answered, and others are served first.
    HelloWait,
    /// It asked for everything anew and waits.
    ResyncWait,
    /// It is being told.
    InProgress,
    /// It knows everything.
    Done,
    /// The connection ended before it knew everything.
    Disconnected,
    /// It did not say what it is in time.
    HelloTimeout,
    /// Something went wrong on the way.
    Error,
}

/// What a router runs, as it says.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct RouterVersion {
    /// Processor architecture.
    pub arch: String,
    /// When its program was built.
    pub build_date: String,
    /// Operating system.
    pub os: String,
    /// Source revision of its program.
    pub revision: String,
    /// Version of its program.
    pub version: String,
}

/// A terminator and what it belongs to.
#[derive(Debug, Clone, PartialEq)]
pub struct TerminatorView {
    /// The terminator.
    pub terminator: Terminator,
    /// Its service.
    pub service: Named<ServiceId>,
    /// Its router.
    pub router: RouterRef,
    /// What using it costs besides, by what was learnt of late.
    pub dynamic_cost: u16,
}

/// A service session and what belongs to it.
#[derive(Debug, Clone, PartialEq)]
pub struct SessionView {
    /// The session.
    pub session: Session,
    /// Its service.
    pub service: Named<ServiceId>,
    /// The edge routers through which it may be used.
    pub edge_routers: Vec<RouterView>,
    /// The policies that grant it.
    pub policies: Vec<Named<ServicePolicyId>>,
}

/// Whether an identity can use a service, and what of it is missing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PolicyAdviceView {
    /// The identity.
    pub identity: IdentityRef,
    /// The service.
    pub service: Named<ServiceId>,
    /// What service policies grant the identity.
    pub grants: ServiceGrants,
    /// How many edge routers the identity may use.
    pub identity_router_count: u32,
    /// Through how many edge routers the service may be used.
    pub service_router_count: u32,
    /// The edge routers that are among both.
    pub common_routers: Vec<CommonRouter>,
}

/// An edge router that an identity and a service have in common.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CommonRouter {
    /// The router.
    pub router: RouterRef,
    /// Whether it is connected.
    pub is_online: bool,
}

impl SyncStatus {
    /// Every status.
    pub const ALL: [Self; 11] = [
        Self::Unknown,
        Self::New,
        Self::Queued,
        Self::Hello,
        Self::HelloWait,
        Self::ResyncWait,
        Self::InProgress,
        Self::Done,
        Self::Disconnected,
        Self::HelloTimeout,
        Self::Error,
    ];

    /// The word on the wire.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Unknown => "SYNC_UNKNOWN",
            Self::New => "SYNC_NEW",
            Self::Queued => "SYNC_QUEUED",
            Self::Hello => "SYNC_HELLO",
            Self::HelloWait => "SYNC_HELLO_WAIT",
            Self::ResyncWait => "SYNC_RESYNC_WAIT",
            Self::InProgress => "SYNC_IN_PROGRESS",
            Self::Done => "SYNC_DONE",
            Self::Disconnected => "SYNC_DISCONNECTED",
            Self::HelloTimeout => "SYNC_HELLO_TIMEOUT",
            Self::Error => "SYNC_ERROR",
        }
    }
}
