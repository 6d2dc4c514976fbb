//! The bare relays: two processes with TLS between them, and nothing else; for datagrams without it.

mod datagrams;

use super::between::Between;
use super::way::Way;
use crate::bench::peer;
use crate::testbed::credential::Network;
use crate::testbed::process::Process;
use anyhow::Context as _;
use clap::ValueEnum;
use portcullis_pki::{SigningKey, certificates_from_pem, certificates_to_pem};
use rustls::client::Resumption;
use rustls::crypto::aws_lc_rs;
use rustls::{ClientConfig, RootCertStore};
use rustls_pki_types::{CertificateDer, ServerName};
use std::fs;
use std::io::Write as _;
use std::net::{Ipv4Addr, SocketAddr};
use std::path::Path;
use std::process::Stdio;
use std::sync::Arc;
use tokio::io::{AsyncBufReadExt as _, AsyncRead, AsyncReadExt as _, AsyncWrite, BufReader};
use tokio::net::{TcpListener, TcpStream, UdpSocket};
use tokio::process::{Child, Command};
use tokio_rustls::{TlsAcceptor, TlsConnector};

/// Files in which the processes find certificates and key.
const CHAIN: &str = "relay-chain.pem";
const KEY: &str = "relay-key.pem";
const ROOT: &str = "relay-root.pem";

/// As much as a router reads at a time.
const BUFFER: usize = 64 * 1024;

/// Which of the two relays a process is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(in crate::bench) enum Hop {
    /// Takes TCP and dials TLS.
    Entry,
    /// Takes TLS and dials TCP.
    Exit,
    /// Takes datagrams and sends them on, first or second.
    Datagrams,
}

/// The two processes. They end with their handles.
pub(in crate::bench) struct Relays {
    _children: [Child; 2],
    way: Way,
}

impl Relays {
    /// Starts relays to a server; their files go to `directory`.
    pub(in crate::bench) async fn start(
        directory: &Path,
        server: SocketAddr,
        between: Between,
    ) -> anyhow::Result<Self> {
        let network = Network::make()?;
        let chain = certificates_to_pem(&network.server.chain);
        fs::write(directory.join(CHAIN), chain)?;
        let root = certificates_to_pem(std::slice::from_ref(&network.root));
        fs::write(directory.join(ROOT), root)?;
        let key = network.server.key.to_pkcs8_pem()?;
        fs::write(directory.join(KEY), key.as_bytes())?;
        let (exit, at_exit, exits) = spawn(directory, "exit", between.host(), server).await?;
        let next = between.leads_to(at_exit).await?;
        let host = Ipv4Addr::LOCALHOST;
        let (entry, at_entry, enters) = spawn(directory, "entry", host, next).await?;
        Ok(Self {
            _children: [entry, exit],
            way: Way {
                entry: at_entry,
                processes: [enters, exits],
            },
        })
    }

    /// Starts relays of datagrams.
    pub(in crate::bench) async fn of_datagrams(
        directory: &Path,
        server: SocketAddr,
    ) -> anyhow::Result<Self> {
        let host = Ipv4Addr::LOCALHOST;
        let (exit, at_exit, exits) = spawn(directory, "datagrams", host, server).await?;
        let (entry, at_entry, enters) = spawn(directory, "datagrams", host, at_exit).await?;
        Ok(Self {
            _children: [entry, exit],
            way: Way {
                entry: at_entry,
                processes: [enters, exits],
            },
        })
    }

    pub(in crate::bench) const fn way(&self) -> Way {
        self.way
    }
}

async fn spawn(
    directory: &Path,
    hop: &str,
    host: Ipv4Addr,
    next: SocketAddr,
) -> anyhow::Result<(Child, SocketAddr, Process)> {
    let mut child = Command::new(std::env::current_exe()?)
        .args(["bench", "--relay", hop, "--relay-next", &next.to_string()])
        .args(["--relay-host", &host.to_string()])
        .arg("--directory")
        .arg(directory)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .kill_on_drop(true)
        .spawn()
        .context("the bare relay cannot be started")?;
    let output = child.stdout.take().context("it has no output")?;
    let line = BufReader::new(output).lines().next_line().await?;
    let address = line.context("the bare relay failed")?.parse()?;
    let process = Process(child.id().context("the bare relay ended")?);
    Ok((child, address, process))
}

