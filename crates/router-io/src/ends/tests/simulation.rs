//! Programs that write, pause and read slowly, over links that lose, reorder and fill up, and circuits that
//! are cut.

use std::time::Duration;

use portcullis_seeded_random::{Random, Seeds, run_seed};
use portcullis_wire::control::route::Unroute;
use tokio::io::{
    AsyncRead, AsyncReadExt as _, AsyncWrite, AsyncWriteExt as _, ReadHalf, WriteHalf, split,
};
use tokio::runtime::Builder;
use tokio::time::{sleep, timeout};

use super::Circuit;
use super::carrying::noise;
use crate::testing::{CIRCUIT, Disturbance, TestRouter};

/// How long a run may take in virtual time.
const LONG: Duration = Duration::from_hours(1);

#[test]
fn simulation() {
    let (first, count) = match Seeds::chosen(60) {
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
    let is_cut = random.one_in(3);
    let cut = async {
        if is_cut {
            sleep(Duration::from_millis(random.below(20_000))).await;
            let end = &[circuit.initiator, circuit.terminator][random.index(2)];
            end.abort();
            // If the farewell is lost, controllers are left.
            sleep(Duration::from_secs(5)).await;
            unroute(&circuit.near);
            unroute(&circuit.far);
        }
    };
    let ((), there, back) = tokio::join!(cut, there, back);
    for (content, received) in [there, back] {
        assert!(content.starts_with(&received));
        assert!(is_cut || received.len() == content.len());
    }
    circuit.near.wait_for_ends().await;
    circuit.far.wait_for_ends().await;
}

fn unroute(router: &TestRouter) {
    router.relay.unroute(&Unroute {
        circuit_id: CIRCUIT.to_owned(),
        is_immediate: true,
    });
}

/// Sends through one direction, and ends it. Returns what was to be sent, and what has come.
async fn direction<S: AsyncRead + AsyncWrite + Send + 'static>(
    seed: u64,
    purpose: &'static str,
    mut to: WriteHalf<S>,
    mut from: ReadHalf<S>,
) -> (Vec<u8>, Vec<u8>) {
    let mut random = Random::new(seed, purpose);
    let magnitude = [8, 14, 20][random.index(3)];
    let content = noise(seed, random.index(1 << magnitude));
    let mut reading = Random::new(seed, "reading");
    let writing = async {
        let mut rest = &content[..];
        while !rest.is_empty() {
            let part = 1 + random.index(rest.len().min(60_000));
            to.write_all(&rest[..part]).await?;
            rest = &rest[part..];
            pause(&mut random).await;
        }
        to.shutdown().await
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
    // Writing fails when the circuit is cut.
    let (_written, received) = tokio::join!(writing, receiving);
    (content, received)
}

async fn pause(random: &mut Random) {
    if random.one_in(8) {
        sleep(Duration::from_millis(random.below(400))).await;
    }
}
