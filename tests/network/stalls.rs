//! SDKs that read nothing hold up their own circuits, and cost a router no more than was agreed.

use crate::network::{Flow, Network};
use bytes::Bytes;
use portcullis_simulated_sdk::{Sdk, data};
use portcullis_wire::Secret;
use portcullis_wire::edge::{ConnectionId, DataFlags, EdgeMessage};
use portcullis_wire::xgress::{Payload, PayloadFlags, PayloadSequence};
use std::fs;
use std::time::Duration;
use tokio::time::timeout;

const MIB: usize = 1024 * 1024;
/// What a stalled circuit may take of a router, with what the allocator keeps.
const GROWTH: usize = 48 * MIB;
/// What is sent to those who do not read, if nothing holds it back.
const FLOOD: usize = 150 * MIB;
const PIECE: usize = 32 * 1024;
/// After so long without room, a sender is held back.
const HELD_BACK: Duration = Duration::from_millis(500);

/// Memory of a process, in bytes.
pub(crate) fn memory(process: u32) -> usize {
    let status = fs::read_to_string(format!("/proc/{process}/status")).unwrap();
    let line = status.lines().find(|line| line.starts_with("VmRSS:"));
    let kilobytes = line.unwrap().split_whitespace().nth(1).unwrap();
    kilobytes.parse::<usize>().unwrap() * 1024
}

/// Sends messages until the router takes no more of them, or until it was enough. Returns the bytes.
pub(crate) async fn flood(sdk: &Sdk, mut message: impl FnMut(u32, Bytes) -> EdgeMessage) -> usize {
    let bytes = Bytes::from(vec![7; PIECE]);
    let mut sent = 0;
    for number in 0.. {
        let saying = sdk.says(message(number, bytes.clone()));
        if sent >= FLOOD || !matches!(timeout(HELD_BACK, saying).await, Ok(true)) {
            break;
        }
        sent += PIECE;
    }
    sent
}

/// Data of a connection whose circuit ends in the router.
fn data_of(connection: ConnectionId) -> impl FnMut(u32, Bytes) -> EdgeMessage {
    move |_, bytes| data(connection, bytes, DataFlags::default())
}

/// Payloads that heed no window, numbered from here.
fn payloads_of(
    circuit: &str,
    flags: PayloadFlags,
    first: u32,
) -> impl FnMut(u32, Bytes) -> EdgeMessage {
    move |number, bytes| {
        EdgeMessage::Payload(Payload {
            circuit_id: circuit.to_owned(),
            sequence: PayloadSequence::new(first + number).unwrap(),
            flags,
            data: Secret::new(bytes),
            ..Payload::default()
        })
    }
}

/// Who is flooded, and reads nothing.
#[derive(Debug, Clone, Copy)]
enum Stalled {
    Client,
    Host,
}

/// The client in one flow, the host in the other.
async fn stall(stalled: Stalled, [near, far]: [Flow; 2], first: u32) {
    let mut network = Network::new(1).await;
    let mut router = network.routers[0].run();
    router.until_logged("running");
    network.controller.until_online(1).await;
    let mut host = network.host("bob", 0, far).await;
    let client = network.client("alice", 0).await;
    let circuit = client.dials(1, &mut host, near).await;
    let before = memory(router.process());
    let (sender, flow, connection, flags) = match stalled {
        Stalled::Host => (&client.sdk, near, circuit.near, PayloadFlags::default()),
        Stalled::Client => (&host, far, circuit.far, PayloadFlags::FROM_TERMINATOR),
    };
    let sent = match flow {
        Flow::Legacy => flood(sender, data_of(connection)).await,
        Flow::Sdk => flood(sender, payloads_of(&circuit.id, flags, first)).await,
    };
    let grown = memory(router.process()).saturating_sub(before);
    println!(
        "{} MiB were sent, and the router has {} MiB more",
        sent / MIB,
        grown / MIB
    );
    assert!(grown < GROWTH, "{grown} bytes more");
    if flow == Flow::Legacy {
        assert!(sent < FLOOD, "nothing holds the sender back");
    }
    network.others_go_on(0, 0).await;
    drop((host, client));
    network.controller.until_count("circuits", 0).await;
}

#[tokio::test]
async fn host_that_reads_nothing_in_the_legacy_flow() {
    stall(Stalled::Host, [Flow::Legacy; 2], 0).await;
}

#[tokio::test]
async fn client_that_reads_nothing_in_the_legacy_flow() {
    stall(Stalled::Client, [Flow::Legacy; 2], 0).await;
}

#[tokio::test]
async fn host_that_reads_nothing_in_the_flow_of_sdks() {
    stall(Stalled::Host, [Flow::Sdk; 2], 0).await;
}

#[tokio::test]
async fn client_that_reads_nothing_in_the_flow_of_sdks() {
    stall(Stalled::Client, [Flow::Sdk; 2], 0).await;
}

/// The end in the router has to bear an SDK that exceeds the window.
#[tokio::test]
async fn host_of_the_legacy_flow_that_reads_nothing_of_a_client_without_windows() {
    stall(Stalled::Host, [Flow::Sdk, Flow::Legacy], 0).await;
}

#[tokio::test]
async fn client_of_the_legacy_flow_that_reads_nothing_of_a_host_without_windows() {
    stall(Stalled::Client, [Flow::Legacy, Flow::Sdk], 0).await;
}

/// None of it can be handed on, since what comes before is missing.
#[tokio::test]
async fn host_of_the_legacy_flow_whose_client_is_far_ahead() {
    stall(Stalled::Host, [Flow::Sdk, Flow::Legacy], 1_000).await;
}

#[tokio::test]
async fn host_of_the_legacy_flow_whose_client_is_at_its_last_numbers() {
    let first = u32::MAX / 2 - 10_000;
    stall(Stalled::Host, [Flow::Sdk, Flow::Legacy], first).await;
}
