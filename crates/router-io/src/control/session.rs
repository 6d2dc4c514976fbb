//! A session with one controller.

use std::sync::Arc;
use std::time::Duration;

use portcullis_channel::group::{Backoff, ConnectionCounts, DialOptions, Jitter};
use portcullis_channel::{
    ChannelKind, ContentType, Frame, Priority, ReplyTo, ResultMessage, ResultStatus,
};
use portcullis_router::control::{Identified, Pipe, Reconnects, Target, check_controller};
use portcullis_router::edge::ControllerId;
use portcullis_transport::{ChannelHandle, Group, GroupSettings};
use portcullis_wire::control::ControlMessage;
use portcullis_wire::control::address::Settings;
use portcullis_wire::control::hello::ControllerHello;
use portcullis_wire::trace::PipeTraces;
use tokio::sync::Notify;
use tokio::time::{Instant, sleep, sleep_until};
use tokio_util::sync::CancellationToken;

use super::Context;
use super::connector::{ControllerConnector, Place};
use crate::controllers::ConnectedController;

/// How long a channel without connections waits for new ones. A controller that still had connections of
/// it has noticed by then that they are gone, and takes a new channel.
const PATIENCE: Duration = Duration::from_mins(1);

/// Pauses before the first connection of a channel is dialed again: short ones at first, so that a
/// controller that was restarted is soon back.
const CONNECT: Backoff = Backoff {
    initial: Duration::from_millis(50),
    max: Duration::from_mins(1),
    jitter: Jitter::Half,
};

/// Pauses before lost connections are dialed again.
const REDIAL: Backoff = Backoff {
    initial: Duration::from_secs(1),
    max: Duration::from_mins(1),
    jitter: Jitter::Half,
};

pub(super) struct Session {
    context: Arc<Context>,
    place: Arc<Place>,
    stop: CancellationToken,
    reconnects: Reconnects,
}

/// How a channel has ended.
enum Ended {
    /// There is to be another one.
    After(Duration),
    ForGood,
}

/// An open channel.
struct Connection<'a> {
    session: &'a Session,
    controller: ControllerId,
    channel: ChannelHandle,
    /// Software version of the controller.
    version: String,
    is_registered: bool,
}

impl Session {
    pub(super) fn new(context: Arc<Context>, place: Arc<Place>, stop: CancellationToken) -> Self {
        Self {
            context,
            place,
            stop,
            reconnects: Reconnects::default(),
        }
    }

    /// Keeps a channel to the controller, until it is stopped.
    pub(super) async fn run(mut self) {
        while let Ended::After(lived) = self.run_channel().await {
            let pause = self.reconnects.ended(lived, self.context.random());
            if self.stop.run_until_cancelled(sleep(pause)).await.is_none() {
                return;
            }
        }
    }

    async fn run_channel(&self) -> Ended {
        let forgotten = Arc::new(Notify::new());
        let (context, place) = (Arc::clone(&self.context), Arc::clone(&self.place));
        let connector = ControllerConnector::new(context, place, Arc::clone(&forgotten));
        let transport = &self.context.transport;
        let opening = Group::open(transport, self.settings(), connector, |_failure| {});
        let Some(group) = self.stop.run_until_cancelled(opening).await else {
            return Ended::ForGood;
        };
        // The connector has accepted nobody else.
        let Ok(controller) = check_controller(&group.answer) else {
            return Ended::After(Duration::ZERO);
        };
        if self.identify(&controller) == Identified::Duplicate {
            group.handle.close();
            return if self.place.is_unnamed() {
                Ended::ForGood
            } else {
                Ended::After(Duration::ZERO)
            };
        }
        let since = Instant::now();
        let (channel, pipe) = (group.handle.id(), Pipe::control(&controller));
        let _traced = self.context.traces.opened(channel, pipe);
        let connection = Connection {
            session: self,
            controller,
            channel: group.handle.clone(),
            version: ControllerHello::from_headers(&group.answer.headers)
                .map(|hello| hello.version.version)
                .unwrap_or_default(),
            is_registered: false,
        };
        connection.serve(group, &forgotten).await;
        if self.stop.is_cancelled() {
            Ended::ForGood
        } else {
            Ended::After(since.elapsed())
        }
    }

    fn settings(&self) -> GroupSettings {
        let Context {
            settings, greeting, ..
        } = &*self.context;
        let channel = settings.channel;
        GroupSettings {
            connections: ConnectionCounts {
                default: 1,
                high: 1,
            },
            dialing: DialOptions {
                connect: CONNECT,
                redial: REDIAL,
                ..DialOptions::new(ChannelKind::Control)
            },
            timeout: settings.connect_timeout,
            ..GroupSettings::new(greeting.router.clone(), greeting.headers(), channel)
        }
    }

    /// Why a session that was stopped has to end.
    fn why_stopped(&self) -> &'static str {
        let targets = self.context.known.lock().targets();
        if targets.contains_key(&*self.place.target.lock()) {
            "the router is stopping"
        } else {
            "the controllers have left it out of their list"
        }
    }

    /// Learns which controller has answered. What is dialed is that controller from now on.
    fn identify(&self, controller: &ControllerId) -> Identified {
        let mut known = self.context.known.lock();
        let mut target = self.place.target.lock();
        self.context.failures.clear(&target);
        let identified = known.identify(&target, controller);
        match identified {
            Identified::Accepted => *target = Target::Controller(controller.clone()),
            Identified::Duplicate => {
                tracing::info!(address = %target, %controller, "the address leads to a controller that is dialed already");
            },
        }
        self.context.news.notify_one();
        identified
    }
}

