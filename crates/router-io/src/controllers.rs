//! The controllers that are connected.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use portcullis_channel::{Frame, ReplyTo};
use portcullis_router::edge::{ControllerId, Recipient, RequestFailure};
use portcullis_transport::ChannelHandle;
use portcullis_wire::control::ControlMessage;
use tokio::sync::watch;

/// A controller that takes longer to answer is asked only if there is no other one.
const UNRESPONSIVE_AFTER: Duration = Duration::from_secs(5);

/// What the control channels of a router carry is handed to this.
///
/// Nothing here waits: what takes time is done in tasks.
pub(crate) trait ControlService: Send + Sync {
    /// A control channel is open.
    fn connected(&self, controller: &ControllerId);

    /// It has ended.
    fn disconnected(&self, controller: &ControllerId);

    /// Index of the data model, which controllers are told in the greeting; 0 without one.
    fn model_index(&self) -> u64;

    /// Handles a message. Those of one controller come in order. An answer goes by
    /// [`Controllers::reply`].
    fn handle(&self, from: &ControllerId, request: ReplyTo, message: ControlMessage);
}

/// The control channels that are open, by controller.
#[derive(Debug)]
pub(crate) struct Controllers {
    connected: watch::Sender<BTreeMap<ControllerId, ConnectedController>>,
    request_timeout: Duration,
    unresponsive_after: Duration,
}

/// A controller, and the channel to it.
#[derive(Debug, Clone)]
pub(crate) struct ConnectedController {
    pub(crate) channel: ChannelHandle,
    /// Such as `tls:ctrl.example.test:6262`; empty if it is not known.
    pub(crate) address: String,
    /// Software version, as it says; empty if it does not.
    pub(crate) version: String,
}

/// What is known of a controller, and how it answers heartbeats.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ControllerView {
    pub(crate) controller: ControllerId,
    /// As [`ConnectedController::address`].
    pub(crate) address: String,
    /// As [`ConnectedController::version`].
    pub(crate) version: String,
    /// Of the last answer; zero before the first.
    pub(crate) latency: Duration,
    /// Age of the oldest heartbeat without an answer.
    pub(crate) unanswered_for: Duration,
    pub(crate) is_slow: bool,
}

impl Controllers {
    /// `request_timeout` is `ctrl.defaultRequestTimeout`.
    pub(crate) fn new(request_timeout: Duration) -> Self {
        Self {
            connected: watch::Sender::new(BTreeMap::new()),
            request_timeout,
            unresponsive_after: UNRESPONSIVE_AFTER,
        }
    }

    /// With `ctrl.heartbeats.unresponsiveAfter`.
    #[must_use]
    pub(crate) fn with_unresponsive_after(mut self, unresponsive_after: Duration) -> Self {
        self.unresponsive_after = unresponsive_after;
        self
    }

    pub(crate) fn add(&self, id: ControllerId, controller: impl Into<ConnectedController>) {
        let controller = controller.into();
        self.connected
            .send_modify(|connected| drop(connected.insert(id, controller)));
    }

    pub(crate) fn remove(&self, controller: &ControllerId) {
        self.connected
            .send_modify(|connected| drop(connected.remove(controller)));
    }

    /// Those that are connected, and how they answer heartbeats.
    pub(crate) fn views(&self) -> Vec<ControllerView> {
        let connected = self.connected.borrow();
        let views = connected.iter().map(|(id, controller)| {
            let liveness = controller.channel.liveness().unwrap_or_default();
            let (is_slow, latency) = self.delay(&controller.channel);
            ControllerView {
                controller: id.clone(),
                address: controller.address.clone(),
                version: controller.version.clone(),
                latency,
                unanswered_for: liveness.unanswered_for,
                is_slow,
            }
        });
        views.collect()
    }

    /// The ids of all that are connected.
    pub(crate) fn ids(&self) -> Vec<ControllerId> {
        self.connected.borrow().keys().cloned().collect()
    }

    /// Waits until a controller is not connected.
    pub(crate) async fn lost(&self, controller: &ControllerId) {
        let mut connected = self.connected.subscribe();
        // The sender lives as long as this.
        let _lost = connected
            .wait_for(|connected| !connected.contains_key(controller))
            .await
            .is_ok();
    }

    /// The one that is asked first.
    pub(crate) fn nearest(&self) -> Option<ControllerId> {
        let nearest = self.channel(&Recipient::Any).ok();
        nearest.map(|(controller, _)| controller)
    }

