//! What programs of these tests do.

use crate::controller::PATIENCE;
use crate::network::Network;
use portcullis_sdk::{Context, Listener, LoginProtocol, ServiceStream};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _, copy};
use tokio::task::JoinSet;
use tokio::time::timeout;

/// A program that has joined the network as a new identity.
pub(super) async fn program(network: &Network, name: &str, protocol: LoginProtocol) -> Context {
    let controller = &network.controller;
    let person = controller.person(name).await;
    let builder = Context::builder(controller.identity(&person)).protocol(protocol);
    let opening = timeout(PATIENCE, builder.open());
    opening.await.unwrap().unwrap()
}

/// Sends back what comes by so many streams.
pub(super) async fn echo(listener: &mut Listener, streams: usize) {
    let mut serving = JoinSet::new();
    for _ in 0..streams {
        let stream = listener.accept().await.unwrap();
        let (mut reader, mut writer) = stream.into_split();
        serving.spawn(async move {
            copy(&mut reader, &mut writer).await.unwrap();
        });
    }
    serving.join_all().await;
}

/// Sends so many bytes to an echo, while they come back.
pub(super) async fn exchange(stream: ServiceStream, total: usize) {
    let sent: Vec<u8> = (0..total)
        .map(|at| (at / 7 % 251).to_le_bytes()[0])
        .collect();
    let (mut reader, mut writer) = stream.into_split();
    let writing = async {
        writer.write_all(&sent).await.unwrap();
        writer.shutdown().await.unwrap();
    };
    let mut read = Vec::new();
    let reading = reader.read_to_end(&mut read);
    let ((), length) = tokio::join!(writing, reading);
    assert_eq!(length.unwrap(), total);
    assert!(read == sent, "other bytes come back");
}
