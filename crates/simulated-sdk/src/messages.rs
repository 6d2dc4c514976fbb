//! Messages of SDKs.

use bytes::Bytes;
use portcullis_wire::edge::{Bind, Connect, ConnectV2, ConnectionId, Data, DataFlags, EdgeMessage};
use portcullis_wire::{Secret, Token};

/// A bind by connection 1, whose router names the connections that it offers.
pub fn bind(token: &str, listener: &str, uses_xgress: bool) -> Bind {
    Bind {
        connection: ConnectionId(1),
        session_token: Token::new(token.to_owned()),
        listener_id: Some(Bytes::copy_from_slice(listener.as_bytes())),
        router_provides_connections: true,
        supports_bind_success: true,
        uses_xgress,
        ..Bind::default()
    }
}

/// A dial by a session for a service.
pub fn dial(id: u32, token: &str, uses_xgress: bool) -> EdgeMessage {
    EdgeMessage::Connect(Connect {
        connection: ConnectionId(id),
        session_token: Token::new(token.to_owned()),
        uses_xgress,
        ..Connect::default()
    })
}

/// A dial of a service by its id.
pub fn dial_v2(id: u32, service: &str, uses_xgress: bool) -> EdgeMessage {
    EdgeMessage::ConnectV2(ConnectV2 {
        connection: ConnectionId(id),
        service: service.to_owned(),
        uses_xgress,
        ..ConnectV2::default()
    })
}

/// Data of a connection whose circuit ends in the router.
pub fn data(id: ConnectionId, bytes: impl Into<Bytes>, flags: DataFlags) -> EdgeMessage {
    EdgeMessage::Data(Data {
        connection: id,
        data: Secret::new(bytes.into()),
        flags,
        ..Data::default()
    })
}
