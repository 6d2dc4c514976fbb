//! The owner's access to a channel.

use crate::connected::{Connected, Stream};
use crate::contact::Contact;
use crate::pending::{PendingReply, Written};
use crate::reserved_room::ReservedRoom;
use crate::shared::Shared;
use portcullis_channel::group::{ChannelGrant, GroupId};
use portcullis_channel::{
    AttachError, CloseReason, Flow, Liveness, Message, Priority, ReplyTo, Role, SendError, Sequence,
};
use std::fmt;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::watch;
use tokio_util::sync::CancellationToken;

/// A channel that runs by itself: its tasks read, write and keep its deadlines.
///
/// Clones are the same channel. No method blocks, so all may be called while holding a lock; those
/// that wait return a future. Dropping handles does not close the channel; dropping its
/// [`Inbox`](crate::Inbox) does.
#[derive(Clone)]
pub struct ChannelHandle {
    shared: Arc<Shared>,
}

/// A connection of a channel.
#[derive(Debug, Clone)]
pub struct Attached {
    ended: CancellationToken,
}

impl ChannelHandle {
    pub(crate) const fn new(shared: Arc<Shared>) -> Self {
        Self { shared }
    }

    /// Adds a connection. If the channel cannot take it, it is closed.
    pub fn attach<S: Stream>(
        &self,
        grant: &ChannelGrant,
        connected: Connected<S>,
    ) -> Result<Attached, AttachError> {
        let ended = self.shared.attach(grant, connected)?;
        Ok(Attached::new(ended))
    }

    /// Keeps room for a connection, before its hello is accepted.
    ///
    /// # Errors
    ///
    /// The channel would not take it.
    pub fn reserve(&self, grant: ChannelGrant) -> Result<ReservedRoom, AttachError> {
        ReservedRoom::new(&self.shared, grant)
    }

    /// Queues a message. Messages of one priority that belong to no [flow](Flow) are written in the order of
    /// the calls.
    ///
    /// Returns its sequence number, by which a reply is known that comes to the inbox: unlike the reply
    /// to a [request](Self::request), it keeps its place among the other messages.
    ///
    /// A message that was accepted is lost only if its connection is.
    pub fn send(&self, priority: Priority, message: Message) -> Result<Sequence, SendError> {
        self.shared.send(Flow::COMMON, priority, message)
    }

    /// Queues a message of a flow. Those of one flow and priority are written in the order of the calls, and
    /// flows take turns.
    pub fn send_in(
        &self,
        flow: Flow,
        priority: Priority,
        message: Message,
    ) -> Result<Sequence, SendError> {
        self.shared.send(flow, priority, message)
    }

    /// Waits until a queue that has refused a message has room again, or the channel is closed. The future
    /// does not borrow the channel.
    pub fn writable(&self, priority: Priority) -> impl Future<Output = ()> + Send + use<> {
        self.writable_in(Flow::COMMON, priority)
    }

    /// Waits until a queue that has refused a message of a flow has room for that flow, or the channel is
    /// closed.
    pub fn writable_in(
        &self,
        flow: Flow,
        priority: Priority,
    ) -> impl Future<Output = ()> + Send + use<> {
        let shared = Arc::clone(&self.shared);
        async move { shared.writable(flow, priority).await }
    }

    /// Queues a message, and tells when it has left: for senders that put no more than so many
    /// messages on the way, in order to notice slow peers.
    pub fn send_tracked(&self, priority: Priority, message: Message) -> Result<Written, SendError> {
        self.shared
            .send_tracked(priority, message)
            .map(Written::new)
    }

    /// Queues a request. The future is its reply.
    ///
    /// Dropping the future cancels the request: if it is still queued, it is not sent; if the reply
    /// still arrives, it is an ordinary message.
    pub fn request(
        &self,
        priority: Priority,
        message: Message,
        timeout: Duration,
    ) -> Result<PendingReply, SendError> {
        let (request, reply) = self.shared.request(priority, message, timeout)?;
        Ok(PendingReply::new(Arc::clone(&self.shared), request, reply))
    }

    /// Queues the reply to a request, which may be sent over any connection.
    pub fn reply(
        &self,
        request: &ReplyTo,
        priority: Priority,
        message: Message,
    ) -> Result<Sequence, SendError> {
        self.shared.reply(request, priority, message)
    }

    /// Closes the channel: what is queued is sent, for a second at most. Pending requests fail at
    /// once, and nothing that still arrives is handled.
    pub fn close(&self) {
        self.shared.close();
    }

    /// Waits until the channel is closed, by whatever. Its connections may live a second longer.
    pub async fn closed(&self) -> CloseReason {
        self.shared.closed.wait().await
    }

    /// Why the channel is closed; none if it is open.
    pub fn close_reason(&self) -> Option<CloseReason> {
        self.shared.closed.reason()
    }

    /// Tells when all connections are lost, and when there is one again. Only the dialer's channel to a
    /// controller goes on then; others are closed.
    pub fn contact(&self) -> watch::Receiver<Contact> {
        self.shared.contact.subscribe()
    }

    /// The id of the group, or of the ungrouped channel.
    pub fn id(&self) -> GroupId {
        self.shared.get(|channel, _| channel.id().clone())
    }

    /// Number of connections.
    pub fn connections(&self) -> usize {
        self.shared.get(|channel, _| channel.underlays().count())
    }

    /// The roles of the connections, oldest first.
    pub fn roles(&self) -> Vec<Role> {
        self.shared.get(|channel, _| channel.roles().collect())
    }

    /// Heartbeats; none without connections or if the protocol has no heartbeats.
    pub fn liveness(&self) -> Option<Liveness> {
        self.shared.get(portcullis_channel::Channel::liveness)
    }

    /// How long messages wait to be written, by one of them.
    pub fn queue_delay(&self, priority: Priority) -> Duration {
        self.shared
            .get(|channel, now| channel.queue_delay(priority, now))
    }

    /// Number of messages that wait to be written.
    pub fn queued_frames(&self, priority: Priority) -> usize {
        self.shared
            .get(|channel, _| channel.queued_frames(priority))
    }

    /// Number of bytes that wait to be written.
    pub fn queued_bytes(&self, priority: Priority) -> usize {
        self.shared.get(|channel, _| channel.queued_bytes(priority))
    }
}

impl fmt::Debug for ChannelHandle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ChannelHandle")
            .field("id", &self.id())
            .field("connections", &self.connections())
            .field("close_reason", &self.close_reason())
            .finish()
    }
}

impl Attached {
    pub(crate) const fn new(ended: CancellationToken) -> Self {
        Self { ended }
    }

    pub(crate) fn into_token(self) -> CancellationToken {
        self.ended
    }

    /// Waits until the connection has ended.
    pub async fn ended(&self) {
        self.ended.cancelled().await;
    }
}
