//! Who may do what, for all tasks of the edge.

mod model_file;
mod trust;
mod verifier;

use std::sync::Arc;

use parking_lot::RwLock;
use portcullis_domain::FieldError;
use portcullis_domain::clock::Timestamp;
use portcullis_router::access::{
    AccessControl, Consequences, DataModel, Keeper, PostureReports, Usage, UsedService,
};
use portcullis_router::edge::{
    ApiSession, ChannelId, ControllerId, IdentityId, Recipient, Refusal,
};
use portcullis_wire::control::ControlMessage;
use portcullis_wire::control::data_model::{DataStateValidation, ValidateDataState};
use portcullis_wire::edge::{PostureResponse, PostureStateChange, ServiceChangeSet};
use tokio::sync::Notify;
use tokio::sync::futures::Notified;

use crate::alarm::Alarm;
use crate::clock::RouterClock;
use crate::controllers::Controllers;
use crate::sdk_channels::{Command, Notice, SdkChannels};

pub use self::model_file::ModelFile;
pub(crate) use self::trust::{ClientTrust, Distrust};
pub(crate) use self::verifier::Verifier;

/// The [`AccessControl`] of a router, which answers the questions of all tasks, each for itself. What follows
/// from changes is carried out at once.
pub(crate) struct Rights {
    clock: RouterClock,
    control: RwLock<AccessControl<Verifier>>,
    controllers: Arc<Controllers>,
    channels: Arc<SdkChannels>,
    alarm: Alarm,
    /// Sessions or keys have arrived.
    news: Notify,
    /// The data model has changed.
    moved: Notify,
    /// What the router's own identity may use may have changed.
    own_services: Notify,
}

impl Rights {
    pub(crate) fn new(
        control: AccessControl<Verifier>,
        controllers: Arc<Controllers>,
        channels: Arc<SdkChannels>,
        clock: RouterClock,
    ) -> Self {
        Self {
            clock,
            control: RwLock::new(control),
            controllers,
            channels,
            alarm: Alarm::default(),
            news: Notify::new(),
            moved: Notify::new(),
            own_services: Notify::new(),
        }
    }

    /// Keeps deadlines, and tells controllers what is for them.
    pub(crate) async fn run(&self) {
        let do_what_is_due = || {
            self.change(|control, now| ((), control.handle_timeout(now)));
            self.tell_controllers();
            Some(self.control.read().deadline())
        };
        self.alarm.keep(self.clock, do_what_is_due).await;
    }

    pub(crate) fn connected(&self, controller: &ControllerId) {
        let now = self.clock.timestamp();
        self.control.write().connect_controller(controller, now);
        self.alarm.changed();
    }

    pub(crate) fn disconnected(&self, controller: &ControllerId) {
        let now = self.clock.timestamp();
        self.control.write().disconnect_controller(controller, now);
        self.alarm.changed();
    }

    /// Takes a message about the data model or about sessions; any other one has no effect.
    pub(crate) fn receive(&self, from: &ControllerId, message: ControlMessage) {
        let removed = match &message {
            ControlMessage::SessionsRemoved(removed) => {
                let tokens = removed.tokens.iter().map(|token| token.expose().as_str());
                let ids = removed.ids.iter().map(String::as_str);
                ids.chain(tokens).map(Into::into).collect()
            },
            _ => Arc::default(),
        };
        let consequences = self.change_unheeded(|control, now| {
            let consequences = control.receive(from, message, now);
            ((), consequences.unwrap_or_default())
        });
        for channel in consequences.1.ended_service_sessions() {
            let command = Command::EndServiceSessions(Arc::clone(&removed));
            self.channels.command(channel, command);
        }
        self.carry_out(consequences.1);
        self.alarm.changed();
    }

    /// Compares the data model with the one that a controller expects here.
    pub(crate) fn validate(&self, question: ValidateDataState) -> DataStateValidation {
        self.change(|control, now| control.validate(question, now))
    }

    /// A channel of a session that was let in.
    pub(crate) fn open(&self, channel: ChannelId, session: &ApiSession) {
        self.control.write().open(channel, session);
        self.alarm.changed();
    }

    pub(crate) fn close(&self, channel: ChannelId) {
        let now = self.clock.timestamp();
        self.control.write().close(channel, now);
    }

    /// A session has a new token, which was accepted.
    pub(crate) fn renewed(&self, session: &ApiSession) {
        self.control.write().renewed(session);
        self.alarm.changed();
    }

    /// A right is used. The refusal says that it was lost since it was judged last.
    pub(crate) fn begin(&self, usage: Usage, used: UsedService) -> Result<(), Refusal> {
        let now = self.clock.timestamp();
        let begun = self.control.write().begin(usage, used, now);
        self.alarm.changed();
        begun
    }

