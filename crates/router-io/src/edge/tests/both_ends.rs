//! SDKs that dial what they host themselves, over one channel.

use portcullis_channel::Now;
use portcullis_simulated_sdk::{Sdk, accept, dial_v2, receive_all, send_all};
use portcullis_transport::Clock;
use portcullis_wire::control::ControlMessage;
use portcullis_wire::edge::{CircuitClosed, ConnectionId, EdgeMessage, StateClosed};
use portcullis_xgress::{Endpoint, Options, Received, Segment, Side};
use std::time::Duration;
use tokio::time::timeout;

use super::controller::Controller;
use super::network::SERVICE;
use super::world::World;

/// Bytes that a circuit carries, less than what the router keeps for a connection.
const TOTAL: usize = 500_000;
const DIALED: ConnectionId = ConnectionId(2);
const SOON: Duration = Duration::from_secs(20);

/// Dials what the SDK hosts: the circuit, and the connection that it serves.
async fn joined(sdk: &mut Sdk, uses_xgress: bool) -> (String, ConnectionId) {
    let message = dial_v2(DIALED.0, SERVICE, uses_xgress);
    let (priority, message) = (message.priority(), message.encode().unwrap());
    let answer = sdk.channel.request(priority, message, SOON).unwrap();
    let dial = accept(sdk).await;
    let answer = answer.await.unwrap().into_message();
    let Ok(EdgeMessage::StateConnected(connected)) = EdgeMessage::decode(&answer) else {
        panic!("{answer:?}");
    };
    assert_eq!(connected.circuit_id, dial.circuit_id);
    let circuit = connected.circuit_id.unwrap();
    (circuit, dial.new_connection.unwrap())
}

/// The connection that the SDK is told is over.
async fn ended_connection(sdk: &mut Sdk) -> Option<ConnectionId> {
    sdk.finds(|message, _| match message {
        EdgeMessage::StateClosed(closed) => Some(closed.connection),
        _ => None,
    })
    .await
}

/// Waits until the controller is told that the circuit is over.
async fn is_over(controller: &Controller, circuit: &str) {
    controller
        .heard(|message| {
            matches!(message, ControlMessage::Fault(fault) if fault.id == circuit).then_some(())
        })
        .await;
}

#[tokio::test]
async fn both_ends_may_be_in_the_router() {
    let (world, controller) = World::connected(&["bob"]).await;
    let mut sdk = world.host("bob", false).await;
    let (circuit, served) = joined(&mut sdk, false).await;
    for (seed, connection) in [(1, DIALED), (2, served)] {
        let sent = send_all(&sdk, connection, seed, TOTAL).await;
        assert_eq!(receive_all(&mut sdk).await, sent);
    }
    sdk.says(EdgeMessage::StateClosed(StateClosed {
        connection: Some(DIALED),
        ..StateClosed::default()
    }))
    .await;
    assert_eq!(ended_connection(&mut sdk).await, Some(served));
    is_over(&controller, &circuit).await;
}

/// Both ends of a circuit in one SDK, by their connections.
struct Ends {
    all: [(ConnectionId, Endpoint); 2],
    clock: Clock,
}

impl Ends {
    fn new(circuit: &str, served: ConnectionId, clock: Clock) -> Self {
        let options = std::sync::Arc::new(Options::default());
        let end = |side| Endpoint::new(side, circuit.to_owned(), options.clone(), clock.now());
        Self {
            all: [
                (DIALED, end(Side::Initiator)),
                (served, end(Side::Terminator)),
            ],
            clock,
        }
    }

    /// Carries between the ends and the router until `done`.
    async fn carry(&mut self, sdk: &mut Sdk, mut done: impl FnMut(&mut Self, Now) -> bool) {
        loop {
            let now = self.clock.now();
            let is_done = done(self, now);
            for (_, end) in &mut self.all {
                while let Some(acknowledgement) = end.poll_acknowledgement() {
                    sdk.says(EdgeMessage::Acknowledgement(acknowledgement))
                        .await;
                }
                while let Some(payload) = end.poll_payload(now) {
                    sdk.says(EdgeMessage::Payload(payload)).await;
                }
            }
            if is_done {
                return;
            }
            match timeout(Duration::from_millis(20), sdk.hears()).await {
                Ok(message) => self.take(message.unwrap().0),
                Err(_elapsed) => {
                    let now = self.clock.now();
                    for (_, end) in &mut self.all {
                        end.handle_timeout(now);
                    }
                },
            }
        }
    }

    fn take(&mut self, message: EdgeMessage) {
        let now = self.clock.now();
        match message {
            EdgeMessage::Payload(payload) => {
                self.of(payload.connection).handle_payload(payload, now);
            },
            EdgeMessage::Acknowledgement(acknowledgement) => {
                let end = self.of(acknowledgement.connection);
                end.handle_acknowledgement(&acknowledgement, now);
            },
            other => panic!("{other:?}"),
        }
    }

    fn of(&mut self, connection: Option<ConnectionId>) -> &mut Endpoint {
        let mut ends = self.all.iter_mut();
        let found = ends.find(|(id, _)| Some(*id) == connection);
        &mut found.expect("SDKs find it by that").1
    }
}

#[tokio::test]
async fn both_ends_may_be_in_the_sdk() {
    let (world, controller) = World::connected(&["bob"]).await;
    let mut sdk = world.host("bob", true).await;
    let (circuit, served) = joined(&mut sdk, true).await;
    let mut ends = Ends::new(&circuit, served, world.clock.of_channels());
    for (from, to) in [(0, 1), (1, 0)] {
        let (mut written, mut read) = (0, 0);
        ends.carry(&mut sdk, |ends, now| {
            let writer = &mut ends.all[from].1;
            while written < TOTAL && writer.is_writable() {
                writer.write(Segment::from(vec![b'x'; 1000]), now).unwrap();
                written += 1000;
            }
            while let Some(received) = ends.all[to].1.read(now) {
                let Received::Segment(segment) = received else {
                    panic!("it ends");
                };
                read += segment.data.expose().len();
            }
            read == TOTAL
        })
        .await;
    }
    let counters = ends.all.map(|(_, end)| end.stats().counters);
    for counters in counters {
        assert_eq!(
            counters.reflected, 0,
            "nothing comes back to where it is from"
        );
    }
    sdk.says(EdgeMessage::CircuitClosed(CircuitClosed {
        circuit_id: circuit.clone(),
    }))
    .await;
    let mut ended = [(); 2].map(|()| None);
    for end in &mut ended {
        *end = ended_connection(&mut sdk).await;
    }
    ended.sort();
    assert_eq!(ended, [Some(DIALED), Some(served)]);
    is_over(&controller, &circuit).await;
}
