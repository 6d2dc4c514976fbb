//! A transparent proxy that answers itself.

use portcullis_tproxy::{
    Instance, Intercepted, InterceptedConnections, InterceptedDatagrams, Interceptor,
    InterceptorOptions,
};
use portcullis_tunneler::{InterceptRule, RuleChange};
use std::io;
use std::net::SocketAddr;
use std::time::Duration;
use tokio::io::{AsyncBufReadExt as _, AsyncReadExt as _, AsyncWriteExt as _, BufReader};
use tokio::net::TcpStream;
use tokio::time::timeout;

/// Nothing of a test takes longer than that.
pub(crate) const LIMIT: Duration = Duration::from_secs(30);

/// Intercepts, says so in a line with source and destination, and sends back what comes.
pub(crate) async fn start(options: InterceptorOptions, rules: &[&str]) -> Interceptor {
    let (interceptor, intercepted) = Interceptor::start(options).await.expect("starts");
    let Intercepted {
        connections,
        datagrams,
    } = intercepted;
    tokio::spawn(echo_connections(connections));
    tokio::spawn(echo_datagrams(datagrams));
    interceptor.apply(added(rules)).await.expect("is applied");
    interceptor
}

pub(crate) fn options() -> InterceptorOptions {
    InterceptorOptions::new(instance("test"))
}

/// Intercepts what another machine sends as well.
pub(crate) fn options_of_gateway() -> InterceptorOptions {
    let mut options = options();
    options.lan_interfaces = vec!["veth0".to_owned()];
    options
}

pub(crate) fn instance(name: &str) -> Instance {
    name.parse().expect("a name")
}

/// Rules such as `tcp 10.0.0.0/8 80-90`, or `tcp 10.0.0.0/8 80 from 192.0.2.0/24`.
pub(crate) fn added(rules: &[&str]) -> RuleChange {
    RuleChange {
        removed: Vec::new(),
        added: rules.iter().map(|rule| parse(rule)).collect(),
    }
}

pub(crate) fn removed(rules: &[&str]) -> RuleChange {
    RuleChange {
        removed: rules.iter().map(|rule| parse(rule)).collect(),
        added: Vec::new(),
    }
}

fn parse(rule: &str) -> InterceptRule {
    let mut words = rule.split(' ');
    let mut next = || words.next().expect("a word");
    let (protocol, network, ports) = (next(), next(), next());
    let (low, high) = ports.split_once('-').unwrap_or((ports, ports));
    let port = |text: &str| text.parse().expect("a port");
    InterceptRule {
        protocol: protocol.parse().expect("a protocol"),
        source: words
            .nth(1)
            .map(|source| source.parse().expect("a network")),
        network: network.parse().expect("a network"),
        ports: portcullis_tunnel_config::PortRange::new(port(low), port(high)).expect("a range"),
    }
}

async fn echo_connections(connections: InterceptedConnections) {
    loop {
        let connection = connections.accept().await;
        tokio::spawn(async move {
            let (mut reading, mut writing) = connection.stream.into_split();
            let (source, destination) = (connection.source.ip(), connection.destination);
            let greeting = format!("intercepted {source} to {destination}\n");
            writing.write_all(greeting.as_bytes()).await?;
            tokio::io::copy(&mut reading, &mut writing).await
        });
    }
}

async fn echo_datagrams(datagrams: InterceptedDatagrams) {
    let mut buffer = vec![0; 64 * 1024];
    loop {
        let received = datagrams.receive(&mut buffer).await;
        let payload = &buffer[..received.length];
        let sent = datagrams.send(received.destination, received.source, payload);
        sent.expect("is sent");
    }
}

/// A connection of the test.
#[derive(Debug)]
pub(crate) struct Connection(BufReader<TcpStream>);

impl Connection {
    /// Connects, and returns the first line that comes.
    pub(crate) async fn open(address: &str) -> io::Result<(Self, String)> {
        let address: SocketAddr = address.parse().expect("an address");
        let stream = timeout(LIMIT, TcpStream::connect(address)).await??;
        Self::greeted(stream).await
    }

    pub(crate) async fn greeted(stream: TcpStream) -> io::Result<(Self, String)> {
        let mut connection = Self(BufReader::new(stream));
        let greeting = connection.line().await?;
        Ok((connection, greeting))
    }

    /// Sends a line, and returns the next one that comes.
    pub(crate) async fn ask(&mut self, line: &str) -> io::Result<String> {
        let line = format!("{line}\n");
        self.0.get_mut().write_all(line.as_bytes()).await?;
        self.line().await
    }

    /// Sends so many bytes, and says whether the same come back.
    pub(crate) async fn is_echoed(&mut self, length: usize) -> bool {
        let sent: Vec<u8> = (0_u8..=250).cycle().take(length).collect();
        let mut received = vec![0; length];
        let (mut reading, mut writing) = tokio::io::split(&mut self.0);
        let both =
            async { tokio::try_join!(writing.write_all(&sent), reading.read_exact(&mut received)) };
        timeout(LIMIT, both).await.expect("in time").expect("works");
        sent == received
    }

    async fn line(&mut self) -> io::Result<String> {
        let mut line = String::new();
        timeout(LIMIT, self.0.read_line(&mut line)).await??;
        Ok(line.trim_end().to_owned())
    }
}

/// The first line that a connection gets.
pub(crate) async fn greeting(address: &str) -> String {
    let (_, greeting) = Connection::open(address).await.expect("connects");
    greeting
}
