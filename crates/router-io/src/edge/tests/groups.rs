//! Channels of several connections.

use std::io;
use std::net::{Shutdown, SocketAddr, TcpStream as Line};
use std::sync::Arc;
use std::time::Duration;

use parking_lot::Mutex;
use portcullis_channel::group::ConnectionCounts;
use portcullis_channel::{CloseReason, Role};
use portcullis_simulated_sdk::{Sdk, carry, dial_through, dial_v2, reader, writer};
use portcullis_transport::{Clock, Connector};
use portcullis_wire::control::ControlMessage;
use portcullis_wire::edge::{CircuitClosed, ConnectionId, Dial, EdgeMessage};
use portcullis_xgress::{Endpoint, Options, Side};
use tokio::net::TcpStream;
use tokio::time::{sleep, timeout};
use tokio_rustls::TlsConnector;
use tokio_rustls::client::TlsStream;

use super::network::SERVICE;
use super::sdk::{connector, server_name};
use super::world::World;

/// Bytes that a circuit carries.
const TOTAL: usize = 1_000_000;
/// Payloads that are acknowledged before a connection is cut.
const BEFORE_THE_CUT: u64 = 300;
const ALL: [Role; 3] = [Role::Default, Role::Default, Role::High];

/// Opens the connections of a channel.
struct Lines {
    address: SocketAddr,
    tls: TlsConnector,
    cutter: Cutter,
}

/// Cuts connections of a channel.
#[derive(Clone, Default)]
struct Cutter(Arc<Mutex<Cuts>>);

#[derive(Default)]
struct Cuts {
    /// Those that are not cut.
    lines: Vec<(Role, Line)>,
    /// The roles of which there is to be no other one.
    refused: Vec<Role>,
}

impl Connector for Lines {
    type Stream = TlsStream<TcpStream>;

    async fn connect(&mut self, role: Role) -> io::Result<Self::Stream> {
        let socket = TcpStream::connect(self.address).await?.into_std()?;
        self.cutter.add(role, socket.try_clone()?)?;
        let socket = TcpStream::from_std(socket)?;
        self.tls.connect(server_name(), socket).await
    }

    fn random(&mut self) -> u32 {
        0
    }
}

impl Cutter {
    fn add(&self, role: Role, line: Line) -> io::Result<()> {
        let mut cuts = self.0.lock();
        if cuts.refused.contains(&role) {
            return Err(io::ErrorKind::ConnectionRefused.into());
        }
        cuts.lines.push((role, line));
        Ok(())
    }

    fn open(&self) -> usize {
        self.0.lock().lines.len()
    }

    /// Cuts the oldest connection of a role, which may be replaced.
    fn cut(&self, role: Role) {
        let mut cuts = self.0.lock();
        let oldest = cuts.lines.iter().position(|(one, _)| *one == role);
        let (_, line) = cuts.lines.remove(oldest.unwrap());
        line.shutdown(Shutdown::Both).unwrap();
    }

    /// Cuts all connections of a role, which are not replaced.
    fn cut_all(&self, role: Role) {
        let mut cuts = self.0.lock();
        cuts.refused.push(role);
        for (_, line) in cuts.lines.extract_if(.., |(one, _)| *one == role) {
            line.shutdown(Shutdown::Both).unwrap();
        }
    }
}

/// An SDK that has connected twice for everything, and once for requests.
async fn enter(world: &World, identity: &str) -> (Sdk, Cutter) {
    let pair = world.network.identity(identity);
    let token = world.network.access_token(identity, &pair, 1000);
    let cutter = Cutter::default();
    let lines = Lines {
        address: world.address,
        tls: connector(&world.network, Some(&pair), &[]),
        cutter: cutter.clone(),
    };
    let connections = ConnectionCounts {
        default: 2,
        high: 1,
    };
    let sdk = Sdk::connect_group(lines, Some(&token), connections).await;
    let sdk = sdk.unwrap();
    has_all(&sdk, &cutter).await;
    (sdk, cutter)
}

/// Waits until an SDK has all its connections, of which none is cut.
async fn has_all(sdk: &Sdk, cutter: &Cutter) {
    until(|| {
        let mut roles = sdk.channel.roles();
        roles.sort_unstable();
        roles == ALL && cutter.open() == ALL.len()
    })
    .await;
}

async fn until(mut holds: impl FnMut() -> bool) {
    let waiting = async {
        while !holds() {
            sleep(Duration::from_millis(5)).await;
        }
    };
    timeout(Duration::from_secs(20), waiting).await.unwrap();
}

