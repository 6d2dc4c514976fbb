//! Binds and their terminators, at the router and at the controllers.

mod binds;
mod controllers;
mod upkeep;

use super::judge::service_token;
use super::world::World;
use portcullis_domain::policies::ServiceGrant;
use portcullis_router::edge::ChannelId;
use portcullis_wire::control::terminator::{CreateTerminatorAnswerV2, CreateTerminatorResult};
use portcullis_wire::edge::{
    ConnectionId, ConnectionInspectResponse, ConnectionKind, EdgeMessage, Unbind, UpdateBind,
};
use portcullis_wire::{ErrorCode, RetryHint};

fn refused(
    terminator: &str,
    result: CreateTerminatorResult,
    hint: RetryHint,
) -> CreateTerminatorAnswerV2 {
    CreateTerminatorAnswerV2 {
        terminator_id: terminator.to_owned(),
        result,
        reason: "because".to_owned(),
        code: ErrorCode::Internal,
        retry_hint: hint,
    }
}

fn failed(terminator: &str, hint: RetryHint) -> CreateTerminatorAnswerV2 {
    refused(terminator, CreateTerminatorResult::Failed, hint)
}

/// Kinds of the messages that were sent, with their channels.
fn sent(world: &mut World) -> Vec<(ChannelId, i32)> {
    let sent = world.done.sent.drain(..);
    sent.map(|(channel, one)| (channel, one.message.content_type().0))
        .collect()
}

const CONNECTED: i32 = 60784;
const CLOSED: i32 = 60785;
const BIND_SUCCESS: i32 = 60800;

fn unbind(id: u32) -> EdgeMessage {
    EdgeMessage::Unbind(Unbind {
        session_token: service_token(ServiceGrant::Bind, "svc1"),
        connection: ConnectionId(id),
        sequence: None,
    })
}

fn inspected(kind: ConnectionKind) -> EdgeMessage {
    EdgeMessage::ConnectionInspectResponse(ConnectionInspectResponse {
        connection: ConnectionId(1),
        kind,
        detail: String::new(),
    })
}

fn update(cost: u16) -> EdgeMessage {
    EdgeMessage::UpdateBind(UpdateBind {
        session_token: service_token(ServiceGrant::Bind, "svc1"),
        connection: ConnectionId(1),
        cost: Some(cost),
        ..UpdateBind::default()
    })
}
