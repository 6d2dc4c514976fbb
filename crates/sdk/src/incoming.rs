//! A connection that somebody dials.

use crate::channel::Offered;
use crate::randomness::Randomness;
use crate::stream::{Caller, ContextHandle, ServiceStream, StreamInfo};
use portcullis_sdk_proto::AnswerError;
use std::fmt;
use std::sync::Arc;

/// A connection that somebody dials, and that waits for an answer. Dropping it refuses it, and so does waiting
/// for more than 4.5 s.
#[must_use = "a connection that is dropped is refused"]
pub struct Incoming {
    offered: Offered,
    service: Arc<str>,
    caller: Caller,
    randomness: Randomness,
    context: ContextHandle,
}

/// A connection was not taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum AcceptError {
    /// Whoever has dialed does not wait any more.
    #[error("nobody waits for the connection any more")]
    Gone,
    #[error(transparent)]
    Random(#[from] portcullis_domain::entropy::EntropyError),
}

impl From<AnswerError> for AcceptError {
    fn from(_nobody: AnswerError) -> Self {
        Self::Gone
    }
}

impl Incoming {
    pub(crate) fn new(
        offered: Offered,
        service: Arc<str>,
        randomness: Randomness,
        context: ContextHandle,
    ) -> Self {
        let offer = &offered.offer;
        let caller = Caller {
            identity_id: offer.identity_id.clone(),
            identity_name: offer.identity_name.clone(),
            claimed_name: offer.caller_id.clone(),
        };
        Self {
            offered,
            service,
            caller,
            randomness,
            context,
        }
    }

    /// Who dials.
    pub const fn caller(&self) -> &Caller {
        &self.caller
    }

    /// What the dialing program has sent with the dial; empty if nothing.
    pub fn app_data(&self) -> &[u8] {
        let data = self.offered.offer.app_data.as_ref();
        data.map_or(&[], |data| data.expose())
    }

    /// By which routers and controllers know the connection.
    pub fn circuit_id(&self) -> Option<&str> {
        self.offered.offer.circuit_id.as_deref()
    }

    /// Whether nobody but the dialing program will be able to read what is written.
    pub const fn is_encrypted(&self) -> bool {
        self.offered.offer.is_encrypted
    }

    /// Takes the connection.
    ///
    /// # Errors
    ///
    /// [`AcceptError`]: the listener goes on.
    pub fn accept(self) -> Result<ServiceStream, AcceptError> {
        let Self {
            offered,
            service,
            caller,
            randomness,
            context,
        } = self;
        let header = randomness.header()?;
        let info = StreamInfo {
            service,
            circuit_id: offered.offer.circuit_id.clone(),
            is_encrypted: offered.offer.is_encrypted,
            stickiness_token: None,
            caller: Some(caller),
            marker: offered.offer.marker.clone(),
        };
        let connection = offered.accept(&header)?;
        Ok(ServiceStream::new(connection, info, context))
    }

    /// Does not take the connection. The dialing program is told why.
    pub fn refuse(self, reason: &str) {
        self.offered.refuse(reason);
    }
}

impl fmt::Debug for Incoming {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Incoming")
            .field("service", &self.service)
            .field("caller", &self.caller)
            .finish_non_exhaustive()
    }
}
