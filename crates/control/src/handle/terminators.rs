//! Terminators: where routers reach services.
//!
//! The router chooses id and address of most of them, and knows them by that; so each answer has the id
//! in it, also a refusal.

use super::Handler;
use crate::translate;
use crate::validation::RouterTerminator;
use portcullis_app::hosting::{self, Adjustment, ConfiguredTerminator, Offer, TerminatorError};
use portcullis_app::rights::PresentedSession;
use portcullis_channel::{Frame, ReplyTo};
use portcullis_domain::identity::Precedence;
use portcullis_domain::ids::{ServiceId, TerminatorId};
use portcullis_wire::control::ControlMessage;
use portcullis_wire::control::refusal::Refusal;
use portcullis_wire::control::terminator::{
    CreateTerminatorAnswerV2, CreateTerminatorResult, CreateTerminatorV1, CreateTerminatorV2,
    HealthEvent, RemoveEdgeTerminator, RemoveTerminator, RemoveTerminators, UpdateEdgeTerminator,
    UpdateTerminator,
};
use portcullis_wire::control::tunnel::{
    CreateTunnelTerminator, CreateTunnelTerminatorAnswer, RemoveTunnelTerminator,
    TunnelHealthEvent, UpdateTunnelTerminator,
};
use portcullis_wire::{ErrorCode, Precedence as WirePrecedence, RetryHint};
use std::sync::Arc;

/// Bindings of terminators of clients, and of tunnelers.
const EDGE: &str = "edge";
const TUNNEL: &str = "tunnel";

/// What a router is told of a terminator that was to be created.
struct Outcome {
    result: CreateTerminatorResult,
    reason: String,
    code: ErrorCode,
    retry_hint: RetryHint,
}

impl Handler {
    pub(super) fn handle_create_terminator(&self, frame: &Frame, request: CreateTerminatorV2) {
        let (plane, session) = (Arc::clone(&self.plane), Arc::clone(&self.session));
        let reply_to = frame.reply_to();
        self.later(async move {
            let offer = precedence(request.precedence).map(|precedence| Offer {
                id: TerminatorId::from_wire(request.address.clone()),
                cost: request.cost,
                precedence,
                instance_id: request.instance_id,
                instance_secret: request.instance_secret.into_inner().to_vec().into(),
                peer_data: translate::peer_data_from_wire(request.peer_data),
            });
            let presented = PresentedSession {
                api_session: request.api_session_token.expose(),
                service_session: request.session_token.expose(),
            };
            let created = match offer {
                Ok(offer) => {
                    let router = &session.router;
                    hosting::create_for_client(&plane.app, router, presented, offer).await
                },
                Err(error) => Err(error),
            };
            if created.is_ok() {
                session.expect_terminator(created_terminator(EDGE, &request.address), plane.now());
            }
            let outcome = Outcome::from(created);
            let answer = CreateTerminatorAnswerV2 {
                terminator_id: request.address,
                result: outcome.result,
                reason: outcome.reason,
                code: outcome.code,
                retry_hint: outcome.retry_hint,
            };
            session.reply(&reply_to, &ControlMessage::CreateTerminatorAnswerV2(answer));
        });
    }

    pub(super) fn handle_create_tunnel_terminator(
        &self,
        frame: &Frame,
        request: CreateTunnelTerminator,
    ) {
        let (plane, session) = (Arc::clone(&self.plane), Arc::clone(&self.session));
        let reply_to = frame.reply_to();
        self.later(async move {
            let offer = precedence(request.precedence).map(|precedence| Offer {
                id: TerminatorId::from_wire(request.address.clone()),
                cost: request.cost,
                precedence,
                instance_id: request.instance_id,
                instance_secret: request.instance_secret.into_inner().to_vec().into(),
                peer_data: translate::peer_data_from_wire(request.peer_data),
            });
            let service = ServiceId::from_wire(request.service_id);
            let created = match offer {
                Ok(offer) => {
                    let router = &session.router;
                    hosting::create_for_tunneler(&plane.app, router, &service, offer).await
                },
                Err(error) => Err(error),
            };
            if created.is_ok() {
                let created = created_terminator(TUNNEL, &request.address);
                session.expect_terminator(created, plane.now());
            }
            let outcome = Outcome::from(created);
            let answer = CreateTunnelTerminatorAnswer {
                terminator_id: request.address,
                start_millis: request.start_millis,
                result: outcome.result,
                reason: outcome.reason,
                code: outcome.code,
                retry_hint: outcome.retry_hint,
            };
            let answer = ControlMessage::CreateTunnelTerminatorAnswer(answer);
            session.reply(&reply_to, &answer);
        });
    }

