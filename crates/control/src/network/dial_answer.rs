//! Dials that wait for their circuit, and how they are answered.

use crate::dial::DialParts;
use crate::translate;
use portcullis_channel::{Message, Priority, ReplyTo};
use portcullis_domain::ids::{IdentityId, ServiceId};
use portcullis_fabric::{
    CircuitId, Dial, DialFailure, DialId, Established, FailureCause, RouteErrorCode, RouterSession,
};
use portcullis_wire::control::ControlMessage;
use portcullis_wire::control::circuit::{
    CircuitCreated, CircuitFailed, CreateCircuitAnswer, CreateCircuitAnswerV1,
};
use portcullis_wire::control::refusal::Refusal;
use portcullis_wire::control::tunnel::CreateTunnelCircuitAnswer;
use portcullis_wire::{EncodeError, ErrorCode, RetryHint};
use std::sync::Arc;

/// In which message a router has asked for a circuit, which decides how it is answered.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum DialForm {
    /// For an SDK, by routers before 1.5.
    V1,
    /// For an SDK with a session for the service.
    V2,
    /// For an SDK that names the service.
    V3,
    /// For the tunneler of the router.
    Tunnel,
    /// For a listener that knows no identities.
    Fabric,
}

/// A dial that was judged.
#[derive(Debug)]
pub(crate) struct DialRequest {
    pub(crate) from: RouterSession,
    pub(crate) form: DialForm,
    pub(crate) parts: DialParts,
}

/// A dial whose answer is open.
pub(super) struct PendingDial {
    session: RouterSession,
    form: DialForm,
    reply_to: ReplyTo,
    client: IdentityId,
    service: ServiceId,
}

impl DialRequest {
    pub(super) fn into_dial(self, id: DialId) -> (Dial, DialForm) {
        let Self { from, form, parts } = self;
        let tags = translate::tags(&parts.right.client, None, &parts.right.service);
        let dial = Dial {
            id,
            from,
            names: parts.names,
            right: parts.right,
            instance: parts.instance,
            sticky: parts.sticky,
            peer_data: Arc::new(parts.peer_data),
            tags: Arc::new(tags),
            random: parts.random,
        };
        (dial, form)
    }
}

impl PendingDial {
    pub(super) fn new(dial: &Dial, form: DialForm, reply_to: ReplyTo) -> Self {
        Self {
            session: dial.from,
            form,
            reply_to,
            client: dial.right.client.clone(),
            service: dial.right.service.clone(),
        }
    }

    pub(super) const fn session(&self) -> RouterSession {
        self.session
    }

    pub(super) const fn reply_to(&self) -> &ReplyTo {
        &self.reply_to
    }

    /// The answer, and how urgent it is.
    pub(super) fn answer(
        &self,
        circuit: &CircuitId,
        result: Result<Established, DialFailure>,
    ) -> (Priority, Message) {
        let priority = match self.form {
            DialForm::Fabric => Priority::High,
            DialForm::V1 | DialForm::V2 | DialForm::V3 | DialForm::Tunnel => Priority::Default,
        };
        let answer = match result {
            Ok(established) => self.success(circuit, &established),
            Err(failure) => self.failure(circuit, &failure),
        };
        let message = answer.encode().unwrap_or_else(|error| too_long(&error));
        (priority, message)
    }

    fn success(&self, circuit: &CircuitId, established: &Established) -> ControlMessage {
        let circuit_id = circuit.as_str().to_owned();
        let address = established.ingress.as_str().to_owned();
        let peer_data = translate::peer_data_to_wire(&established.peer_data);
        let host = translate::is_hosted(&established.binding).then_some(&*established.host);
        let tags = translate::tags(&self.client, host, &self.service);
        let answer = CreateCircuitAnswer {
            circuit_id,
            address,
            peer_data,
            tags,
        };
        match self.form {
            DialForm::V1 => ControlMessage::CreateCircuitAnswerV1(CreateCircuitAnswerV1 {
                circuit_id: answer.circuit_id,
                address: answer.address,
                peer_data: answer.peer_data,
                tags: answer.tags,
            }),
            DialForm::V2 => ControlMessage::CreateCircuitAnswerV2(answer),
            DialForm::V3 => ControlMessage::CreateCircuitAnswerV3(answer),
            DialForm::Tunnel => {
                ControlMessage::CreateTunnelCircuitAnswer(CreateTunnelCircuitAnswer {
                    circuit_id: answer.circuit_id,
                    address: answer.address,
                    peer_data: answer.peer_data,
                    tags: answer.tags,
                })
            },
            DialForm::Fabric => ControlMessage::CircuitCreated(CircuitCreated {
                circuit_id: answer.circuit_id,
                address: answer.address,
                peer_data: answer.peer_data,
            }),
        }
    }

    fn failure(&self, circuit: &CircuitId, failure: &DialFailure) -> ControlMessage {
        let reason = failure.to_string();
        if self.form == DialForm::Fabric {
            return ControlMessage::CircuitFailed(CircuitFailed { reason });
        }
        let (code, hint) = code(failure.cause);
        ControlMessage::Refusal(Refusal {
            reason,
            code: Some(code),
            retry_hint: Some(hint),
            circuit_id: Some(circuit.as_str().to_owned()),
        })
    }
}

/// What an SDK is told of a failure.
const fn code(cause: FailureCause) -> (ErrorCode, RetryHint) {
    match cause {
        FailureCause::NoHostKey => (ErrorCode::EncryptionDataMissing, RetryHint::Default),
        FailureCause::InvalidService => (ErrorCode::InvalidService, RetryHint::NotRetriable),
        FailureCause::RightEnded => (ErrorCode::AccessDenied, RetryHint::StartOver),
        FailureCause::TooManyDials
        | FailureCause::Router(RouteErrorCode::ResourcesNotAvailable) => {
            (ErrorCode::Internal, RetryHint::Busy)
        },
        FailureCause::NamesInUse
        | FailureCause::Choice(_)
        | FailureCause::LinkLost
        | FailureCause::RouterLost
        | FailureCause::Timeout
        | FailureCause::Router(_)
        | FailureCause::TooManyCircuits
        | FailureCause::Cancelled => (ErrorCode::Internal, RetryHint::Default),
    }
}

/// The answer when a host has sent so much that it cannot be passed on.
fn too_long(error: &EncodeError) -> Message {
    let refusal = ControlMessage::Refusal(Refusal {
        reason: error.to_string(),
        code: Some(ErrorCode::Internal),
        retry_hint: Some(RetryHint::Default),
        circuit_id: None,
    });
    let bare = || Message::new(refusal.content_type());
    refusal.encode().unwrap_or_else(|_| bare())
}
