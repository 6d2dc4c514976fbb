//! Questions to the SDK.

use portcullis_channel::Frame;
use portcullis_domain::clock::Timestamp;
use portcullis_wire::edge::{ConnectionId, ConnectionKind, EdgeMessage, InspectRequest};

use super::{SdkChannel, Timer};
use crate::edge::action::{Action, AskId, InspectionId};
use crate::edge::host_exchange::{BindKey, HostRequest};
use crate::time::after;
use portcullis_wire::control::route::RouteFailure;

/// A question to the SDK, other than an offer.
#[derive(Debug, Clone, Copy)]
pub(super) enum Asked {
    /// What a connection is.
    Connection(BindKey),
    /// Somebody inspects the SDK.
    Sdk(InspectionId),
}

impl SdkChannel {
    /// Asks the SDK for values, such as `context`, or one of its connections, for `circuit:<id>`. The answer
    /// is an [`Action::Inspected`]; C SDKs give none.
    pub fn inspect(
        &mut self,
        inspection: InspectionId,
        connection: Option<ConnectionId>,
        names: Vec<String>,
        now: Timestamp,
    ) {
        let inspections = self.asked.values();
        let count = inspections.filter(|asked| matches!(asked, Asked::Sdk(_)));
        if self.has_ended || count.count() >= self.limits.inspections {
            return self.inspected(inspection, Err("the client is not available".to_owned()));
        }
        let question = InspectRequest { connection, names };
        let question = EdgeMessage::InspectRequest(question);
        self.ask(Asked::Sdk(inspection), question, now);
    }

    /// Handles the reply to a question. One that comes too late is passed over.
    pub fn answered(&mut self, ask: AskId, answer: Frame) {
        if self.has_ended {
            return;
        }
        if self.offers.contains_key(&ask) {
            return self.offer_answered(ask, answer);
        }
        let asked = self.take_asked(ask);
        let Ok(answer) = EdgeMessage::decode(&answer.into_message()) else {
            return self.finish(asked, None);
        };
        match answer {
            EdgeMessage::DialSuccess(success) if asked.is_none() => self.late_success(&success),
            answer => self.finish(asked, Some(answer)),
        }
    }

    /// A question gets no reply: it could not be sent, or the wait is over.
    pub fn not_answered(&mut self, ask: AskId) {
        if self.offers.contains_key(&ask) {
            let reason = "the host could not be asked";
            return self.fail_offer(ask, RouteFailure::Generic, reason);
        }
        let asked = self.take_asked(ask);
        self.finish(asked, None);
    }

    pub(super) fn ask(&mut self, asked: Asked, message: EdgeMessage, now: Timestamp) {
        let ask = self.next_ask();
        self.asked.insert(ask, asked);
        let deadline = after(now, self.limits.inspection_time);
        self.timers.set(Timer::Question(ask), deadline);
        self.actions.push_back(Action::Ask { ask, message });
    }

    pub(super) fn inspected(
        &mut self,
        inspection: InspectionId,
        result: Result<portcullis_wire::Secret<String>, String>,
    ) {
        self.actions
            .push_back(Action::Inspected { inspection, result });
    }

    pub(super) fn take_asked(&mut self, ask: AskId) -> Option<Asked> {
        let asked = self.asked.remove(&ask)?;
        self.timers.clear(&Timer::Question(ask));
        Some(asked)
    }

    fn finish(&mut self, asked: Option<Asked>, answer: Option<EdgeMessage>) {
        match asked {
            Some(Asked::Connection(bind)) => {
                let request = HostRequest::Inspected {
                    bind,
                    kind: answer.and_then(connection_kind),
                };
                self.actions.push_back(Action::Host(request));
            },
            Some(Asked::Sdk(inspection)) => {
                let result = match answer {
                    Some(EdgeMessage::InspectResponse(response)) => Ok(response.json),
                    _ => Err("the client does not answer".to_owned()),
                };
                self.inspected(inspection, result);
            },
            None => {},
        }
    }
}

/// Go SDKs from 1.1 to 1.5.3 answer as if they had been asked for something else.
fn connection_kind(answer: EdgeMessage) -> Option<ConnectionKind> {
    match answer {
        EdgeMessage::ConnectionInspectResponse(response) => Some(response.kind),
        EdgeMessage::InspectResponse(response) => response.kind,
        _ => None,
    }
}
