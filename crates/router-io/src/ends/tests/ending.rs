//! How circuits end, and what programs see of it.

use std::time::Duration;

use portcullis_forwarding::ForwardingOptions;
use portcullis_wire::control::ControlMessage;
use portcullis_wire::control::link::FaultSubject;
use portcullis_wire::control::route::Unroute;
use portcullis_xgress::Side;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _, duplex};
use tokio::time::{Instant, sleep, timeout};

use super::{Circuit, END, PIPE, START, open_end, terms};
use crate::ends::{EndTerms, SocketSide, Start};
use crate::testing::{CIRCUIT, Disturbance, TestController, TestRouter, controller_id, fault};

#[tokio::test(start_paused = true)]
async fn either_direction_ends_by_itself() {
    let mut circuit = Circuit::open(Disturbance::NONE, 0);
    circuit.client.write_all(b"question").await.unwrap();
    circuit.client.shutdown().await.unwrap();
    let mut question = String::new();
    circuit.server.read_to_string(&mut question).await.unwrap();
    assert_eq!(question, "question");
    sleep(Duration::from_hours(1)).await;
    circuit.server.write_all(b"answer").await.unwrap();
    circuit.server.shutdown().await.unwrap();
    let mut answer = String::new();
    circuit.client.read_to_string(&mut answer).await.unwrap();
    assert_eq!(answer, "answer");
    let begin = Instant::now();
    circuit.wait_for_ends().await;
    assert!(begin.elapsed() < Duration::from_secs(1), "{begin:?}");
}

#[tokio::test(start_paused = true)]
async fn what_was_sent_before_a_program_has_gone_is_delivered() {
    let mut circuit = Circuit::open(Disturbance::NONE, 0);
    circuit.client.write_all(&vec![7; 100_000]).await.unwrap();
    drop(circuit.client);
    // The server takes its time, and the controllers have taken the circuit away meanwhile.
    sleep(Duration::from_secs(20)).await;
    for router in [&circuit.near, &circuit.far] {
        router.relay.unroute(&Unroute {
            circuit_id: CIRCUIT.to_owned(),
            is_immediate: true,
        });
    }
    sleep(Duration::from_secs(20)).await;
    let mut received = Vec::new();
    circuit.server.read_to_end(&mut received).await.unwrap();
    assert_eq!(received.len(), 100_000);
    circuit.near.wait_for_ends().await;
    circuit.far.wait_for_ends().await;
}

#[tokio::test(start_paused = true)]
async fn an_end_that_is_aborted_takes_the_other_one_along() {
    let mut circuit = Circuit::open(Disturbance::NONE, 0);
    circuit.client.write_all(b"hello").await.unwrap();
    circuit.server.read_u8().await.unwrap();
    circuit.initiator.abort();
    circuit.wait_for_ends().await;
    assert!(circuit.client.write_all(&vec![0; 100_000]).await.is_err());
}

