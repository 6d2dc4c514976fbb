//! Two ends of a circuit over a network that loses every third payload.

use portcullis_channel::{Moment, Now, UnixNanos};
use portcullis_xgress::{Endpoint, EndpointEvent, Options, Received, Segment, Side};
use std::sync::Arc;
use std::time::Duration;

/// What a program does that has sockets and a clock, here without either.
struct Network {
    now: Moment,
    payloads: u32,
}

impl Network {
    fn now(&self) -> Now {
        let wall = UnixNanos(self.now.as_micros() * 1_000);
        Now {
            mono: self.now,
            wall,
        }
    }

    /// Carries what one end has to send to the other end. Acknowledgements come first.
    fn carry(&mut self, from: &mut Endpoint, to: &mut Endpoint) {
        let now = self.now();
        while let Some(acknowledgement) = from.poll_acknowledgement() {
            to.handle_acknowledgement(&acknowledgement, now);
        }
        while let Some(payload) = from.poll_payload(now) {
            self.payloads += 1;
            if !self.payloads.is_multiple_of(3) {
                to.handle_payload(payload, now);
            }
        }
    }
}

fn main() {
    let mut network = Network {
        now: Moment::ZERO,
        payloads: 0,
    };
    let options = Arc::new(Options::default());
    let end = |side| Endpoint::new(side, "circuit".to_owned(), options.clone(), Now::default());
    let (mut dialing, mut hosting) = (end(Side::Initiator), end(Side::Terminator));

    for text in ["in", "order", "and", "once"] {
        let written = dialing.write(Segment::from(text), network.now());
        assert!(written.is_ok(), "there is room for four words");
    }
    dialing.finish(network.now());

    let mut words = Vec::new();
    while !dialing.has_ended() {
        network.carry(&mut dialing, &mut hosting);
        while let Some(received) = hosting.read(network.now()) {
            match received {
                Received::Segment(segment) => words.push(segment.data.into_inner()),
                Received::EndOfStream => hosting.finish(network.now()),
            }
        }
        network.carry(&mut hosting, &mut dialing);
        while dialing.read(network.now()).is_some() {}
        while let Some(event) = dialing.poll_event() {
            assert!(matches!(event, EndpointEvent::Ended(_)));
        }
        network.now = network.now + Duration::from_millis(100);
        dialing.handle_timeout(network.now());
        hosting.handle_timeout(network.now());
    }
    assert_eq!(words, ["in", "order", "and", "once"]);
}
