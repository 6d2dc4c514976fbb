//! Terminators: where routers reach services.
//!
//! The router chooses id and address of most of them, and knows them by that; so each answer has the id
//! in it, also a refusal.

use super::Handler;
use crate::identity_traces::{Asker, RequestTrace};
use crate::plane::Plane;
use crate::session::Session;
use crate::translate;
use crate::validation::RouterTerminator;
use bytes::Bytes;
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
use portcullis_wire::peer_data::PeerData;
use portcullis_wire::{ErrorCode, Precedence as WirePrecedence, RetryHint, Secret};
use secrecy::SecretSlice;
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
            let offer = offer(
                &request.address,
                (request.cost, request.precedence),
                (request.instance_id, request.instance_secret),
                request.peer_data,
            );
            let presented = PresentedSession {
                api_session: request.api_session_token.expose(),
                service_session: request.session_token.expose(),
            };
            let asker = Asker::Client(&request.api_session_token);
            let traced = plane.identity_traces.of(asker);
            let creating = traced_as(traced, "create", &request.address, async {
                hosting::create_for_client(&plane.app, &session.router, presented, offer?).await
            });
            let created = created_terminator(EDGE, &request.address);
            let outcome = Outcome::of(creating, created, &plane, &session).await;
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
            let offer = offer(
                &request.address,
                (request.cost, request.precedence),
                (request.instance_id, request.instance_secret),
                request.peer_data,
            );
            let service = ServiceId::from_wire(request.service_id);
            let traced = plane.identity_traces.of(Asker::Router(session.id()));
            let creating = traced_as(traced, "create", &request.address, async {
                hosting::create_for_tunneler(&plane.app, &session.router, &service, offer?).await
            });
            let created = created_terminator(TUNNEL, &request.address);
            let outcome = Outcome::of(creating, created, &plane, &session).await;
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
            let created = async {
                let configured = ConfiguredTerminator {
                    service: &request.service_id,
                    binding: request.binding,
                    address: request.address,
                    cost: request.cost,
                    precedence: precedence(request.precedence)?,
                    instance_id: request.instance_id,
                    instance_secret: secret(request.instance_secret),
                    peer_data: translate::peer_data_from_wire(request.peer_data),
                };
                hosting::create_configured(&plane.app, &session.router, configured).await
            };
            let created = created.await.map_err(|error| error.to_string());
            let text = created.as_ref().map(TerminatorId::as_str);
            session.reply_result(&reply_to, text.map_err(String::as_str));
        });
    }

    pub(super) fn handle_update_terminator(&self, frame: &Frame, request: UpdateTerminator) {
        let (plane, session) = (Arc::clone(&self.plane), Arc::clone(&self.session));
        let adjusting = async move {
            let id = TerminatorId::from_wire(request.terminator_id);
            let cost = (request.updates_cost, request.cost);
            let precedence = (request.updates_precedence, request.precedence);
            let change = adjustment(cost, precedence)?;
            hosting::adjust_configured(&plane.app, &session.router, &id, change).await
        };
        self.answer_change(frame.reply_to(), Answer::Result, adjusting);
    }

    pub(super) fn handle_update_edge_terminator(
        &self,
        frame: &Frame,
        request: UpdateEdgeTerminator,
    ) {
        let (plane, session) = (Arc::clone(&self.plane), Arc::clone(&self.session));
        let adjusting = async move {
            let id = TerminatorId::from_wire(request.terminator_id);
            let traced = plane
                .identity_traces
                .of(Asker::Client(&request.api_session_token));
            let presented = PresentedSession {
                api_session: request.api_session_token.expose(),
                service_session: request.session_token.expose(),
            };
            let cost = (request.updates_cost, request.cost);
            let precedence = (request.updates_precedence, request.precedence);
            let adjusting = async {
                let change = adjustment(cost, precedence)?;
                hosting::adjust_for_client(&plane.app, &session.router, presented, &id, change)
                    .await
            };
            traced_as(traced, "update", id.as_str(), adjusting).await
        };
        let done = ControlMessage::UpdateEdgeTerminatorAnswer;
        self.answer_change(frame.reply_to(), Answer::message(done), adjusting);
    }

    pub(super) fn handle_update_tunnel_terminator(
        &self,
        frame: &Frame,
        request: UpdateTunnelTerminator,
    ) {
        let (plane, session) = (Arc::clone(&self.plane), Arc::clone(&self.session));
        let adjusting = async move {
            let id = TerminatorId::from_wire(request.terminator_id);
            let traced = plane.identity_traces.of(Asker::Router(session.id()));
            let cost = (request.updates_cost, request.cost);
            let precedence = (request.updates_precedence, request.precedence);
            let adjusting = async {
                let change = adjustment(cost, precedence)?;
                hosting::adjust_for_tunneler(&plane.app, &session.router, &id, change).await
            };
            traced_as(traced, "update", id.as_str(), adjusting).await
        };
        let done = ControlMessage::UpdateTunnelTerminatorAnswer;
        self.answer_change(frame.reply_to(), Answer::message(done), adjusting);
    }

    pub(super) fn handle_remove_terminators(&self, frame: &Frame, request: &RemoveTerminators) {
        self.remove_terminators(&request.terminator_ids, frame.reply_to(), Answer::Result);
    }

    pub(super) fn handle_remove_terminator(&self, frame: &Frame, request: RemoveTerminator) {
        self.remove_terminators(&[request.terminator_id], frame.reply_to(), Answer::Result);
    }

    pub(super) fn handle_remove_edge_terminator(
        &self,
        frame: &Frame,
        request: RemoveEdgeTerminator,
    ) {
        let done = ControlMessage::RemoveEdgeTerminatorAnswer;
        let (ids, reply_to) = ([request.terminator_id], frame.reply_to());
        self.remove_terminators(&ids, reply_to, Answer::message(done));
    }

    pub(super) fn handle_remove_tunnel_terminator(
        &self,
        frame: &Frame,
        request: RemoveTunnelTerminator,
    ) {
        let done = ControlMessage::RemoveTunnelTerminatorAnswer;
        let (ids, reply_to) = ([request.terminator_id], frame.reply_to());
        self.remove_terminators(&ids, reply_to, Answer::message(done));
    }

    fn remove_terminators(&self, ids: &[String], reply_to: ReplyTo, answer: Answer) {
        let ids: Vec<_> = ids.iter().map(TerminatorId::from_wire).collect();
        let (plane, session) = (Arc::clone(&self.plane), Arc::clone(&self.session));
        let removing = async move {
            hosting::remove(&plane.app, &session.router, &ids)
                .await
                .map(drop)
        };
        self.answer_change(reply_to, answer, removing);
    }

    fn answer_change(
        &self,
        reply_to: ReplyTo,
        answer: Answer,
        changing: impl Future<Output = Result<(), TerminatorError>> + Send + 'static,
    ) {
        let session = Arc::clone(&self.session);
        self.later(async move {
            match (changing.await, answer) {
                (Ok(()), Answer::Result) => session.reply_result(&reply_to, Ok("")),
                (Ok(()), Answer::Message(done)) => session.reply(&reply_to, &done),
                (Err(error), Answer::Result) => {
                    session.reply_result(&reply_to, Err(&error.to_string()));
                },
                (Err(error), Answer::Message(_)) => session.reply(&reply_to, &refusal(&error)),
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

/// How a change of terminators is answered when it is done; otherwise, a message is a refusal.
enum Answer {
    Result,
    Message(Box<ControlMessage>),
}

impl Answer {
    fn message(message: ControlMessage) -> Self {
        Self::Message(Box::new(message))
    }
}

/// What a router offers at an address, which is also the id.
fn offer(
    address: &str,
    (cost, preferred): (u32, WirePrecedence),
    (instance_id, instance_secret): (String, Secret<Bytes>),
    peer_data: PeerData,
) -> Result<Offer, TerminatorError> {
    Ok(Offer {
        id: TerminatorId::from_wire(address),
        cost,
        precedence: precedence(preferred)?,
        instance_id,
        instance_secret: secret(instance_secret),
        peer_data: translate::peer_data_from_wire(peer_data),
    })
}

fn secret(instance_secret: Secret<Bytes>) -> SecretSlice<u8> {
    instance_secret.into_inner().to_vec().into()
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

/// Does what is asked of a terminator, and tells how that went if whoever asks is traced.
async fn traced_as(
    traced: Option<RequestTrace>,
    request: &str,
    terminator: &str,
    answering: impl Future<Output = Result<(), TerminatorError>> + Send,
) -> Result<(), TerminatorError> {
    let answer = answering.await;
    if let Some(traced) = traced {
        let reason = answer.as_ref().err().map(ToString::to_string);
        traced.log_terminator((request, terminator), reason.as_deref());
    }
    answer
}

impl Outcome {
    /// Creates a terminator. One that is created is then to be confirmed by its router.
    async fn of(
        creating: impl Future<Output = Result<(), TerminatorError>> + Send,
        created: RouterTerminator,
        plane: &Plane,
        session: &Session,
    ) -> Self {
        let done = creating.await;
        if done.is_ok() {
            session.expect_terminator(created, plane.now());
        }
        done.into()
    }
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
