//! `edge_transport` for dialing ends with a key.

use bytes::Bytes;
use portcullis_e2e_encryption::{Header, KeyPair, PublicKey, Role};
use portcullis_wire::peer_data::{LOCAL_ADDRESS, PUBLIC_KEY, PeerData, REMOTE_ADDRESS};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _, DuplexStream, duplex};
use tokio::net::{TcpListener, TcpStream};

use super::World;
use crate::encrypted_side::EncryptedSide;
use crate::ends::SocketSide;

/// Dials with the key of a client, and returns the server's end of the connection.
async fn dial(world: &World, client: &KeyPair) -> (TcpStream, PublicKey) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = format!("tcp:{}", listener.local_addr().unwrap());
    let key = Bytes::copy_from_slice(client.public_key().as_bytes());
    let peer_data = PeerData::from([(PUBLIC_KEY, key.into())]);
    let dialing = world.dial_with("edge_transport", &address, peer_data);
    let peer_data = dialing.await.unwrap();
    let numbers: Vec<u32> = peer_data.keys().copied().collect();
    assert_eq!(numbers, [PUBLIC_KEY, LOCAL_ADDRESS, REMOTE_ADDRESS]);
    let (server, _) = listener.accept().await.unwrap();
    let key = PublicKey::try_from(&peer_data[&PUBLIC_KEY].expose()[..]).unwrap();
    (server, key)
}

/// What a client has of an encrypted circuit.
fn client(world: &World, client: &KeyPair, host: &PublicKey) -> DuplexStream {
    let keys = client.agree(Role::Client, host).unwrap();
    let (client, near) = duplex(64 << 10);
    let side = SocketSide::new("test", near);
    world.open(EncryptedSide::new(side, keys, Header([5; 24])));
    client
}

#[tokio::test]
async fn server_sees_what_was_encrypted() {
    let world = World::new();
    let pair = KeyPair::from_secret([1; 32]).unwrap();
    let (mut server, host) = dial(&world, &pair).await;
    let mut client = client(&world, &pair, &host);
    let question: Vec<u8> = (0..251).cycle().take(200_000).collect();
    client.write_all(&question).await.unwrap();
    client.shutdown().await.unwrap();
    let mut received = Vec::new();
    server.read_to_end(&mut received).await.unwrap();
    assert!(received == question, "{} bytes", received.len());
    server.write_all(b"answer").await.unwrap();
    drop(server);
    let mut answer = String::new();
    client.read_to_string(&mut answer).await.unwrap();
    assert_eq!(answer, "answer");
    world.wait_for_ends().await;
}

/// A dialing end that does not encrypt after all: nothing of it reaches the server.
#[tokio::test]
async fn what_is_not_encrypted_ends_both_ways() {
    let world = World::new();
    let pair = KeyPair::from_secret([1; 32]).unwrap();
    let (mut server, _) = dial(&world, &pair).await;
    let mut client = world.client();
    client.write_all(b"as it is").await.unwrap();
    let mut received = Vec::new();
    server.read_to_end(&mut received).await.unwrap();
    assert_eq!(received, b"");
    drop(client);
    world.wait_for_ends().await;
}

/// The first bytes are a header, whatever they are; then nothing is authentic.
#[tokio::test]
async fn other_keys_end_both_ways() {
    let world = World::new();
    let pair = KeyPair::from_secret([1; 32]).unwrap();
    let (mut server, host) = dial(&world, &pair).await;
    let other = KeyPair::from_secret([2; 32]).unwrap();
    let mut client = client(&world, &other, &host);
    client.write_all(b"hello").await.unwrap();
    let mut received = Vec::new();
    server.read_to_end(&mut received).await.unwrap();
    assert_eq!(received, b"");
    drop(client);
    world.wait_for_ends().await;
}
