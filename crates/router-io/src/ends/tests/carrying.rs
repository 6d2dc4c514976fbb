//! What goes in comes out.

use std::time::Duration;

use portcullis_seeded_random::Random;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _, copy, split};

use super::Circuit;
use crate::testing::Disturbance;

pub(super) fn noise(seed: u64, length: usize) -> Vec<u8> {
    let mut random = Random::new(seed, "content");
    let words = std::iter::repeat_with(|| random.next().to_le_bytes());
    words.flatten().take(length).collect()
}

/// Sends through an echo, and compares.
async fn echo(disturbance: Disturbance, seed: u64, length: usize) {
    let circuit = Circuit::open(disturbance, seed);
    let (mut from_client, mut to_client) = split(circuit.server);
    tokio::spawn(async move {
        copy(&mut from_client, &mut to_client).await.unwrap();
        to_client.shutdown().await.unwrap();
    });
    let content = noise(seed, length);
    let (mut from_server, mut to_server) = split(circuit.client);
    let sent = content.clone();
    tokio::spawn(async move {
        to_server.write_all(&sent).await.unwrap();
        to_server.shutdown().await.unwrap();
    });
    let mut received = Vec::new();
    from_server.read_to_end(&mut received).await.unwrap();
    assert!(received == content, "{} of {length} bytes", received.len());
    circuit.near.wait_for_ends().await;
    circuit.far.wait_for_ends().await;
}

#[tokio::test(start_paused = true)]
async fn an_echo_comes_back() {
    echo(Disturbance::NONE, 0, 3 << 20).await;
}

#[tokio::test(start_paused = true)]
async fn an_echo_comes_back_over_a_link_that_loses_and_reorders() {
    let disturbance = Disturbance {
        loss: 20,
        delay: Duration::from_millis(30),
        queue: 64,
    };
    echo(disturbance, 1, 1 << 20).await;
}
