//! Sessions of single services.

use crate::edge_router::EdgeRouter;
use portcullis_client::SecretString;
use portcullis_domain::ids::{ServiceId, SessionId};
use portcullis_domain::policies::ServiceGrant;
use std::fmt;

/// The right to dial or host one service.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct ServiceSessionKey {
    pub service: ServiceId,
    pub grant: ServiceGrant,
}

/// A session of a service, which legacy sessions need to dial or host it.
#[derive(Clone)]
pub struct ServiceSession {
    pub id: SessionId,
    pub key: ServiceSessionKey,
    /// What edge routers are shown, a JWT.
    pub token: SecretString,
    /// Edge routers through which it may be used.
    pub edge_routers: Vec<EdgeRouter>,
}

impl fmt::Debug for ServiceSession {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("ServiceSession")
            .field("id", &self.id)
            .field("key", &self.key)
            .field("edge_routers", &self.edge_routers)
            .finish_non_exhaustive()
    }
}