impl Connection<'_> {
    async fn serve(mut self, group: Group, forgotten: &Notify) {
        let mut inbox = group.inbox;
        let mut contact = self.channel.contact();
        let stop = self.session.stop.clone();
        let mut patience_ends = Instant::now() + PATIENCE;
        self.begin();
        let why = loop {
            let is_lost = contact.borrow().is_lost;
            tokio::select! {
                biased;
                () = stop.cancelled() => break self.session.why_stopped(),
                Ok(()) = contact.changed() => {
                    self.end("all connections were lost");
                    if contact.borrow_and_update().is_lost {
                        patience_ends = Instant::now() + PATIENCE;
                    } else {
                        self.begin();
                    }
                },
                () = forgotten.notified(), if is_lost => break "the controller has forgotten it",
                () = sleep_until(patience_ends), if is_lost => break "no connection came back",
                frame = inbox.next() => match frame {
                    Some(frame) => self.handle(frame),
                    None => break "heartbeats were not answered",
                },
            }
        };
        self.channel.close();
        self.end(why);
    }

    /// There is contact.
    fn begin(&mut self) {
        let context = &self.session.context;
        tracing::info!(controller = %self.controller, "connected to the controller");
        let address = self.session.place.reached.lock();
        let connected = ConnectedController {
            channel: self.channel.clone(),
            address: address
                .as_ref()
                .map(ToString::to_string)
                .unwrap_or_default(),
            version: self.version.clone(),
        };
        drop(address);
        context.controllers.add(self.controller.clone(), connected);
        self.is_registered = true;
        context.service.connected(&self.controller);
        context.reached.send_replace(true);
    }

    /// There is none any more.
    fn end(&mut self, why: &str) {
        self.session.context.traces.forget(&self.controller);
        if !std::mem::take(&mut self.is_registered) {
            return;
        }
        let context = &self.session.context;
        context.controllers.remove(&self.controller);
        if self.session.stop.is_cancelled() {
            tracing::info!(controller = %self.controller, why, "disconnected from the controller");
        } else {
            tracing::warn!(controller = %self.controller, why, "disconnected from the controller");
        }
        context.service.disconnected(&self.controller);
    }

    fn handle(&self, frame: Frame) {
        let (kind, request) = (frame.content_type(), frame.reply_to());
        match ControlMessage::decode(&frame.into_message()) {
            Ok(message) => self.dispatch(request, message),
            Err(error) => {
                tracing::warn!(controller = %self.controller, kind = kind.0, %error, "a message of the controller cannot be read");
            },
        }
    }

    fn dispatch(&self, request: ReplyTo, message: ControlMessage) {
        let context = &self.session.context;
        match message {
            ControlMessage::ServerHello(_) => self.greet(&request),
            ControlMessage::ControllerAddresses(list) => {
                let now = context.clock.timestamp();
                context.known.lock().receive(&self.controller, list, now);
                context.news.notify_one();
            },
            ControlMessage::ClusterLeader(leader) => {
                context.known.lock().lead(&self.controller, leader.index);
            },
            ControlMessage::Settings(settings) => self.relocate(&settings),
            ControlMessage::ExtendedCertificates(issued) => {
                // What was not asked for is dropped.
                let _is_full = context
                    .certificates
                    .try_send((self.controller.clone(), issued));
            },
            ControlMessage::TogglePipeTraces(asked) => self.toggle_traces(&request, &asked),
            // A reply that came too late.
            ControlMessage::Unknown(message) if message.content_type == ContentType::RESULT => {},
            ControlMessage::Unknown(message) => {
                tracing::debug!(controller = %self.controller, kind = message.content_type.0, "a message of a kind that is not known is passed over");
            },
            message => context.service.handle(&self.controller, request, message),
        }
    }

    /// Answers the greeting of a controller, if this is an edge router.
    fn greet(&self, request: &ReplyTo) {
        let context = &self.session.context;
        let index = context.service.model_index();
        if let Some(hello) = context.greeting.client_hello(index) {
            let hello = ControlMessage::ClientHello(hello);
            context.controllers.reply(&self.controller, request, &hello);
        }
    }

    fn relocate(&self, settings: &Settings) {
        let Some(value) = settings.values.get(&Settings::NEW_CONTROL_ADDRESS) else {
            return;
        };
        let text = String::from_utf8_lossy(value);
        let Ok(address) = text.parse() else {
            tracing::warn!(controller = %self.controller, address = %text.escape_debug(), "the controller moves to an address that cannot be dialed");
            return;
        };
        let context = &self.session.context;
        tracing::info!(controller = %self.controller, %address, "the controller moves to another address");
        context.known.lock().relocate(&self.controller, &address);
        context.news.notify_one();
    }

    fn toggle_traces(&self, request: &ReplyTo, asked: &PipeTraces) {
        let toggled = self.session.context.traces.toggle(&self.controller, asked);
        tracing::info!(
            controller = %self.controller,
            is_enabled = asked.is_enabled,
            app_regex = %asked.app_regex.escape_debug(),
            pipe_regex = %asked.pipe_regex.escape_debug(),
            is_done = toggled.is_ok(),
            "the controller turns traces of channels on or off"
        );
        let result = match toggled {
            Ok(text) => ResultMessage {
                status: ResultStatus::Success,
                text,
            },
            Err(text) => ResultMessage {
                status: ResultStatus::Failure,
                text,
            },
        };
        let _is_gone = (self.channel).reply(request, Priority::Default, result.into_message());
    }
}
