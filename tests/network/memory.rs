//! A router that many do not read from keeps to the memory that it was given.

use crate::controller::PATIENCE;
use crate::line::Line;
use crate::network::{Client, Flow, Network};
use crate::router::DIALER;
use crate::stalls::{flood, memory};
use portcullis_channel::hello::RejectClass;
use portcullis_simulated_sdk::{Sdk, accept, bind, data, receive_all, send_all};
use portcullis_transport::DialError;
use portcullis_wire::edge::{ConnectionId, DataFlags, EdgeMessage, StateClosed};
use serde_json::Value;
use tokio::time::timeout;

const MIB: usize = 1024 * 1024;
/// What messages may wait in, in MiB.
const BUDGET: usize = 64;
/// What is taken beside that, in MiB, at most: payloads keep the buffers that they were read into, connections have TLS,
/// and each end and queue may hold 64 KiB and a message at any rate.
const SLACK: usize = BUDGET;
/// The link that falls silent stays open.
const PATIENT: &str = "heartbeats: {closeUnresponsiveTimeout: 10m}";
/// Circuits between two SDKs.
const CIRCUITS: u32 = 10;
/// Stalled circuits when nothing new begins any more.
const STALLED: std::ops::Range<u32> = 50..800;
/// What those send who are read from.
const CARRIED: usize = 1_000_000;

/// SDKs of which the hosts read nothing.
struct Crowd {
    network: Network,
    pairs: Vec<(Client, Sdk)>,
    circuits: u32,
}

/// Why something does not begin.
#[derive(Debug)]
enum Refusal {
    Client(DialError),
    Circuit(StateClosed),
}

impl Refusal {
    fn is_busy(&self) -> bool {
        match self {
            Self::Client(DialError::Rejected(rejection)) => rejection.class == RejectClass::Busy,
            Self::Client(_) => false,
            Self::Circuit(closed) => closed.structured_error.as_ref().is_some_and(|error| {
                let error: Value = serde_json::from_str(error).unwrap();
                error["retryHint"] == 1
            }),
        }
    }
}

impl Crowd {
    /// A client of the first router and a host of this one, with circuits between them.
    async fn join(&mut self, router: usize) -> Result<(), Refusal> {
        let number = self.pairs.len();
        self.network
            .turn_to_service(&format!("stalled {number}"))
            .await;
        let network = &self.network;
        let client = network.controller.person(&format!("client {number}")).await;
        let client = network.enter(client, 0).await.map_err(Refusal::Client)?;
        let host = network.controller.person(&format!("host {number}")).await;
        let session = network.controller.session(&host, &network.service, "Bind");
        let session = session.await;
        let host = host.connect(network.routers[router].edge()).await;
        let mut host = host.map_err(Refusal::Client)?;
        let bind = EdgeMessage::Bind(bind(&session, "listener", false));
        if let EdgeMessage::StateClosed(closed) = host.asks(bind).await {
            return Err(Refusal::Circuit(closed));
        }
        host.finds(|message, _| matches!(message, EdgeMessage::BindSuccess(_)).then_some(()))
            .await;
        // They stay, whatever becomes of their circuits.
        self.pairs.push((client, host));
        let (client, host) = self.pairs.last_mut().unwrap();
        for number in 1..=CIRCUITS {
            dial(client, host, number).await.map_err(Refusal::Circuit)?;
            self.circuits += 1;
        }
        Ok(())
    }

    /// The client that has come last sends as much as it can, to all its circuits.
    async fn flood(&self) {
        let (client, _) = self.pairs.last().unwrap();
        flood(&client.sdk, |number, bytes| {
            let connection = ConnectionId(1 + number % CIRCUITS);
            data(connection, bytes, DataFlags::default())
        })
        .await;
    }
}

/// Dials what a host takes, if it comes to that.
async fn dial(client: &Client, host: &mut Sdk, number: u32) -> Result<(), StateClosed> {
    let dialing = client.tries(number, Flow::Legacy);
    tokio::pin!(dialing);
    tokio::select! {
        dialed = &mut dialing => dialed.map(drop),
        _taken = accept(host) => dialing.await.map(drop),
    }
}

/// Connects clients until that is refused.
async fn crowd_in(network: &Network) -> Refusal {
    let person = network.controller.person("too late").await;
    let mut entered = Vec::new();
    loop {
        match person.connect(network.routers[0].edge()).await {
            Ok(sdk) => entered.push(sdk),
            Err(error) => return Refusal::Client(error),
        }
        assert!(entered.len() < 20, "everybody is let in");
    }
}

#[tokio::test]
async fn memory_of_all_is_bounded_and_those_who_are_read_from_go_on() {
    let mut network = Network::new(2).await;
    let [first, second] = &network.routers[..] else {
        unreachable!("two routers");
    };
    let line = Line::start(second.link).await;
    first.configure(first.link, &format!("{DIALER}\n  {PATIENT}"));
    second.configure(line.address, PATIENT);
    let mut router = first.run_with(&["--buffer-memory", &BUDGET.to_string()]);
    let _second = second.start().await;
    router.until_logged("running");
    network.controller.until_online(2).await;
    network.controller.until_count("links", 1).await;
    network.turn_to_service("moving").await;
    let mut host = network.host("moving host", 0, Flow::Legacy).await;
    let mut client = network.client("moving client", 0).await;
    let circuit = client.dials(1, &mut host, Flow::Legacy).await;
    circuit.echoes(&mut client.sdk, &mut host).await;
    let early = network.client("early", 0).await;
    let before = memory(router.process());
    let grown = || memory(router.process()).saturating_sub(before);

    let mut crowd = Crowd {
        network,
        pairs: Vec::new(),
        circuits: 0,
    };
    crowd.join(1).await.unwrap();
    line.fall_silent();
    crowd.flood().await;
    println!("the link has stalled: {} MiB more", grown() / MIB);
    let refusal = loop {
        if let Err(refusal) = crowd.join(0).await {
            break refusal;
        }
        crowd.flood().await;
        assert!(crowd.circuits < STALLED.end, "everything begins");
    };
    println!(
        "{} circuits stall: {} MiB more",
        crowd.circuits,
        grown() / MIB
    );
    assert!(STALLED.contains(&crowd.circuits), "{}", crowd.circuits);
    assert!(refusal.is_busy(), "{refusal:?}");
    let refusal = crowd_in(&crowd.network).await;
    assert!(refusal.is_busy(), "{refusal:?}");
    let refused = early.tries(1, Flow::Legacy).await.unwrap_err();
    let refusal = Refusal::Circuit(refused);
    assert!(refusal.is_busy(), "{refusal:?}");

    circuit.echoes(&mut client.sdk, &mut host).await;
    let (near, far) = (circuit.near, circuit.far);
    let there = async {
        tokio::join!(
            send_all(&client.sdk, near, 1, CARRIED),
            receive_all(&mut host)
        )
    };
    let (sent, received) = timeout(PATIENCE, there).await.unwrap();
    assert_eq!(sent, received);
    let back = async {
        tokio::join!(
            send_all(&host, far, 2, CARRIED),
            receive_all(&mut client.sdk)
        )
    };
    let (sent, received) = timeout(PATIENCE, back).await.unwrap();
    assert_eq!(sent, received);
    let most = grown();
    println!("{} MiB more in the end", most / MIB);
    assert!(most < (BUDGET + SLACK) * MIB, "{most} bytes more");

    crowd.pairs.clear();
    drop((client, host));
    let network = &mut crowd.network;
    network.controller.until_count("circuits", 0).await;
    network.others_go_on(0, 0).await;
}
