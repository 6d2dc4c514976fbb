//! A router that is connected.

use crate::RouterOptions;
use crate::patience::soon;
use portcullis_channel::group::DialFailure;
use portcullis_channel::{
    ContentType, Frame, Message, Priority, REQUEST_TIMEOUT, ReplyTo, ResultMessage, ResultStatus,
    UnixNanos,
};
use portcullis_transport::{
    ChannelHandle, Clock, Connector, DialError, Group, GroupSettings, Inbox, Transport,
    TransportLimits,
};
use portcullis_wire::control::ControlMessage;
use portcullis_wire::control::hello::ControllerHello;
use portcullis_wire::control::link::VerifyRouter;
use std::collections::VecDeque;
use std::time::Duration;
use tokio::sync::oneshot;
use tokio::time::sleep;

/// A controller has not accepted a router.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Refused {
    pub failure: DialFailure,
    /// In the words of the controller, if it has said any.
    pub reason: String,
}

/// A router that is connected to a controller, and replaces connections that it loses.
///
/// Dropping it ends it.
#[derive(Debug)]
pub struct SimulatedRouter {
    pub id: String,
    pub channel: ChannelHandle,
    /// What the controller says of itself.
    pub controller: ControllerHello,
    /// The id under which the controller is known to routers.
    pub controller_id: String,
    inbox: Inbox,
    /// Messages that came before the one that was expected.
    passed_over: VecDeque<Frame>,
}

impl From<&DialError> for Refused {
    fn from(error: &DialError) -> Self {
        Self {
            failure: error.failure(),
            reason: match error {
                DialError::Rejected(rejection) => rejection.reason.clone(),
                other => other.to_string(),
            },
        }
    }
}

impl SimulatedRouter {
    /// Connects, unless the first connection is refused.
    pub async fn connect(
        connector: impl Connector,
        id: &str,
        options: RouterOptions,
    ) -> Result<Self, Refused> {
        let transport = Transport::new(Clock::start(UnixNanos(0)), TransportLimits::default());
        let settings = GroupSettings {
            connections: options.connections,
            dialing: options.dialing,
            ..GroupSettings::new(id.to_owned(), options.hello.to_headers(), options.channel)
        };
        let (refuse, mut refused) = oneshot::channel();
        let mut refuse = Some(refuse);
        let opening = Group::open(&transport, settings, connector, move |error| {
            if let Some(refuse) = refuse.take() {
                let _ = refuse.send(Refused::from(error));
            }
        });
        let group = tokio::select! {
            group = opening => group,
            Ok(refusal) = &mut refused => return Err(refusal),
        };
        Ok(Self {
            id: id.to_owned(),
            channel: group.handle,
            controller: ControllerHello::from_headers(&group.answer.headers).unwrap(),
            controller_id: group.answer.responder.unwrap(),
            inbox: group.inbox,
            passed_over: VecDeque::new(),
        })
    }

    /// Sends a message with the priority that routers give it.
    pub fn send(&self, message: &ControlMessage) {
        let encoded = message.encode().unwrap();
        self.channel.send(message.priority(), encoded).unwrap();
    }

    /// Sends a request; the future is its reply.
    pub fn request(
        &self,
        message: &ControlMessage,
    ) -> impl Future<Output = ControlMessage> + Send + use<> {
        let reply = self.reply_to(message);
        async { ControlMessage::decode(&reply.await.into_message()).unwrap() }
    }

    /// Sends a request that is answered by a Result; the future is the reply.
    pub fn request_result(
        &self,
        message: &ControlMessage,
    ) -> impl Future<Output = ResultMessage> + Send + use<> {
        let reply = self.reply_to(message);
        async { ResultMessage::from_frame(&reply.await).unwrap() }
    }

    fn reply_to(&self, message: &ControlMessage) -> impl Future<Output = Frame> + Send + use<> {
        let encoded = message.encode().unwrap();
        let channel = &self.channel;
        let reply = channel.request(message.priority(), encoded, REQUEST_TIMEOUT);
        let reply = reply.unwrap();
        async { soon(reply).await.unwrap() }
    }

    pub fn reply(&self, request: &ReplyTo, message: &ControlMessage) {
        let encoded = message.encode().unwrap();
        self.channel
            .reply(request, message.priority(), encoded)
            .unwrap();
    }

    /// Says what has become of a request.
    pub fn reply_result(&self, request: &ReplyTo, is_success: bool, text: &str) {
        let status = if is_success {
            ResultStatus::Success
        } else {
            ResultStatus::Failure
        };
        let text = text.to_owned();
        let result = ResultMessage { status, text }.into_message();
        self.channel
            .reply(request, Priority::Default, result)
            .unwrap();
    }

    /// Replies with a message of this type whose body need not be one.
    pub fn reply_anything(
        &self,
        request: &ReplyTo,
        content_type: ContentType,
        body: &'static [u8],
    ) {
        let message = Message::new(content_type).with_body(body);
        self.channel
            .reply(request, Priority::Default, message)
            .unwrap();
    }

    /// Closes the channel.
    pub fn close(&self) {
        self.channel.close();
    }

    /// The next message that is no awaited reply; none when the router has ended.
    pub async fn next(&mut self) -> Option<Frame> {
        match self.passed_over.pop_front() {
            Some(frame) => Some(frame),
            None => self.inbox.next().await,
        }
    }

    /// The next message that `wanted` accepts, with what a reply to it needs. Others before it are
    /// kept for later.
    pub async fn expect<T>(
        &mut self,
        wanted: impl Fn(ControlMessage) -> Option<T>,
    ) -> (ReplyTo, T) {
        let accept = |frame: &Frame| {
            let message = ControlMessage::decode(&frame.clone().into_message()).unwrap();
            wanted(message).map(|found| (frame.reply_to(), found))
        };
        for place in 0..self.passed_over.len() {
            if let Some(found) = accept(&self.passed_over[place]) {
                self.passed_over.remove(place);
                return found;
            }
        }
        loop {
            let frame = soon(self.inbox.next()).await.expect("an open channel");
            match accept(&frame) {
                Some(found) => return found,
                None => self.passed_over.push_back(frame),
            }
        }
    }

    /// Waits until there are so many connections to the controller, as the router sees it.
    pub async fn has_connections(&self, count: usize) {
        soon(async {
            while self.channel.connections() != count {
                sleep(Duration::from_millis(1)).await;
            }
        })
        .await;
    }

    /// Waits until the controller has handled everything that was said.
    pub async fn settle(&self) {
        let nobody = ControlMessage::VerifyRouter(VerifyRouter::default());
        self.request_result(&nobody).await;
    }
}
