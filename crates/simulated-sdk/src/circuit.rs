//! Connections, and what they carry when their circuits end in the router.

use bytes::Bytes;
use portcullis_wire::edge::{
    ConnectionId, Data, DataFlags, Dial, DialSuccess, EdgeMessage, StateClosed, StateConnected,
};
use sha2::{Digest as _, Sha256};

use crate::messages::data;
use crate::sdk::Sdk;

/// Takes the connection that is offered next.
pub async fn accept(host: &mut Sdk) -> Dial {
    let (dial, request) = host
        .finds(|message, request| match message {
            EdgeMessage::Dial(dial) => Some((dial.clone(), request.clone())),
            _ => None,
        })
        .await;
    let success = EdgeMessage::DialSuccess(DialSuccess {
        connection: dial.connection,
        new_connection: dial.new_connection.unwrap(),
        ..DialSuccess::default()
    });
    host.replies(&request, &success);
    dial
}

/// Dials, while the host takes what is offered.
pub async fn dial_through(
    client: &Sdk,
    host: &mut Sdk,
    dial: EdgeMessage,
) -> (Dial, Result<StateConnected, StateClosed>) {
    tokio::join!(accept(host), client.dials(dial))
}

pub async fn next_data(sdk: &mut Sdk) -> Data {
    sdk.finds(|message, _| match message {
        EdgeMessage::Data(data) => Some(data.clone()),
        _ => None,
    })
    .await
}

/// Sends so many bytes in pieces of many sizes, then the end of the data. Returns their digest.
pub async fn send_all(sdk: &Sdk, connection: ConnectionId, seed: u8, total: usize) -> Vec<u8> {
    const LENGTHS: [usize; 6] = [1, 100_000, 7, 16_384, 0, 65_537];
    let mut digest = Sha256::new();
    let mut sent = 0;
    for length in LENGTHS.into_iter().cycle() {
        if sent == total {
            break;
        }
        let length = length.min(total - sent);
        let bytes: Vec<u8> = (sent..sent + length)
            .map(|at| (at / 7 % 251).to_le_bytes()[0] ^ seed)
            .collect();
        digest.update(&bytes);
        sent += length;
        sdk.says(data(connection, bytes, DataFlags::default()))
            .await;
    }
    sdk.says(data(connection, Bytes::new(), DataFlags::FIN))
        .await;
    digest.finalize().to_vec()
}

/// The digest of all data until its end.
pub async fn receive_all(sdk: &mut Sdk) -> Vec<u8> {
    let mut digest = Sha256::new();
    loop {
        let data = next_data(sdk).await;
        digest.update(data.data.expose());
        if data.flags.contains(DataFlags::FIN) {
            return digest.finalize().to_vec();
        }
    }
}