/// Two SDKs in one world, each with several connections.
struct Sdks {
    client: Sdk,
    host: Sdk,
    clock: Clock,
}

impl Sdks {
    /// Dials, with both SDKs as the ends of the circuit. Returns its id.
    async fn dials(&mut self, id: u32) -> (String, Dial) {
        let dialing = dial_through(&self.client, &mut self.host, dial_v2(id, SERVICE, true));
        let (dial, connected) = dialing.await;
        (connected.unwrap().circuit_id.unwrap(), dial)
    }

    /// Closes a circuit that the client has dialed as connection 1.
    async fn closes(&mut self, circuit_id: String, dial: &Dial) {
        let closed = EdgeMessage::CircuitClosed(CircuitClosed { circuit_id });
        self.client.says(closed).await;
        tokio::join!(
            until_closed(&mut self.client, Some(ConnectionId(1))),
            until_closed(&mut self.host, dial.new_connection),
        );
    }

    /// Carries [`TOTAL`] bytes to the host. `during` is told how many payloads were acknowledged.
    async fn carries(&mut self, circuit: &str, mut during: impl FnMut(u64)) {
        let (options, clock) = (Arc::new(Options::default()), self.clock);
        let end = |side| Endpoint::new(side, circuit.to_owned(), options.clone(), clock.now());
        let (mut near, mut far) = (end(Side::Initiator), end(Side::Terminator));
        let mut write = writer(TOTAL);
        let sending = carry(&mut self.client, &mut near, &clock, |end, now| {
            during(end.stats().counters.acknowledgements);
            write(end, now)
        });
        let reading = carry(&mut self.host, &mut far, &clock, reader(TOTAL));
        tokio::pin!(sending, reading);
        tokio::select! {
            () = &mut reading => {},
            () = sending => reading.await,
        }
    }
}

#[tokio::test]
async fn data_goes_on_until_the_last_connection_for_it_is_lost() {
    let (world, controller) = World::connected(&["alice", "bob"]).await;
    let (host, of_host) = enter(&world, "bob").await;
    let (client, of_client) = enter(&world, "alice").await;
    assert_eq!(world.edge.clients(), 2, "all connections of each are one");
    let clock = world.clock.of_channels();
    let mut sdks = Sdks {
        client,
        host,
        clock,
    };
    let token = world.network.service_token("bob", SERVICE, "Bind");
    sdks.host.binds(&token, "listener", true).await;
    let (circuit, dial) = sdks.dials(1).await;
    let mut is_cut = false;
    sdks.carries(&circuit, |acknowledged| {
        if acknowledged >= BEFORE_THE_CUT && !is_cut {
            of_client.cut(Role::Default);
            of_host.cut(Role::Default);
            is_cut = true;
        }
    })
    .await;
    assert!(is_cut);
    sdks.closes(circuit, &dial).await;
    has_all(&sdks.client, &of_client).await;
    has_all(&sdks.host, &of_host).await;

    // Requests go by the others as well.
    of_client.cut_all(Role::High);
    of_host.cut_all(Role::High);
    let has_high = |sdk: &Sdk| sdk.channel.roles().contains(&Role::High);
    until(|| !has_high(&sdks.client) && !has_high(&sdks.host)).await;
    let (circuit, dial) = sdks.dials(2).await;
    sdks.carries(&circuit, |_| ()).await;

    of_client.cut_all(Role::Default);
    // Acknowledgements that nobody reads would keep it from noticing.
    while sdks.client.hears().await.is_some() {}
    let closed = sdks.client.channel.close_reason();
    assert_eq!(closed, Some(CloseReason::ConnectionsLost));
    until_closed(&mut sdks.host, dial.new_connection).await;
    controller
        .heard(|message| {
            matches!(message, ControlMessage::Fault(fault) if fault.id == circuit).then_some(())
        })
        .await;
    until(|| world.edge.clients() == 1).await;
    assert_eq!(sdks.host.channel.close_reason(), None);
}

/// Waits until an SDK is told that a connection has ended. What came before is lost.
async fn until_closed(sdk: &mut Sdk, connection: Option<ConnectionId>) {
    loop {
        let (message, _) = sdk.hears().await.unwrap();
        if matches!(message, EdgeMessage::StateClosed(closed) if closed.connection == connection) {
            return;
        }
    }
}
