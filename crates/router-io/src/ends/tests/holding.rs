//! How much ends hold, and that they hold still.

use std::process::Command;
use std::time::Duration;

use portcullis_forwarding::Activity;
use portcullis_wire::Secret;
use portcullis_wire::control::route::{DestinationKind, Route};
use portcullis_wire::xgress::{
    Acknowledgement, Control, ControlKind, Payload, PayloadFlags, PayloadSequence,
};
use portcullis_xgress::{MAX_PAYLOADS, Side};
use stats_alloc::{INSTRUMENTED_SYSTEM, Region};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _, DuplexStream, duplex};
use tokio::time::{sleep, timeout};

use super::{Circuit, END, LINK, PIPE, START, open_end, terms};
use crate::circuit_message::CircuitMessage;
use crate::ends::{EndTerms, SocketSide, Start};
use crate::relay::NotForwarded;
use crate::testing::{CIRCUIT, Disturbance, Recorder, TestRouter, connect, controller_id, forward};

#[tokio::test(start_paused = true)]
async fn a_server_that_stalls_stops_the_client_and_nothing_else() {
    let mut circuit = Circuit::open(Disturbance::NONE, 0);
    let part = [0; 1 << 10];
    let mut written = 0;
    while let Ok(result) = timeout(Duration::from_mins(5), circuit.client.write_all(&part)).await {
        result.unwrap();
        written += part.len();
    }
    let view = circuit.far.end_view("end").await;
    // One segment more than the limit.
    assert!(view.stats.held_bytes <= (4 << 20) + PIPE, "{view:?}");
    assert!(view.stats.held_bytes >= 1 << 20, "{view:?}");
    let near = circuit.near.end_view("start").await;
    assert!(near.stats.outstanding_bytes <= 1 << 20, "{near:?}");
    assert!(written <= 5 << 20, "{written}");
    // It reads again, and all is there.
    let mut received = 0;
    while received < written {
        received += circuit.server.read(&mut [0; PIPE]).await.unwrap();
    }
    circuit.client.write_u8(9).await.unwrap();
    assert!(circuit.server.read_u8().await.is_ok());
}

#[tokio::test(start_paused = true)]
async fn a_full_inbox_refuses_and_has_room_again() {
    let router = TestRouter::new("only");
    let (_client, end) = open_end(&router.ends, Side::Initiator, Start::AtOnce);
    let (recorder, _messages) = Recorder::new();
    let (hop, _) = router.relay.attach(LINK.0, recorder);
    router.route(START, LINK);
    let payload = |sequence| {
        CircuitMessage::Payload(Box::new(Payload {
            circuit_id: CIRCUIT.to_owned(),
            sequence: PayloadSequence::new(sequence).unwrap(),
            flags: PayloadFlags::FROM_TERMINATOR,
            data: Secret::new(vec![0; 64 << 10].into()),
            ..Payload::default()
        }))
    };
    let mut accepted = 0;
    let full = loop {
        match router
            .relay
            .forward(hop, payload(accepted), Activity::Shown)
        {
            Ok(()) => accepted += 1,
            Err(NotForwarded::Full(message, destination)) => break destination.room(&message),
            Err(NotForwarded::NoWay) => panic!("there is a way"),
        }
    };
    assert_eq!(accepted, 64, "4 MiB");
    full.await;
    assert!(
        router
            .relay
            .forward(hop, payload(accepted), Activity::Shown)
            .is_ok()
    );
    drop(end);
}

/// Neither does the peer have a window for headers, nor for what it acknowledges.
#[tokio::test(start_paused = true)]
async fn what_has_no_data_fills_an_inbox_too() {
    let headers = [(7, vec![0; 1_000].into())].into();
    let payload = CircuitMessage::Payload(Box::new(Payload {
        circuit_id: CIRCUIT.to_owned(),
        flags: PayloadFlags::FROM_TERMINATOR,
        headers,
        ..Payload::default()
    }));
    let acknowledgement = CircuitMessage::Acknowledgement(Box::new(Acknowledgement {
        circuit_id: CIRCUIT.to_owned(),
        flags: PayloadFlags::FROM_TERMINATOR,
        sequences: vec![PayloadSequence::default(); 64 << 10],
        ..Acknowledgement::default()
    }));
    for (message, least, most) in [(payload, 4_096, 8_400), (acknowledgement, 16, 64)] {
        let router = TestRouter::new("only");
        let (_client, _end) = open_end(&router.ends, Side::Initiator, Start::AtOnce);
        let (recorder, _messages) = Recorder::new();
        let (hop, _) = router.relay.attach(LINK.0, recorder);
        router.route(START, LINK);
        let forward = || router.relay.forward(hop, message.clone(), Activity::Shown);
        let accepted = (0..MAX_PAYLOADS).take_while(|_| forward().is_ok()).count();
        assert!((least..most).contains(&accepted), "{accepted}");
    }
}

