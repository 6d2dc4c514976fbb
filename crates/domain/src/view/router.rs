//! Read models of routers, terminators and sessions.

use super::{IdentityRef, NamedRef, RouterRef, ServiceGrants};
use crate::clock::Timestamp;
use crate::enrollment::{Enrollment, EnrollmentSecrets};
use crate::ids::{ServiceId, ServicePolicyId};
use crate::router::Router;
use crate::session::Session;
use crate::terminator::Terminator;
use std::collections::BTreeMap;

pub use crate::router::RouterVersion;

/// A router as shown to clients.
#[derive(Debug, Clone, PartialEq)]
pub struct RouterView {
    pub router: Router,
    pub connection: RouterConnection,
}

/// A router as shown to administrators, with its pending enrollment.
#[derive(Debug, Clone)]
pub struct ManagedRouterView {
    pub router: Router,
    pub connection: RouterConnection,
    /// Pending enrollment, possibly expired, with its secrets if the caller may see them.
    pub enrollment: Option<(Enrollment, Option<EnrollmentSecrets>)>,
}

/// Connection state of a router, and what it reported about itself. The default is a router that
/// never connected.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct RouterConnection {
    /// When the connection began; `None` while it is offline.
    pub connected_since: Option<Timestamp>,
    /// When the last connection ended; `None` if none has ended since the start of this process.
    pub disconnected_at: Option<Timestamp>,
    /// As reported by the router.
    pub hostname: String,
    /// Client addresses by protocol.
    pub supported_protocols: BTreeMap<String, String>,
    pub sync_status: SyncStatus,
    pub version: RouterVersion,
    /// Where other routers dial it.
    pub link_listeners: Vec<LinkListener>,
    /// Number of connections of its control channel, by type such as `ctrl.default`.
    pub channels: BTreeMap<String, u32>,
}

/// Where a router listens for links.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct LinkListener {
    /// Such as `tls:router.example.com:6262`.
    pub address: String,
    pub protocol: String,
    /// Routers with a group in common dial each other.
    pub groups: Vec<String>,
}

/// Synchronization state of the data model on a router.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub enum SyncStatus {
    /// Never connected.
    #[default]
    Unknown,
    /// Connected.
    New,
    /// Waiting in the queue.
    Queued,
    /// Hello sent.
    Hello,
    /// Hello answered, waiting in the queue.
    HelloWait,
    /// Full resynchronization requested.
    ResyncWait,
    /// Synchronizing.
    InProgress,
    /// Synchronized.
    Done,
    /// Disconnected before completion.
    Disconnected,
    /// No hello in time.
    HelloTimeout,
    /// Synchronization failed.
    Error,
}

/// A terminator with its service and router.
#[derive(Debug, Clone, PartialEq)]
pub struct TerminatorView {
    pub terminator: Terminator,
    pub service: NamedRef<ServiceId>,
    pub router: RouterRef,
    /// Additional cost from recent measurements.
    pub dynamic_cost: u16,
}

/// A service session with related entities.
#[derive(Debug, Clone, PartialEq)]
pub struct SessionView {
    pub session: Session,
    pub service: NamedRef<ServiceId>,
    /// Usable edge routers.
    pub edge_routers: Vec<RouterView>,
    pub policies: Vec<NamedRef<ServicePolicyId>>,
}

/// Analysis of the access of an identity to a service.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PolicyAdviceView {
    pub identity: IdentityRef,
    pub service: NamedRef<ServiceId>,
    pub grants: ServiceGrants,
    /// Edge routers available to the identity.
    pub identity_router_count: u32,
    /// Edge routers available to the service.
    pub service_router_count: u32,
    /// Edge routers available to both.
    pub common_routers: Vec<CommonRouter>,
}

/// An edge router available to both identity and service.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CommonRouter {
    pub router: RouterRef,
    pub is_online: bool,
}

impl RouterConnection {
    pub const fn is_online(&self) -> bool {
        self.connected_since.is_some()
    }
}

impl SyncStatus {
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

    /// Name on the wire.
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
