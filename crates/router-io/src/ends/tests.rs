//! Ends of circuits between programs in memory.

mod carrying;
mod ending;
mod figures;
mod holding;
mod memory;
mod room;
mod simulation;
mod sockets;
mod speed;

use std::sync::Arc;

use portcullis_wire::control::route::DestinationKind;
use portcullis_xgress::{Options, Side};
use tokio::io::{DuplexStream, duplex};

use super::{EndHandle, EndTerms, Ends, SocketSide, Start};
use crate::testing::{CIRCUIT, Disturbance, TestLink, TestRouter, connect};

/// Room of the streams between programs and ends.
const PIPE: usize = 16 << 10;

/// A circuit between two programs, through two routers.
struct Circuit {
    near: TestRouter,
    far: TestRouter,
    link: TestLink,
    client: DuplexStream,
    server: DuplexStream,
    initiator: EndHandle,
    terminator: EndHandle,
}

impl Circuit {
    fn open(disturbance: Disturbance, seed: u64) -> Self {
        Self::between(["near", "far"].map(TestRouter::new), disturbance, seed)
    }

    fn between([near, far]: [TestRouter; 2], disturbance: Disturbance, seed: u64) -> Self {
        let link = connect("link", &near.relay, &far.relay, disturbance, seed);
        let (server, terminator) = open_end(&far.ends, Side::Terminator, Start::AtOnce);
        far.route(END, LINK);
        near.route(START, LINK);
        let (client, initiator) = open_end(&near.ends, Side::Initiator, Start::AtOnce);
        Self {
            near,
            far,
            link,
            client,
            server,
            initiator,
            terminator,
        }
    }

    async fn wait_for_ends(&self) {
        self.near.wait_for_ends().await;
        self.far.wait_for_ends().await;
    }
}

const LINK: (&str, DestinationKind) = ("link", DestinationKind::Link);
const START: (&str, DestinationKind) = ("start", DestinationKind::Start);
const END: (&str, DestinationKind) = ("end", DestinationKind::End);

fn terms(side: Side, start: Start) -> EndTerms {
    let (address, _) = match side {
        Side::Initiator => START,
        Side::Terminator => END,
    };
    EndTerms {
        circuit: CIRCUIT.into(),
        address: address.to_owned(),
        side,
        options: Arc::new(Options::default()),
        start,
        identity: None,
    }
}

/// The program's end of a stream whose other end is that of a circuit.
fn open_end(ends: &Ends, side: Side, start: Start) -> (DuplexStream, EndHandle) {
    let (ours, theirs) = duplex(PIPE);
    let socket = SocketSide::new("xgress/test", theirs);
    (ours, ends.open(&terms(side, start), socket))
}