#[tokio::test(start_paused = true)]
async fn traces_are_answered_by_the_end_that_they_reach() {
    let (near, far) = (TestRouter::new("near"), TestRouter::new("far"));
    connect("link", &near.relay, &far.relay, Disturbance::NONE, 0);
    let (_server, _terminator) = open_end(&far.ends, Side::Terminator, Start::AtOnce);
    far.route(END, LINK);
    let (recorder, mut answers) = Recorder::new();
    let (start, _) = near.relay.attach(START.0, recorder);
    near.route(START, LINK);
    for (hops, kind, router) in [
        (1, "forwarder", "near"),
        (2, "forwarder", "far"),
        (3, "xgress/test", "far"),
        (99, "xgress/test", "far"),
    ] {
        let trace = CircuitMessage::Control(Box::new(Control {
            kind: ControlKind::TraceRoute,
            circuit_id: CIRCUIT.to_owned(),
            hops: Some(hops),
            ..Control::default()
        }));
        near.relay.forward_or_drop(start, trace);
        let Some(CircuitMessage::Control(answer)) = answers.recv().await else {
            panic!("no answer to {hops} hops");
        };
        assert_eq!(answer.kind, ControlKind::TraceRouteAnswer);
        let by = (answer.hop_kind.as_deref(), answer.hop_id.as_deref());
        assert_eq!(by, (Some(kind), Some(router)), "{hops} hops");
    }
}

#[test]
fn ten_thousand_idle_circuits_take_less_than_eight_kibibytes_each() {
    let mut alone = Command::new(std::env::current_exe().unwrap());
    alone.args([
        "--exact",
        "--ignored",
        "ends::tests::holding::measure_idle_circuits",
    ]);
    let output = alone.output().unwrap();
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{text}");
    assert!(text.contains("1 passed"), "{text}");
}

#[tokio::test(start_paused = true)]
#[ignore = "has a process of its own, by the test before it: allocations of other tests would count"]
async fn measure_idle_circuits() {
    const CIRCUITS: usize = 10_000;
    let router = TestRouter::new("only");
    // Warms up what is there once.
    let first = open_idle(&router, CIRCUITS);
    let region = Region::new(&INSTRUMENTED_SYSTEM);
    let mut circuits = Vec::with_capacity(CIRCUITS);
    circuits.extend((0..CIRCUITS).map(|number| open_idle(&router, number)));
    sleep(Duration::from_hours(1)).await;
    let change = region.change();
    let bytes = change.bytes_allocated - change.bytes_deallocated;
    // With the streams of the test, in the place of sockets.
    let each = bytes / CIRCUITS;
    println!("{each} bytes for an idle circuit");
    assert!(each < 8 << 10, "{each} bytes");
    let view = router.end_view(&format!("end {}", CIRCUITS / 2)).await;
    assert_eq!(view.stats.outstanding_payloads, 0);
    drop((first, circuits));
}

/// The programs' ends of a circuit that carries nothing.
fn open_idle(router: &TestRouter, number: usize) -> [DuplexStream; 2] {
    let circuit = format!("circuit {number}");
    let [start, end] = ["start", "end"].map(|side| format!("{side} {number}"));
    let open = |side, address: &str| {
        let (ours, theirs) = duplex(1);
        let terms = EndTerms {
            circuit: circuit.as_str().into(),
            address: address.to_owned(),
            ..terms(side, Start::AtOnce)
        };
        let socket = SocketSide::new("xgress/test", theirs);
        router.ends.open(&terms, socket);
        ours
    };
    let server = open(Side::Terminator, &end);
    let (start_kind, end_kind) = (DestinationKind::Start, DestinationKind::End);
    let route = Route {
        circuit_id: circuit.clone(),
        forwards: vec![
            forward((&start, start_kind), (&end, end_kind)),
            forward((&end, end_kind), (&start, start_kind)),
        ],
        ..Route::default()
    };
    router.relay.route(&route, &controller_id()).unwrap();
    [server, open(Side::Initiator, &start)]
}
