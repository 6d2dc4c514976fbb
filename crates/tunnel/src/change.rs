//! What a tunnel is told of its identity and its services.

use portcullis_domain::identity::Precedence;
use portcullis_tunnel_config::TunnelerIdentity;
use portcullis_tunneler::{Service, ServiceId};

/// A change of the identity or of services that it may use.
#[derive(Debug, Clone)]
pub enum ServiceChange {
    /// These are all services that the identity may use.
    All(Vec<Service>),
    /// It may use this one, or something about this one has changed.
    Set(Service),
    /// It may not use this one any more.
    Remove(ServiceId),
    /// The identity itself, and what it says of all services that it hosts.
    Identity {
        identity: TunnelerIdentity,
        precedence: Precedence,
        cost: u16,
    },
}