    /// A terminator of the router's configuration. The answer names the one that was created.
    pub(super) fn handle_create_terminator_v1(&self, frame: &Frame, request: CreateTerminatorV1) {
        let (plane, session) = (Arc::clone(&self.plane), Arc::clone(&self.session));
        let reply_to = frame.reply_to();
        self.later(async move {
            let created = match precedence(request.precedence) {
                Ok(precedence) => {
                    let configured = ConfiguredTerminator {
                        service: &request.service_id,
                        binding: request.binding,
                        address: request.address,
                        cost: request.cost,
                        precedence,
                        instance_id: request.instance_id,
                        instance_secret: request.instance_secret.into_inner().to_vec().into(),
                        peer_data: translate::peer_data_from_wire(request.peer_data),
                    };
                    let router = &session.router;
                    hosting::create_configured(&plane.app, router, configured).await
                },
                Err(error) => Err(error),
            };
            let created = created.map_err(|error| error.to_string());
            let text = created.as_ref().map(TerminatorId::as_str);
            session.reply_result(&reply_to, text.map_err(String::as_str));
        });
    }

    pub(super) fn handle_update_terminator(&self, frame: &Frame, request: UpdateTerminator) {
        let (plane, session) = (Arc::clone(&self.plane), Arc::clone(&self.session));
        let reply_to = frame.reply_to();
        self.later(async move {
            let id = TerminatorId::from_wire(request.terminator_id);
            let cost = (request.updates_cost, request.cost);
            let precedence = (request.updates_precedence, request.precedence);
            let adjusted = match adjustment(cost, precedence) {
                Ok(adjustment) => {
                    let router = &session.router;
                    hosting::adjust_configured(&plane.app, router, &id, adjustment).await
                },
                Err(error) => Err(error),
            };
            let adjusted = adjusted.map_err(|error| error.to_string());
            let text = adjusted.as_ref().map(|()| "");
            session.reply_result(&reply_to, text.map_err(String::as_str));
        });
    }

    pub(super) fn handle_update_edge_terminator(
        &self,
        frame: &Frame,
        request: UpdateEdgeTerminator,
    ) {
        let (plane, session) = (Arc::clone(&self.plane), Arc::clone(&self.session));
        let reply_to = frame.reply_to();
        self.later(async move {
            let id = TerminatorId::from_wire(request.terminator_id);
            let presented = PresentedSession {
                api_session: request.api_session_token.expose(),
                service_session: request.session_token.expose(),
            };
            let cost = (request.updates_cost, request.cost);
            let precedence = (request.updates_precedence, request.precedence);
            let adjusted = match adjustment(cost, precedence) {
                Ok(change) => {
                    let router = &session.router;
                    hosting::adjust_for_client(&plane.app, router, presented, &id, change).await
                },
                Err(error) => Err(error),
            };
            let done = ControlMessage::UpdateEdgeTerminatorAnswer;
            session.reply(
                &reply_to,
                &adjusted.map_or_else(|error| refusal(&error), |()| done),
            );
        });
    }

    pub(super) fn handle_update_tunnel_terminator(
        &self,
        frame: &Frame,
        request: UpdateTunnelTerminator,
    ) {
        let (plane, session) = (Arc::clone(&self.plane), Arc::clone(&self.session));
        let reply_to = frame.reply_to();
        self.later(async move {
            let id = TerminatorId::from_wire(request.terminator_id);
            let cost = (request.updates_cost, request.cost);
            let precedence = (request.updates_precedence, request.precedence);
            let adjusted = match adjustment(cost, precedence) {
                Ok(change) => {
                    let router = &session.router;
                    hosting::adjust_for_tunneler(&plane.app, router, &id, change).await
                },
                Err(error) => Err(error),
            };
            let done = ControlMessage::UpdateTunnelTerminatorAnswer;
            session.reply(
                &reply_to,
                &adjusted.map_or_else(|error| refusal(&error), |()| done),
            );
        });
    }

    pub(super) fn handle_remove_terminators(&self, frame: &Frame, request: &RemoveTerminators) {
        self.remove_terminators(&request.terminator_ids, frame.reply_to(), Removal::Result);
    }

    pub(super) fn handle_remove_terminator(&self, frame: &Frame, request: RemoveTerminator) {
        self.remove_terminators(&[request.terminator_id], frame.reply_to(), Removal::Result);
    }

