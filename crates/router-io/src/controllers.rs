//! The controllers that are connected.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use parking_lot::RwLock;
use portcullis_channel::{Frame, ReplyTo};
use portcullis_router::edge::{ControllerId, Recipient, RequestFailure};
use portcullis_transport::ChannelHandle;
use portcullis_wire::control::ControlMessage;

/// What the control channels of a router carry is handed to this.
///
/// Nothing here waits: what takes time is done in tasks.
pub(crate) trait ControlService: Send + Sync {
    /// A control channel is open.
    fn connected(&self, controller: &ControllerId);

    /// It has ended.
    fn disconnected(&self, controller: &ControllerId);

    /// Handles a message. Those of one controller come in order. An answer goes by
    /// [`Controllers::reply`].
    fn handle(&self, from: &ControllerId, request: ReplyTo, message: ControlMessage);
}

/// The control channels that are open, by controller.
#[derive(Debug)]
pub(crate) struct Controllers {
    connected: RwLock<BTreeMap<ControllerId, ChannelHandle>>,
    request_timeout: Duration,
}

impl Controllers {
    /// `request_timeout` is `ctrl.defaultRequestTimeout`.
    pub(crate) const fn new(request_timeout: Duration) -> Self {
        Self {
            connected: RwLock::new(BTreeMap::new()),
            request_timeout,
        }
    }

    pub(crate) fn add(&self, controller: ControllerId, channel: ChannelHandle) {
        self.connected.write().insert(controller, channel);
    }

    pub(crate) fn remove(&self, controller: &ControllerId) {
        self.connected.write().remove(controller);
    }

    pub(crate) fn is_connected(&self, controller: &ControllerId) -> bool {
        self.connected.read().contains_key(controller)
    }

    /// The ids of all that are connected.
    pub(crate) fn ids(&self) -> Vec<ControllerId> {
        self.connected.read().keys().cloned().collect()
    }

    fn channel(&self, to: &Recipient) -> Result<(ControllerId, ChannelHandle), RequestFailure> {
        let connected = self.connected.read();
        let found = match to {
            Recipient::Any => connected.first_key_value(),
            Recipient::Only(controller) => connected.get_key_value(controller),
        };
        let (controller, channel) = found.ok_or(RequestFailure::NoController)?;
        Ok((controller.clone(), channel.clone()))
    }

    /// Tells a controller, and returns which one.
    pub(crate) fn tell(
        &self,
        to: &Recipient,
        message: &ControlMessage,
    ) -> Result<ControllerId, RequestFailure> {
        let (controller, channel) = self.channel(to)?;
        let encoded = message.encode().map_err(|_error| RequestFailure::Lost)?;
        let sent = channel.send(message.priority(), encoded);
        sent.map_err(|_error| RequestFailure::Lost)?;
        Ok(controller)
    }

    /// Tells all controllers that are connected.
    pub(crate) fn tell_all(&self, message: &ControlMessage) {
        for controller in self.ids() {
            let _is_gone = self.tell(&Recipient::Only(controller), message);
        }
    }

    /// Answers a message of a controller.
    pub(crate) fn reply(&self, to: &ControllerId, request: &ReplyTo, message: &ControlMessage) {
        let Ok((_, channel)) = self.channel(&Recipient::Only(to.clone())) else {
            return;
        };
        if let Ok(encoded) = message.encode() {
            let _is_gone = channel.reply(request, message.priority(), encoded);
        }
    }

    /// Asks a controller. Returns which one has answered, and its reply.
    pub(crate) async fn request(
        self: Arc<Self>,
        to: Recipient,
        message: ControlMessage,
    ) -> Result<(ControllerId, Frame), RequestFailure> {
        let (controller, channel) = self.channel(&to)?;
        let encoded = message.encode().map_err(|_error| RequestFailure::Lost)?;
        let reply = channel.request(message.priority(), encoded, self.request_timeout);
        let reply = reply.map_err(|_error| RequestFailure::Lost)?;
        let frame = reply.await.map_err(|_error| RequestFailure::Lost)?;
        Ok((controller, frame))
    }
}
