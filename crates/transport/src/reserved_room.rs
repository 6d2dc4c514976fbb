//! Room for a connection whose hello is not answered yet.

use crate::channel_handle::Attached;
use crate::connected::{Connected, Stream};
use crate::shared::Shared;
use portcullis_channel::AttachError;
use portcullis_channel::group::ChannelGrant;
use std::fmt;
use std::sync::Arc;

/// Room that a channel keeps for one connection, until it is dropped.
///
/// Whoever accepts a connection that its channel then has no room for tells the peer that it is connected, and
/// closes the connection. So room comes first.
#[must_use = "room that is dropped is not kept"]
pub struct ReservedRoom {
    shared: Arc<Shared>,
    grant: ChannelGrant,
    is_kept: bool,
}

impl ReservedRoom {
    pub(crate) fn new(shared: &Arc<Shared>, grant: ChannelGrant) -> Result<Self, AttachError> {
        shared.reserve(&grant)?;
        Ok(Self {
            shared: Arc::clone(shared),
            grant,
            is_kept: true,
        })
    }

    /// What the connection is granted.
    pub const fn grant(&self) -> &ChannelGrant {
        &self.grant
    }

    /// Adds the connection.
    ///
    /// # Errors
    ///
    /// The channel has been closed meanwhile, or its group has a successor. The connection is closed.
    pub fn attach<S: Stream>(mut self, connected: Connected<S>) -> Result<Attached, AttachError> {
        self.is_kept = false;
        let ended = self.shared.attach_reserved(&self.grant, connected)?;
        Ok(Attached::new(ended))
    }
}

impl Drop for ReservedRoom {
    fn drop(&mut self) {
        if self.is_kept {
            self.shared.release();
        }
    }
}

impl fmt::Debug for ReservedRoom {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("ReservedRoom")
            .finish_non_exhaustive()
    }
}