    /// What speaks against asking a controller: first that it is slow to answer, then how slow.
    fn delay(&self, channel: &ChannelHandle) -> (bool, Duration) {
        let liveness = channel.liveness().unwrap_or_default();
        let latency = liveness.latency.unwrap_or_default();
        let is_slow = latency.max(liveness.unanswered_for) > self.unresponsive_after;
        (is_slow, latency)
    }

    fn channel(&self, to: &Recipient) -> Result<(ControllerId, ChannelHandle), RequestFailure> {
        let connected = self.connected.borrow();
        let found = match to {
            Recipient::Any => connected
                .iter()
                .min_by_key(|(_, controller)| self.delay(&controller.channel)),
            Recipient::Only(controller) => connected.get_key_value(controller),
        };
        let (id, controller) = found.ok_or(RequestFailure::NoController)?;
        Ok((id.clone(), controller.channel.clone()))
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

    /// Tells a controller what it can do without, unless so many messages wait for it already. Returns whether it
    /// is told.
    pub(crate) fn offer(
        &self,
        to: &ControllerId,
        message: &ControlMessage,
        most_waiting: usize,
    ) -> bool {
        let Ok((_, channel)) = self.channel(&Recipient::Only(to.clone())) else {
            return false;
        };
        let priority = message.priority();
        if channel.queued_frames(priority) >= most_waiting {
            return false;
        }
        let Ok(encoded) = message.encode() else {
            return false;
        };
        channel.send(priority, encoded).is_ok()
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
        self.request_within(to, message, self.request_timeout).await
    }

    /// As [`request`](Self::request), with another time to answer.
    pub(crate) async fn request_within(
        &self,
        to: Recipient,
        message: ControlMessage,
        timeout: Duration,
    ) -> Result<(ControllerId, Frame), RequestFailure> {
        let (controller, channel) = self.channel(&to)?;
        let encoded = message.encode().map_err(|_error| RequestFailure::Lost)?;
        let reply = channel.request(message.priority(), encoded, timeout);
        let reply = reply.map_err(|_error| RequestFailure::Lost)?;
        let frame = reply.await.map_err(|_error| RequestFailure::Lost)?;
        Ok((controller, frame))
    }
}

/// One of which nothing else is known.
impl From<ChannelHandle> for ConnectedController {
    fn from(channel: ChannelHandle) -> Self {
        Self {
            channel,
            address: String::new(),
            version: String::new(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::channel_pair::control_channel;
    use portcullis_channel::group::{ChannelGrant, GroupId};
    use portcullis_channel::hello::{Grouping, HELLO_TIMEOUT, Hello};
    use portcullis_channel::{ChannelKind, ChannelOptions, ChannelSide, Headers, UnixNanos};
    use portcullis_transport::{Clock, Inbox, Incoming, Transport, TransportLimits, dial};
    use tokio::io::duplex;
    use tokio::time::{Instant, sleep};

    /// The router's end of a channel to a controller that answers nothing.
    async fn silent_controller() -> (ChannelHandle, Inbox, impl Sized) {
        let transport = Transport::new(Clock::start(UnixNanos(1)), TransportLimits::default());
        let (near, far) = duplex(64 * 1024);
        let deadline = Instant::now() + HELLO_TIMEOUT;
        let grant = ChannelGrant::ungrouped(GroupId::new("silent").unwrap());
        let (none, ungrouped) = (Headers::empty(), Grouping::Ungrouped);
        let hello = Hello::new("router".to_owned(), None, ungrouped, none.clone());
        let accepting = async {
            let incoming = Incoming::read(far, deadline).await.unwrap();
            incoming.accept(&grant, "silent", &none).await.unwrap()
        };
        let (dialed, far) = tokio::join!(dial(near, &hello, deadline), accepting);
        let options = ChannelOptions::new(ChannelKind::Control, ChannelSide::Dialer);
        let (handle, inbox) = transport.open(grant.clone(), options, dialed.unwrap().connected);
        (handle, inbox, far)
    }

    #[tokio::test(start_paused = true)]
    async fn any_controller_is_one_that_answers_as_long_as_there_is_one() {
        let controllers = Controllers::new(Duration::from_secs(5));
        let (silent, _inbox, _far) = silent_controller().await;
        let (answering, _controller) = control_channel().await;
        let message = ControlMessage::RequestClusterMembers;
        let asked = || controllers.tell(&Recipient::Any, &message);
        assert_eq!(asked(), Err(RequestFailure::NoController));
        controllers.add("a".into(), silent);
        controllers.add("b".into(), answering.handle);
        sleep(Duration::from_secs(20)).await;
        assert_eq!(asked(), Ok("b".into()));
        controllers.remove(&"b".into());
        assert_eq!(asked(), Ok("a".into()), "better than none");
    }
}
