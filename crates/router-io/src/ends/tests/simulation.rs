//! Programs that write, pause, read slowly and go, over links that lose, double back and fill up.

use std::time::Duration;

use portcullis_seeded_random::{Random, Seeds, run_seed};
use tokio::io::{
    AsyncRead, AsyncReadExt as _, AsyncWrite, AsyncWriteExt as _, ReadHalf, WriteHalf, split,
};
use tokio::runtime::Builder;
use tokio::time::{sleep, timeout};

use super::Circuit;
use super::carrying::noise;
use crate::testing::Disturbance;

/// How long a run may take in virtual time.
const LONG: Duration = Duration::from_hours(1);

#[test]
fn simulation() {
    let (first, count) = match Seeds::chosen(12) {
        Seeds::One(seed) => (seed, 1),
        Seeds::Many { first, count } => (first, count),
    };
    for seed in first..first + count {
        run_seed(seed, || {
            let runtime = Builder::new_current_thread()
                .enable_time()
                .start_paused(true)
                .build()
                .unwrap();
            runtime.block_on(async { timeout(LONG, run(seed)).await.unwrap() });
        });
    }
}

async fn run(seed: u64) {
    let mut random = Random::new(seed, "network");
    let disturbance = Disturbance {
        loss: [0, 0, 10, 50][random.index(4)],
        delay: Duration::from_millis(random.below(4) * 20),
        queue: [4, 64, 1_024][random.index(3)],
    };
    let circuit = Circuit::open(disturbance, seed);
    let (from_client, to_client) = split(circuit.client);
    let (from_server, to_server) = split(circuit.server);
    let there = direction(seed, "there", to_client, from_server);
    let back = direction(seed, "back", to_server, from_client);
    tokio::join!(there, back);
    circuit.near.wait_for_ends().await;
    circuit.far.wait_for_ends().await;
}

/// Sends through one direction, ends it, and compares.
async fn direction<S: AsyncRead + AsyncWrite + Send + 'static>(
    seed: u64,
    purpose: &'static str,
    mut to: WriteHalf<S>,
    mut from: ReadHalf<S>,
) {
    let mut random = Random::new(seed, purpose);
    let magnitude = [8, 14, 20][random.index(3)];
    let length = random.index(1 << magnitude);
    let content = noise(seed, length);
    let mut reading = Random::new(seed, "reading");
    let writing = async {
        let mut rest = &content[..];
        while !rest.is_empty() {
            let part = 1 + random.index(rest.len().min(60_000));
            to.write_all(&rest[..part]).await.unwrap();
            rest = &rest[part..];
            pause(&mut random).await;
        }
        to.shutdown().await.unwrap();
    };
    let receiving = async {
        let mut received = Vec::new();
        let mut buffer = vec![0; 40_000];
        loop {
            let room = 1 + reading.index(buffer.len());
            let read = from.read(&mut buffer[..room]).await.unwrap();
            if read == 0 {
                return received;
            }
            received.extend_from_slice(&buffer[..read]);
            pause(&mut reading).await;
        }
    };
    let ((), received) = tokio::join!(writing, receiving);
    assert!(received == content, "{} of {length} bytes", received.len());
}

async fn pause(random: &mut Random) {
    if random.one_in(8) {
        sleep(Duration::from_millis(random.below(400))).await;
    }
}