    pub(crate) fn end(&self, usage: &Usage) {
        self.control.write().end(usage);
    }

    pub(crate) fn report_posture(
        &self,
        channel: ChannelId,
        responses: Vec<PostureResponse>,
    ) -> Result<(), FieldError> {
        let said = PostureReports::read(self, channel, responses);
        self.change(
            |control, now| match control.report_posture(channel, said, now) {
                Ok(consequences) => (Ok(()), consequences),
                Err(error) => (Err(error), Consequences::default()),
            },
        )
    }

    /// All services of a channel's identity. From now on it is told of changes.
    pub(crate) fn subscribe(&self, channel: ChannelId) -> ServiceChangeSet {
        self.control.write().subscribe(channel)
    }

    /// The SDK of a channel does not want to be told of its services any more.
    pub(crate) fn unsubscribe(&self, channel: ChannelId) {
        self.control.write().unsubscribe(channel);
    }

    pub(crate) fn service_changes(&self, channel: ChannelId) -> Option<ServiceChangeSet> {
        self.control.write().service_changes(channel)
    }

    pub(crate) fn posture_state(&self, channel: ChannelId) -> PostureStateChange {
        let now = self.clock.timestamp();
        self.control.read().posture_state(channel, now)
    }

    /// From now on, [`own_services_changed`](Self::own_services_changed) tells of what this identity may use.
    pub(crate) fn watch_own_services(&self, identity: IdentityId) {
        self.control.write().watch_own_services(identity);
    }

    /// Completes when what the router's own identity may use may have changed since the last time. For one task.
    pub(crate) fn own_services_changed(&self) -> Notified<'_> {
        self.own_services.notified()
    }

    /// Completes when sessions or keys have arrived since it was created.
    pub(crate) fn news(&self) -> Notified<'_> {
        self.news.notified()
    }

    /// Whether there is a data model.
    pub(crate) fn has_model(&self) -> bool {
        self.control.read().replica().has_model()
    }

    /// How far the data model is; 0 without one.
    pub(crate) fn model_index(&self) -> u64 {
        let control = self.control.read();
        let replica = control.replica();
        if replica.has_model() {
            replica.position().0
        } else {
            0
        }
    }

    /// The data model as it is now.
    pub(crate) fn model(&self) -> DataModel {
        self.control.read().model().clone()
    }

    /// Reads from the data model, which others wait for.
    pub(crate) fn with_model<R>(&self, read: impl FnOnce(&DataModel) -> R) -> R {
        read(self.control.read().model())
    }

    /// Where the data model is in its history.
    pub(crate) fn position(&self) -> (u64, String) {
        let control = self.control.read();
        let (index, timeline) = control.replica().position();
        (index, timeline.to_owned())
    }

    fn tell_controllers(&self) {
        let now = self.clock.timestamp();
        loop {
            let next = self.control.write().poll(now);
            let Some((to, message)) = next else {
                return;
            };
            if let Err(failure) = self
                .controllers
                .tell(&Recipient::Only(to.clone()), &message)
            {
                tracing::debug!(controller = %to, ?failure, "a controller is not told about access");
            }
        }
    }

    fn change<R>(
        &self,
        change: impl FnOnce(&mut AccessControl<Verifier>, Timestamp) -> (R, Consequences),
    ) -> R {
        let (result, consequences) = self.change_unheeded(change);
        self.carry_out(consequences);
        result
    }

    fn change_unheeded<R>(
        &self,
        change: impl FnOnce(&mut AccessControl<Verifier>, Timestamp) -> (R, Consequences),
    ) -> (R, Consequences) {
        let now = self.clock.timestamp();
        let mut control = self.control.write();
        let before = control.replica().position().0;
        let changed = change(&mut control, now);
        if control.replica().position().0 != before {
            self.moved.notify_one();
        }
        changed
    }

    /// Does what follows from a change. Locks are not held.
    fn carry_out(&self, consequences: Consequences) {
        if consequences.has_news_for_logins {
            self.news.notify_waiters();
        }
        if consequences.has_changed_own_services {
            self.own_services.notify_one();
        }
        for (channel, reason) in consequences.ended {
            self.channels
                .command(channel, Command::End(reason.to_string()));
        }
        for usage in consequences.lost.into_keys() {
            self.channels.notice(usage.channel, Notice::Review);
        }
        for channel in consequences.changed_services {
            self.channels.notice(channel, Notice::Services);
        }
        for channel in consequences.changed_posture {
            self.channels.notice(channel, Notice::Posture);
        }
    }
}

impl Keeper for Rights {
    type Verifier = Verifier;

    fn verifier(&self) -> &Verifier {
        &Verifier
    }

    fn look<R>(&self, look: impl FnOnce(&AccessControl<Verifier>) -> R) -> R {
        look(&self.control.read())
    }
}
