//! Names of services whose addresses are asked for.

use super::echo::Echo;
use super::flow::{Flows, Passed, Shape};
use super::intercepts::{self, Kind};
use crate::bench::report::{Figure, Report, Unit};
use crate::bench::scale::Scale;
use crate::testbed::process::Process;
use portcullis_channel::Moment;
use portcullis_name_server::{Client, NameServer, NameServerOptions, Output, Transport};
use portcullis_system::SystemEntropy;
use portcullis_tunneler::Tunneler;
use std::net::{Ipv4Addr, SocketAddr};
use std::sync::Arc;
use std::time::Instant;
use tokio::net::UdpSocket;

/// All names that are asked for.
pub(super) const ALL: &str = "*.bench.test";

/// The name of a service.
pub(super) fn name(service: u32) -> String {
    format!("host-{service}.bench.test")
}

/// Clients, and questions of each that are not answered yet.
const SHAPE: Shape = Shape {
    flows: 8,
    lanes: 8,
    window: 8,
};

/// Measures the name server in this process, in turns with a server that sends questions back.
pub(super) async fn measure(echo: &Echo, scale: Scale, report: &mut Report) -> anyhow::Result<()> {
    let address = start(intercepts::tunneler(Kind::Names)).await?;
    let (ours, bare) = ask(address, echo, scale).await?;
    let figure = Figure::new("names", ours.rate(), Unit::PerSecond);
    report.add(figure.beside("bare echo", bare.rate()));
    report.add(Figure::new("  lost", ours.lost(), Unit::Probability));
    Ok(())
}

/// Measures the name server of a tunneler, which is a process of its own.
pub(super) async fn measure_process(
    process: Process,
    address: SocketAddr,
    echo: &Echo,
    scale: Scale,
    report: &mut Report,
) -> anyhow::Result<()> {
    let before = process.processor_time()?;
    let (ours, bare) = ask(address, echo, scale).await?;
    let used = process.processor_time()?.saturating_sub(before);
    let figure = Figure::new("tproxy, names", ours.rate(), Unit::PerSecond);
    let figure = figure.per_processor_second(ours.per(used));
    report.add(figure.beside("bare echo", bare.rate()));
    report.add(Figure::new("  lost", ours.lost(), Unit::Probability));
    Ok(())
}

async fn ask(address: SocketAddr, echo: &Echo, scale: Scale) -> anyhow::Result<(Passed, Passed)> {
    let mut to_echo = Flows::open(echo.address(), SHAPE, question).await?;
    let mut to_server = Flows::open(address, SHAPE, question).await?;
    let (mut ours, mut bare) = <(Passed, Passed)>::default();
    for _ in 0..scale.turns {
        bare += to_echo.send(scale.turn().time).await?;
        ours += to_server.send(scale.turn().time).await?;
    }
    Ok((ours, bare))
}

/// A question for the IPv4 address of a service (RFC 1035, section 4).
fn question(identifier: u16, number: u32) -> Vec<u8> {
    let mut message = identifier.to_be_bytes().to_vec();
    message.extend(b"\x01\x00\x00\x01\x00\x00\x00\x00\x00\x00");
    for label in name(number % intercepts::SERVICES).split('.') {
        message.extend(u8::try_from(label.len()).unwrap_or_default().to_be_bytes());
        message.extend(label.as_bytes());
    }
    message.extend(b"\x00\x00\x01\x00\x01");
    message
}

/// Starts a name server for the names of a tunneler.
async fn start(tunneler: Tunneler) -> anyhow::Result<SocketAddr> {
    let socket = UdpSocket::bind((Ipv4Addr::LOCALHOST, 0)).await?;
    let address = socket.local_addr()?;
    tokio::spawn(serve(socket, tunneler));
    Ok(address)
}

async fn serve(socket: UdpSocket, mut tunneler: Tunneler) -> anyhow::Result<()> {
    let mut server = NameServer::new(&NameServerOptions::default(), Arc::new(SystemEntropy));
    let (start, mut buffer) = (Instant::now(), [0; 2048]);
    loop {
        let (length, address) = socket.recv_from(&mut buffer).await?;
        let query = buffer.get(..length).unwrap_or_default();
        let client = Client {
            address,
            transport: Transport::Udp,
            socket: 0,
        };
        let now = Moment::ZERO + start.elapsed();
        if let Some(names) = tunneler.names() {
            server.handle_query(query, client, names, now);
        }
        while server.poll_event().is_some() {}
        while let Some(output) = server.poll_output() {
            if let Output::Reply { client, message } = output {
                // What cannot be sent is lost.
                let _ = socket.send_to(&message, client.address).await;
            }
        }
    }
}