#[tokio::test(start_paused = true)]
async fn the_end_of_an_earlier_attempt_does_not_take_the_circuit_along() {
    let mut circuit = Circuit::open(Disturbance::NONE, 0);
    let far = &circuit.far;
    let mut controller = TestController::connect(&controller_id(), &far.controllers).await;
    let (_server, theirs) = duplex(PIPE);
    let earlier = EndTerms {
        address: "end of the first attempt".to_owned(),
        ..terms(Side::Terminator, Start::AtOnce)
    };
    let earlier = far
        .ends
        .open(&earlier, SocketSide::new("xgress/test", theirs));
    earlier.abort();
    let told = timeout(Duration::from_mins(1), controller.next());
    assert!(told.await.is_err());
    assert!(far.relay.find("end of the first attempt").is_none());
    circuit.client.write_all(b"hello").await.unwrap();
    circuit.server.read_exact(&mut [0; 5]).await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn the_owner_of_a_circuit_hears_which_end_was_closed() {
    let mut circuit = Circuit::open(Disturbance::NONE, 0);
    let mut controllers = Vec::new();
    for router in [&circuit.near, &circuit.far] {
        controllers.push(TestController::connect(&controller_id(), &router.controllers).await);
    }
    circuit.client.write_all(b"bye").await.unwrap();
    drop(circuit.client);
    let mut all = Vec::new();
    circuit.server.read_to_end(&mut all).await.unwrap();
    drop(circuit.server);
    let subjects = [FaultSubject::Ingress, FaultSubject::Egress];
    for (controller, subject) in controllers.iter_mut().zip(subjects) {
        assert_eq!(controller.next().await, fault(subject, CIRCUIT));
    }
    circuit.near.wait_for_ends().await;
    assert_eq!(circuit.near.relay.circuit_count(), 0);
}

#[tokio::test(start_paused = true)]
async fn a_circuit_that_is_taken_away_ends_without_a_word() {
    let mut circuit = Circuit::open(Disturbance::NONE, 0);
    let mut controller = TestController::connect(&controller_id(), &circuit.near.controllers).await;
    circuit.near.relay.unroute(&Unroute {
        circuit_id: CIRCUIT.to_owned(),
        is_immediate: true,
    });
    circuit.near.wait_for_ends().await;
    assert_eq!(circuit.client.read(&mut [0]).await.unwrap(), 0);
    let told = timeout(Duration::from_secs(1), controller.next());
    assert!(told.await.is_err());
}

/// Defect 24 of the original: the end of a circuit is told once, and what is lost of that is not sent again. Its
/// controller is asked about the circuit then, and has it ended if it knows nothing of it.
#[tokio::test(start_paused = true)]
async fn a_circuit_whose_end_was_lost_is_found_idle_and_ends() {
    let options = ForwardingOptions {
        idle_timeout: Duration::from_secs(10),
        idle_interval: Some(Duration::from_secs(25)),
        ..ForwardingOptions::default()
    };
    let routers = ["near", "far"].map(|name| TestRouter::with(name, options));
    let mut circuit = Circuit::between(routers, Disturbance::NONE, 0);
    let mut owner = TestController::connect(&controller_id(), &circuit.far.controllers).await;
    circuit.client.write_all(b"hello").await.unwrap();
    circuit.server.read_exact(&mut [0; 5]).await.unwrap();
    sleep(Duration::from_secs(1)).await;
    circuit.link.lose_all();
    circuit.initiator.abort();
    circuit.near.wait_for_ends().await;
    let hearing = timeout(Duration::from_secs(20), circuit.server.read_u8());
    assert!(hearing.await.is_err(), "the far end has heard of it");

    let ControlMessage::CircuitConfirmation(asked) = owner.next().await else {
        panic!("it asks about nothing");
    };
    assert_eq!(asked.circuit_ids, [CIRCUIT]);
    circuit.far.relay.unroute(&Unroute {
        circuit_id: CIRCUIT.to_owned(),
        is_immediate: true,
    });
    circuit.far.wait_for_ends().await;
    assert_eq!(circuit.server.read(&mut [0]).await.unwrap(), 0);
    assert_eq!(circuit.far.relay.circuit_count(), 0);
}

#[tokio::test(start_paused = true)]
async fn a_circuit_that_drains_ends_when_nothing_passes_any_more() {
    let mut circuit = Circuit::open(Disturbance::NONE, 0);
    circuit.near.relay.unroute(&Unroute {
        circuit_id: CIRCUIT.to_owned(),
        is_immediate: false,
    });
    for _ in 0..20 {
        sleep(Duration::from_secs(1)).await;
        circuit.client.write_u8(1).await.unwrap();
        circuit.server.read_u8().await.unwrap();
    }
    let begin = Instant::now();
    circuit.near.wait_for_ends().await;
    let took = begin.elapsed();
    let expected = Duration::from_secs(4)..Duration::from_secs(12);
    assert!(expected.contains(&took), "{took:?}");
}

#[tokio::test(start_paused = true)]
async fn ends_at_one_router_reach_each_other() {
    let router = TestRouter::new("only");
    let (mut server, _terminator) = open_end(&router.ends, Side::Terminator, Start::AtOnce);
    router.route(START, END);
    let (mut client, initiator) = open_end(&router.ends, Side::Initiator, Start::WhenTold);
    client.write_all(&[1; 5_000]).await.unwrap();
    let early = timeout(Duration::from_secs(1), server.read_u8());
    assert!(early.await.is_err(), "it was not told to start");
    initiator.start();
    // It closes at once, and the server is slow.
    tokio::spawn(async move {
        client.write_all(&vec![2; 500_000]).await.unwrap();
    });
    let mut received = 0;
    loop {
        sleep(Duration::from_secs(1)).await;
        let read = server.read(&mut vec![0; 50_000]).await.unwrap();
        if read == 0 {
            break;
        }
        received += read;
    }
    assert_eq!(received, 505_000);
    drop(server);
    router.wait_for_ends().await;
}

#[tokio::test(start_paused = true)]
async fn an_end_that_is_attached_while_the_router_stops_goes_at_once() {
    let router = TestRouter::new("only");
    router.stop.cancel();
    sleep(Duration::from_millis(1)).await;
    let (mut client, _initiator) = open_end(&router.ends, Side::Initiator, Start::WhenTold);
    let begin = Instant::now();
    router.wait_for_ends().await;
    assert!(begin.elapsed() < Duration::from_secs(1), "{begin:?}");
    assert_eq!(client.read(&mut [0]).await.unwrap(), 0);
}