/// Relays until the standard input ends, which it does with the process that holds its other end.
pub(in crate::bench) async fn serve(
    directory: &Path,
    hop: Hop,
    host: Ipv4Addr,
    next: SocketAddr,
) -> anyhow::Result<()> {
    let listen = || TcpListener::bind((host, 0));
    match hop {
        Hop::Entry => {
            let listener = listen().await?;
            tell(listener.local_addr()?)?;
            tokio::spawn(enter(listener, connector(directory)?, next));
        },
        Hop::Exit => {
            let listener = listen().await?;
            tell(listener.local_addr()?)?;
            tokio::spawn(exit(listener, acceptor(directory)?, next));
        },
        Hop::Datagrams => {
            let socket = UdpSocket::bind((host, 0)).await?;
            tell(socket.local_addr()?)?;
            tokio::spawn(datagrams::relay(socket, next));
        },
    }
    let mut parent = tokio::io::stdin();
    let read = parent.read(&mut [0; 1]).await;
    read.context("the standard input cannot be read")?;
    Ok(())
}

/// Tells where it is reached.
fn tell(address: SocketAddr) -> anyhow::Result<()> {
    let mut out = std::io::stdout().lock();
    writeln!(out, "{address}")?;
    Ok(out.flush()?)
}

fn certificates(file: &Path) -> anyhow::Result<Vec<CertificateDer<'static>>> {
    let certificates = certificates_from_pem(&fs::read_to_string(file)?)?;
    let certificates = certificates.iter();
    Ok(certificates.map(|it| it.as_rustls().clone()).collect())
}

fn acceptor(directory: &Path) -> anyhow::Result<TlsAcceptor> {
    let key = SigningKey::from_pem(&fs::read_to_string(directory.join(KEY))?)?;
    let chain = certificates(&directory.join(CHAIN))?;
    let config = peer::tls::config(chain, key.to_rustls()?)?;
    Ok(TlsAcceptor::from(config))
}

fn connector(directory: &Path) -> anyhow::Result<TlsConnector> {
    let mut roots = RootCertStore::empty();
    roots.add_parsable_certificates(certificates(&directory.join(ROOT))?);
    let provider = Arc::new(aws_lc_rs::default_provider());
    let mut config = ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()?
        .with_root_certificates(roots)
        .with_no_client_auth();
    config.resumption = Resumption::disabled();
    Ok(TlsConnector::from(Arc::new(config)))
}

async fn enter(listener: TcpListener, connector: TlsConnector, next: SocketAddr) {
    while let Ok((stream, _)) = listener.accept().await {
        let connector = connector.clone();
        tokio::spawn(async move {
            let through = async {
                stream.set_nodelay(true)?;
                let socket = TcpStream::connect(next).await?;
                socket.set_nodelay(true)?;
                let name = ServerName::try_from("localhost")?;
                copy(stream, connector.connect(name, socket).await?).await
            };
            // Whoever goes away ends it.
            let _ = through.await;
        });
    }
}

async fn exit(listener: TcpListener, acceptor: TlsAcceptor, next: SocketAddr) {
    while let Ok((socket, _)) = listener.accept().await {
        let acceptor = acceptor.clone();
        tokio::spawn(async move {
            let through = async {
                socket.set_nodelay(true)?;
                let stream = acceptor.accept(socket).await?;
                let server = TcpStream::connect(next).await?;
                server.set_nodelay(true)?;
                copy(stream, server).await
            };
            // Whoever goes away ends it.
            let _ = through.await;
        });
    }
}

async fn copy(
    mut one: impl AsyncRead + AsyncWrite + Unpin,
    mut other: impl AsyncRead + AsyncWrite + Unpin,
) -> anyhow::Result<()> {
    tokio::io::copy_bidirectional_with_sizes(&mut one, &mut other, BUFFER, BUFFER).await?;
    Ok(())
}
