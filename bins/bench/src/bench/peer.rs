//! The bare server: a process of its own that shakes hands and echoes, and does nothing else.
//!
//! Its TLS is set up as the controller's is: the same library, client certificates asked for and
//! proved but not judged, tickets instead of a cache. What the controller takes beyond it is what
//! the controller itself costs.

mod serve;
pub(super) mod tls;

pub(super) use serve::serve;

use crate::testbed::credential::Network;
use crate::testbed::link::Endpoint;
use crate::testbed::process::Process;
use anyhow::Context as _;
use portcullis_pki::certificates_to_pem;
use std::fs;
use std::net::SocketAddr;
use std::path::Path;
use std::process::Stdio;
use tokio::io::{AsyncBufReadExt as _, BufReader};
use tokio::process::{Child, Command};

/// Files in which the process finds its certificate and key.
const CHAIN: &str = "peer-chain.pem";
const KEY: &str = "peer-key.pem";

/// The process. It ends with its last handle.
pub(super) struct Peer {
    _child: Child,
    /// The process.
    pub(super) process: Process,
    /// Says one byte after the handshake.
    pub(super) greeter: Endpoint,
    /// Answers a GET of `/N` with `N` bytes.
    pub(super) echo: Endpoint,
}

impl Peer {
    /// Starts it; its files go to `directory`.
    pub(super) async fn start(directory: &Path) -> anyhow::Result<Self> {
        let network = Network::make()?;
        let chain = certificates_to_pem(&network.server.chain);
        fs::write(directory.join(CHAIN), chain)?;
        let key = network.server.key.to_pkcs8_pem()?;
        fs::write(directory.join(KEY), key.as_bytes())?;
        let mut child = Command::new(std::env::current_exe()?)
            .args(["bench", "--peer"])
            .arg(directory)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .kill_on_drop(true)
            .spawn()
            .context("the bare server cannot be started")?;
        let output = child.stdout.take().context("it has no output")?;
        let mut lines = BufReader::new(output).lines();
        let mut addresses = Vec::new();
        for _ in 0..2 {
            let line = lines.next_line().await?;
            let address: SocketAddr = line.context("the bare server failed")?.parse()?;
            addresses.push(address);
        }
        let [greeter, echo] = addresses
            .try_into()
            .ok()
            .context("the bare server has two addresses")?;
        let roots = [network.root];
        Ok(Self {
            process: Process(child.id().context("the bare server ended")?),
            greeter: Endpoint::new(greeter, &roots, Some(&network.client))?,
            echo: Endpoint::new(echo, &roots, None)?,
            _child: child,
        })
    }
}
