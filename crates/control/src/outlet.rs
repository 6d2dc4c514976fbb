//! Where messages for a router go.

use portcullis_channel::{Message, Priority, ReplyTo, Role, SendError, Sequence};
use portcullis_transport::{ChannelHandle, Written};

/// The sending side of a router's channel. Nothing here waits.
pub(crate) trait Outlet: Send + Sync {
    /// Queues a message.
    fn send(&self, priority: Priority, message: Message) -> Result<Sequence, SendError>;

    /// Queues a message, and tells when it was written.
    fn send_tracked(&self, priority: Priority, message: Message) -> Result<Written, SendError>;

    /// Queues the reply to a message.
    fn reply(
        &self,
        to: &ReplyTo,
        priority: Priority,
        message: Message,
    ) -> Result<Sequence, SendError>;

    /// Closes the channel.
    fn close(&self);

    /// The roles of the connections.
    fn roles(&self) -> Vec<Role>;
}

impl Outlet for ChannelHandle {
    fn send(&self, priority: Priority, message: Message) -> Result<Sequence, SendError> {
        Self::send(self, priority, message)
    }

    fn send_tracked(&self, priority: Priority, message: Message) -> Result<Written, SendError> {
        Self::send_tracked(self, priority, message)
    }

    fn reply(
        &self,
        to: &ReplyTo,
        priority: Priority,
        message: Message,
    ) -> Result<Sequence, SendError> {
        Self::reply(self, to, priority, message)
    }

    fn close(&self) {
        Self::close(self);
    }

    fn roles(&self) -> Vec<Role> {
        Self::roles(self)
    }
}
