//! Memory that all ends share.

use std::sync::Arc;
use std::time::Duration;

use portcullis_forwarding::ForwardingOptions;
use portcullis_memory_budget::MemoryBudget;
use portcullis_wire::control::route::{DestinationKind, Route};
use portcullis_xgress::Side;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _, DuplexStream, duplex};
use tokio::task::JoinHandle;
use tokio::time::timeout;

use super::{LINK, PIPE, terms};
use crate::ends::{EndTerms, SocketSide, Start};
use crate::testing::{Disturbance, TestRouter, connect, controller_id, forward};

const MEMORY: usize = 32 << 20;
const STALLED: usize = 64;
/// What a stream carries while the others stand still.
const MOVED: usize = 8 << 20;

/// Two routers, of which each has so much memory for messages.
struct Pair {
    near: TestRouter,
    far: TestRouter,
}

/// A circuit between two programs.
struct NumberedCircuit {
    client: DuplexStream,
    server: DuplexStream,
}

impl Pair {
    fn new() -> Self {
        let router = |name| {
            let memory = Arc::new(MemoryBudget::new(MEMORY));
            TestRouter::within(name, ForwardingOptions::default(), memory)
        };
        let (near, far) = (router("near"), router("far"));
        connect("link", &near.relay, &far.relay, Disturbance::NONE, 0);
        Self { near, far }
    }

    fn open(&self, number: usize) -> NumberedCircuit {
        let circuit = format!("circuit {number}");
        let server = open_end(&self.far, &circuit, Side::Terminator);
        let client = open_end(&self.near, &circuit, Side::Initiator);
        NumberedCircuit { client, server }
    }

    fn assert_within_budget(&self) {
        for router in [&self.near, &self.far] {
            let memory = router.relay.memory();
            assert!(memory.used() <= MEMORY, "{} bytes", memory.used());
        }
    }
}

/// Opens an end of a circuit, and its route to the link.
fn open_end(router: &TestRouter, circuit: &str, side: Side) -> DuplexStream {
    let (address, kind) = match side {
        Side::Initiator => (format!("start of {circuit}"), DestinationKind::Start),
        Side::Terminator => (format!("end of {circuit}"), DestinationKind::End),
    };
    let end = (address.as_str(), kind);
    let route = Route {
        circuit_id: circuit.to_owned(),
        forwards: vec![forward(end, LINK), forward(LINK, end)],
        ..Route::default()
    };
    let terms = EndTerms {
        circuit: circuit.into(),
        address: address.clone(),
        ..terms(side, Start::AtOnce)
    };
    let (ours, theirs) = duplex(PIPE);
    let local = SocketSide::new("xgress/test", theirs);
    router.ends.open(&terms, local);
    router.relay.route(&route, &controller_id()).unwrap();
    ours
}

/// Writes until nothing is taken for minutes. Returns the stream, and how much was taken.
fn fill(mut client: DuplexStream) -> JoinHandle<(DuplexStream, usize)> {
    tokio::spawn(async move {
        let part = [0; PIPE];
        let mut written = 0;
        while let Ok(taken) = timeout(Duration::from_mins(5), client.write(&part)).await {
            written += taken.unwrap();
        }
        (client, written)
    })
}

async fn read_exactly(server: &mut DuplexStream, wanted: usize) {
    let mut received = 0;
    let mut buffer = vec![0; PIPE];
    while received < wanted {
        let count = server.read(&mut buffer).await.unwrap();
        assert_ne!(count, 0, "ends after {received} of {wanted} bytes");
        received += count;
    }
    assert_eq!(received, wanted);
}

#[tokio::test(start_paused = true)]
async fn streams_that_stall_leave_memory_to_those_that_move() {
    let routers = Pair::new();
    let mut stalled = Vec::new();
    for number in 0..STALLED {
        let NumberedCircuit { client, server } = routers.open(number);
        stalled.push((fill(client), server));
    }
    let mut filled = Vec::new();
    for (client, server) in stalled {
        let (client, written) = client.await.unwrap();
        assert!(written > PIPE, "{written}");
        filled.push((client, written, server));
    }
    routers.assert_within_budget();
    assert!(!routers.far.relay.memory().is_scarce());

    let NumberedCircuit {
        mut client,
        mut server,
    } = routers.open(STALLED);
    let writing = async { client.write_all(&vec![0; MOVED]).await.unwrap() };
    tokio::join!(writing, read_exactly(&mut server, MOVED));
    routers.assert_within_budget();

    // They are read again, and all is there.
    for (client, written, server) in &mut filled {
        read_exactly(server, *written).await;
        client.write_u8(7).await.unwrap();
        assert_eq!(server.read_u8().await.unwrap(), 7);
    }
    drop((filled, client, server));
    routers.near.wait_for_ends().await;
    routers.far.wait_for_ends().await;
    for router in [&routers.near, &routers.far] {
        assert_eq!(router.relay.memory().used(), 0);
    }
}