    pub(super) fn handle_remove_edge_terminator(
        &self,
        frame: &Frame,
        request: RemoveEdgeTerminator,
    ) {
        let done = ControlMessage::RemoveEdgeTerminatorAnswer;
        let (ids, reply_to) = ([request.terminator_id], frame.reply_to());
        self.remove_terminators(&ids, reply_to, Removal::Answer(Box::new(done)));
    }

    pub(super) fn handle_remove_tunnel_terminator(
        &self,
        frame: &Frame,
        request: RemoveTunnelTerminator,
    ) {
        let done = ControlMessage::RemoveTunnelTerminatorAnswer;
        let (ids, reply_to) = ([request.terminator_id], frame.reply_to());
        self.remove_terminators(&ids, reply_to, Removal::Answer(Box::new(done)));
    }

    fn remove_terminators(&self, ids: &[String], reply_to: ReplyTo, answer: Removal) {
        let ids: Vec<_> = ids.iter().map(TerminatorId::from_wire).collect();
        let (plane, session) = (Arc::clone(&self.plane), Arc::clone(&self.session));
        self.later(async move {
            let removed = hosting::remove(&plane.app, &session.router, &ids).await;
            match (removed, answer) {
                (Ok(_), Removal::Result) => session.reply_result(&reply_to, Ok("")),
                (Ok(_), Removal::Answer(done)) => session.reply(&reply_to, &done),
                (Err(error), Removal::Result) => {
                    session.reply_result(&reply_to, Err(&error.to_string()));
                },
                (Err(error), Removal::Answer(_)) => session.reply(&reply_to, &refusal(&error)),
            }
        });
    }

    pub(super) fn handle_health_event(&self, event: HealthEvent) {
        self.count_health_check(event.terminator_id);
    }

    pub(super) fn handle_tunnel_health_event(&self, event: TunnelHealthEvent) {
        self.count_health_check(event.terminator_id);
    }

    fn count_health_check(&self, id: String) {
        let id = TerminatorId::from_wire(id);
        let counted = hosting::count_health_check(&self.plane.app, &self.session.router, &id);
        if let Err(error) = counted {
            tracing::debug!(router = %self.session.id(), %error, "a health check does not count");
        }
    }
}

/// How the removal of a terminator is answered.
enum Removal {
    Result,
    Answer(Box<ControlMessage>),
}

/// A terminator whose id is its address.
fn created_terminator(binding: &str, id: &str) -> RouterTerminator {
    RouterTerminator {
        id: TerminatorId::from_wire(id),
        binding: binding.to_owned(),
        address: id.to_owned(),
    }
}

const fn precedence(precedence: WirePrecedence) -> Result<Precedence, TerminatorError> {
    match precedence {
        WirePrecedence::Default => Ok(Precedence::Default),
        WirePrecedence::Required => Ok(Precedence::Required),
        WirePrecedence::Failed => Ok(Precedence::Failed),
        WirePrecedence::Unrecognized(_) => Err(TerminatorError::InvalidPrecedence),
    }
}

/// What is to be changed, each with whether it is.
fn adjustment(
    (changes_cost, cost): (bool, u32),
    (changes_precedence, new): (bool, WirePrecedence),
) -> Result<Adjustment, TerminatorError> {
    Ok(Adjustment {
        cost: changes_cost.then_some(cost),
        precedence: changes_precedence.then(|| precedence(new)).transpose()?,
    })
}

fn refusal(error: &TerminatorError) -> ControlMessage {
    ControlMessage::Refusal(Refusal {
        reason: error.to_string(),
        code: Some(ErrorCode::from_code(error.code())),
        retry_hint: Some(RetryHint::from_code(error.retry_hint().number())),
        circuit_id: None,
    })
}

impl From<Result<(), TerminatorError>> for Outcome {
    fn from(created: Result<(), TerminatorError>) -> Self {
        let Err(error) = created else {
            return Self {
                result: CreateTerminatorResult::Success,
                reason: String::new(),
                code: ErrorCode::None,
                retry_hint: RetryHint::Default,
            };
        };
        let retry_hint = RetryHint::from_code(error.retry_hint().number());
        let result = if retry_hint == RetryHint::Busy {
            CreateTerminatorResult::FailedBusy
        } else {
            CreateTerminatorResult::Failed
        };
        Self {
            result,
            reason: error.to_string(),
            code: ErrorCode::from_code(error.code()),
            retry_hint,
        }
    }
}
