//! What SDKs host, and the life of it at the controllers.

use std::sync::Arc;

use parking_lot::Mutex;
use portcullis_channel::{ResultMessage, ResultStatus};
use portcullis_domain::clock::Timestamp;
use portcullis_router::edge::{
    BindKey, HostAction, HostRequest, Hosting, Recipient, RequestId, TerminatorId,
};
use portcullis_router_config::Binding;
use portcullis_wire::control::ControlMessage;
use portcullis_wire::control::terminator::{
    CreateTerminatorAnswerV2, ValidateTerminators, ValidateTerminatorsV1, ValidatedTerminators,
};
use tokio_util::task::TaskTracker;

use crate::alarm::Alarm;
use crate::clock::RouterClock;
use crate::controllers::Controllers;
use crate::sdk_channels::{Command, SdkChannels};
use crate::terminators::state_of;

/// The [`Hosting`] of a router. Its actions are carried out in their order, while its lock is held: none of
/// them waits.
pub(super) struct Hosts {
    clock: RouterClock,
    hosting: Mutex<Hosting>,
    controllers: Arc<Controllers>,
    channels: Arc<SdkChannels>,
    tasks: TaskTracker,
    alarm: Alarm,
}

impl Hosts {
    pub(super) fn new(
        hosting: Hosting,
        controllers: Arc<Controllers>,
        channels: Arc<SdkChannels>,
        tasks: TaskTracker,
        clock: RouterClock,
    ) -> Self {
        Self {
            clock,
            hosting: Mutex::new(hosting),
            controllers,
            channels,
            tasks,
            alarm: Alarm::default(),
        }
    }

    /// Keeps deadlines.
    pub(super) async fn run(self: Arc<Self>) {
        let do_what_is_due = || {
            self.act_after(Hosting::handle_timeout);
            self.hosting.lock().deadline()
        };
        self.alarm.keep(self.clock, do_what_is_due).await;
    }

    /// Handles what a channel says.
    pub(super) fn handle(self: &Arc<Self>, request: HostRequest) {
        self.change(|hosting, now| hosting.handle(request, now));
    }

    pub(super) fn controller_connected(self: &Arc<Self>) {
        self.change(Hosting::controller_connected);
    }

    pub(super) fn create_answered(self: &Arc<Self>, answer: CreateTerminatorAnswerV2) {
        self.change(|hosting, now| hosting.create_answered(answer, now));
    }

    /// The bind of a terminator, by the destination of a route.
    pub(super) fn find(&self, destination: &str) -> Option<BindKey> {
        self.hosting.lock().find(destination)
    }

    pub(super) fn terminator_of(&self, bind: BindKey) -> Option<TerminatorId> {
        self.hosting.lock().terminator_of(bind).cloned()
    }

    /// Reads what is hosted.
    pub(super) fn with<R>(&self, read: impl FnOnce(&Hosting) -> R) -> R {
        read(&self.hosting.lock())
    }

    /// The answer to a controller that asks which of its terminators there are.
    pub(super) fn validate(
        self: &Arc<Self>,
        question: &ValidateTerminators,
    ) -> ValidatedTerminators {
        let mut answer = self.change(|hosting, now| hosting.validate(question, now));
        let others = question.terminators.iter();
        for other in others.filter(|asked| asked.binding != Binding::Edge.name()) {
            answer.states.insert(other.id.clone(), state_of(other));
        }
        answer
    }

    /// Has removed what a controller of old asks for and nobody hosts.
    pub(super) fn validate_v1(self: &Arc<Self>, question: &ValidateTerminatorsV1) {
        self.change(|hosting, now| hosting.validate_v1(question, now));
    }

    fn change<R>(self: &Arc<Self>, change: impl FnOnce(&mut Hosting, Timestamp) -> R) -> R {
        let result = self.act_after(change);
        self.alarm.changed();
        result
    }

    fn act_after<R>(self: &Arc<Self>, change: impl FnOnce(&mut Hosting, Timestamp) -> R) -> R {
        let mut hosting = self.hosting.lock();
        let result = change(&mut hosting, self.clock.timestamp());
        while let Some(action) = hosting.poll() {
            self.act(action);
        }
        result
    }

    fn act(self: &Arc<Self>, action: HostAction) {
        match action {
            HostAction::Event { bind, event } => {
                let command = Command::Host(bind, Box::new(event));
                self.channels.command(bind.channel, command);
            },
            HostAction::Tell { to, message } => {
                // It is told again if no answer comes.
                if let Err(failure) = self.controllers.tell(&to, &message) {
                    tracing::debug!(?failure, "no controller is told of a terminator");
                }
            },
            HostAction::Remove { request, message } => {
                self.tasks.spawn(Arc::clone(self).remove(request, message));
            },
        }
    }

    async fn remove(self: Arc<Self>, request: RequestId, message: Box<ControlMessage>) {
        let answer = Arc::clone(&self.controllers).request(Recipient::Any, *message);
        let answer = answer.await.ok();
        let result = answer.and_then(|(_, frame)| ResultMessage::from_frame(&frame));
        let is_done = result.is_some_and(|result| result.status == ResultStatus::Success);
        self.change(|hosting, now| hosting.removal_answered(request, is_done, now));
    }
}
