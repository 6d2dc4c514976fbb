//! What the channel of an SDK wants done.

use std::sync::Arc;

use portcullis_router::access::UsedService;
use portcullis_router::edge::{
    Action, ApiSession, AskId, BindKey, BindRequest, CircuitEnd, HostEvent, HostRequest, Outgoing,
    Recipient, RequestFailure, RequestId,
};
use portcullis_wire::control::ControlMessage;
use portcullis_wire::edge::EdgeMessage;

use super::{ASK_TIMEOUT, Answered, ChannelTask, circuits, usage_of};
use crate::edge::outbox::Overflow;
use crate::sdk_channels::{Command, Notice};

impl ChannelTask {
    /// Carries out all that is to be done.
    pub(super) fn act(&mut self) {
        while let Some(action) = self.sdk.poll() {
            self.act_once(action);
        }
        if self.outbox.is_clear() {
            for end in self.unstarted.drain(..) {
                self.circuits.start(&end);
            }
        }
    }

    fn act_once(&mut self, action: Action) {
        match action {
            Action::Send(outgoing) => self.send(&outgoing),
            Action::Ask { ask, message } => self.ask(ask, &message),
            Action::Request {
                request,
                to,
                message,
            } => self.request(request, to, *message),
            Action::Tell { to, message } => {
                if let Err(failure) = self.shared.controllers.tell(&to, &message) {
                    tracing::debug!(?failure, "no controller is told by a client's channel");
                }
            },
            Action::Host(request) => self.host(request),
            Action::Open(end) => self.open(&end),
            Action::Start(dialed) => {
                let relay = self.shared.ends.relay();
                relay.log_dialed(&dialed, self.handle.identity.as_str());
                self.unstarted.push(dialed.end);
            },
            Action::Put { end, content } => self.circuits.put(&end, content),
            Action::Close { end, closing } => {
                self.circuits.close(&end, closing);
                self.shared.rights.end(&circuits::usage(self.id(), &end));
            },
            Action::Routed {
                circuit,
                attempt,
                outcome,
            } => {
                if let Some(offered) = self.offers.remove(&(circuit, attempt)) {
                    let _nobody_waits = offered.send(outcome);
                }
            },
            Action::Renewed(session) => self.renewed(*session),
            Action::Posture(responses) => {
                let reported = self.shared.rights.report_posture(self.id(), responses);
                if let Err(error) = reported {
                    tracing::debug!(identity = %self.handle.identity, %error, "what a client says of its machine is not used");
                }
            },
            Action::SendServices => {
                let snapshot = self.shared.rights.subscribe(self.id());
                self.sdk.send_snapshot(snapshot);
            },
            Action::StopServices => self.shared.rights.unsubscribe(self.id()),
            Action::SendPosture => {
                let state = self.shared.rights.posture_state(self.id());
                self.sdk.send_posture(state);
            },
            Action::Inspected { inspection, result } => {
                if let Some(answer) = self.inspections.remove(&inspection) {
                    let _nobody_waits = answer.send(result);
                }
            },
            Action::CloseChannel { reason } => {
                tracing::info!(channel = self.id().0, identity = %self.handle.identity, %reason, "the channel of a client is closed");
                self.handle.channel.close();
            },
        }
    }

    fn send(&mut self, outgoing: &Outgoing) {
        let priority = outgoing.message.priority();
        let message = match outgoing.message.encode() {
            Ok(message) => message,
            Err(error) => {
                tracing::warn!(identity = %self.handle.identity, %error, "a message for a client cannot be written");
                return;
            },
        };
        let message = match &outgoing.reply_to {
            Some(request) => message.in_reply_to(request),
            None => message,
        };
        if outgoing.may_be_dropped() {
            self.outbox.offer(priority, message);
        } else if let Err(Overflow) = self.outbox.send(priority, message) {
            tracing::warn!(identity = %self.handle.identity, "the channel of a client is closed: it reads nothing");
            self.handle.channel.close();
        }
    }

    fn ask(&mut self, ask: AskId, message: &EdgeMessage) {
        let priority = message.priority();
        let asked = message.encode().ok().and_then(|encoded| {
            let channel = &self.handle.channel;
            channel.request(priority, encoded, ASK_TIMEOUT).ok()
        });
        match asked {
            Some(reply) => {
                let answer = async move { (ask, reply.await.ok()) };
                self.questions.push(Box::pin(answer));
            },
            None => self.sdk.not_answered(ask),
        }
    }

    fn request(&mut self, request: RequestId, to: Recipient, message: ControlMessage) {
        let reply = Arc::clone(&self.shared.controllers).request(to, message);
        self.requests.push(Box::pin(async move {
            let answer = reply.await.and_then(|(from, frame)| {
                match ControlMessage::decode(&frame.into_message()) {
                    Ok(answer) => Ok((from, answer)),
                    Err(error) => {
                        tracing::warn!(controller = %from, %error, "the answer of a controller cannot be read");
                        Err(RequestFailure::Lost)
                    },
                }
            });
            Answered { request, answer }
        }));
    }

    fn open(&mut self, end: &CircuitEnd) {
        self.circuits.open(end);
        let usage = circuits::usage(self.id(), &end.id);
        if self
            .shared
            .rights
            .begin(usage, circuits::used(end))
            .is_err()
        {
            self.handle.notice(Notice::Review);
        }
    }

    fn host(&mut self, request: HostRequest) {
        match &request {
            HostRequest::Bind(bind) => {
                let (bind, used) = (bind.bind, used_by(bind));
                self.shared.hosts.handle(request);
                self.begin_bind(bind, used);
                return;
            },
            HostRequest::Unbind(bind) => self.end_bind(*bind),
            HostRequest::Ended(_) => self.terminators.clear(),
            _ => {},
        }
        self.shared.hosts.handle(request);
    }

    fn begin_bind(&mut self, bind: BindKey, used: UsedService) {
        let Some(terminator) = self.shared.hosts.terminator_of(bind) else {
            return;
        };
        let usage = usage_of(self.id(), terminator.clone());
        self.terminators.insert(bind, terminator);
        if self.shared.rights.begin(usage, used).is_err() {
            self.handle.notice(Notice::Review);
        }
    }

    fn end_bind(&mut self, bind: BindKey) {
        if let Some(terminator) = self.terminators.remove(&bind) {
            self.shared.rights.end(&usage_of(self.id(), terminator));
        }
    }

    /// Forgets the right of a bind that has ended by itself.
    pub(super) fn forget_ended_bind(&mut self, bind: BindKey, event: &HostEvent) {
        if matches!(event, HostEvent::Refused(_) | HostEvent::Ended(_)) {
            self.end_bind(bind);
        }
    }

    /// Tells all channels of a session of its new token.
    fn renewed(&self, session: ApiSession) {
        self.shared.rights.renewed(&session);
        let session = Arc::new(session);
        for channel in self.shared.presence.channels_of(&session.identity) {
            if channel != self.id() {
                let command = Command::Renew(Arc::clone(&session));
                self.shared.channels.command(channel, command);
            }
        }
    }
}

fn used_by(bind: &BindRequest) -> UsedService {
    UsedService {
        service: bind.service_session.service.clone(),
        session: Some(bind.service_session.id.clone()),
    }
}
