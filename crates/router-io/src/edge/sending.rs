//! How messages get into the queues of an SDK's channel.
//!
//! Each of its connections is a flow: they share the channel equally, and what is said about a connection keeps
//! its place among the connection's data.

use portcullis_channel::{Flow, Message, Priority, SendError, Sequence};
use portcullis_transport::ChannelHandle;
use portcullis_wire::edge::{ConnectionId, EdgeMessage};

/// Queues a message.
pub(super) fn send(
    channel: &ChannelHandle,
    priority: Priority,
    message: Message,
) -> Result<Sequence, SendError> {
    channel.send_in(flow(&message), priority, message)
}

/// Waits until there is room for a message that was refused, or the channel is closed.
pub(super) fn room(
    channel: &ChannelHandle,
    priority: Priority,
    message: &Message,
) -> impl Future<Output = ()> + Send + use<> {
    channel.writable_in(flow(message), priority)
}

/// What a connection is in the queues.
pub(super) fn flow_of(connection: ConnectionId) -> Flow {
    Flow(u64::from(connection.0) + 1)
}

fn flow(message: &Message) -> Flow {
    EdgeMessage::connection(message).map_or(Flow::COMMON, flow_of)
}

#[cfg(test)]
mod tests {
    use portcullis_wire::edge::Data;
    use portcullis_wire::xgress::Acknowledgement;

    use super::*;

    #[test]
    fn messages_of_a_connection_are_one_flow_and_the_others_are_common() {
        let of = |message: EdgeMessage| flow(&message.encode().unwrap());
        let data = |connection| {
            EdgeMessage::Data(Data {
                connection: ConnectionId(connection),
                ..Data::default()
            })
        };
        let acknowledgement = EdgeMessage::Acknowledgement(Acknowledgement {
            connection: Some(ConnectionId(7)),
            circuit_id: "circuit".to_owned(),
            ..Acknowledgement::default()
        });
        assert_eq!(of(data(7)), of(acknowledgement));
        assert_ne!(of(data(7)), of(data(8)));
        assert_ne!(of(data(0)), Flow::COMMON);
        assert_eq!(of(EdgeMessage::UpdateTokenSuccess), Flow::COMMON);
    }
}
