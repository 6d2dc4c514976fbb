//! A service that is hosted.

use bytes::Bytes;
use portcullis_e2e_encryption::KeyPair;
use portcullis_wire::{Precedence, Secret, Token};
use std::sync::Arc;

/// What to host, and how.
#[derive(Debug, Clone)]
pub struct BindRequest {
    /// JWT of a service session for hosting.
    pub session: Token,
    /// The same for all binds of one listener at all routers, and of no other: random. A later bind takes
    /// the place of an earlier one.
    pub listener_id: Option<Bytes>,
    /// Name by which dialers choose among the terminators of the service: the identity's own, if it is
    /// addressed by that. A terminator with a name is not dialed without it.
    pub instance_id: Option<String>,
    /// Needed to host under the same name again.
    pub instance_secret: Option<Secret<Bytes>>,
    /// Random, the same for all routers; `None` if the service is not encrypted from end to end.
    pub keys: Option<Arc<KeyPair>>,
    pub cost: Option<u16>,
    pub precedence: Option<Precedence>,
    /// Circuits end here, if the router can do that; else they end in the router.
    pub prefers_xgress: bool,
}

/// A bind, as far as it has come.
#[derive(Debug)]
pub(crate) struct Bind {
    pub(crate) session: Token,
    pub(crate) keys: Option<Arc<KeyPair>>,
    pub(crate) phase: BindPhase,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum BindPhase {
    /// The router has not answered.
    Asked,
    /// The controller may not have the terminator yet.
    Answered,
    Bound,
}
