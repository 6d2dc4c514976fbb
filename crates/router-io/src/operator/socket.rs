//! The socket that takes orders.

use std::fs::{self, Permissions};
use std::io;
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};
use std::time::Duration;

use futures_util::StreamExt as _;
use futures_util::stream::FuturesUnordered;
use tokio::io::{AsyncBufReadExt as _, AsyncReadExt as _, AsyncWriteExt as _, BufReader};
use tokio::net::{UnixListener, UnixStream};
use tokio::time::{sleep, timeout};
use tokio_util::sync::CancellationToken;

use super::order::socket_path;
use super::{Operations, Order};

/// How long a connection may take to say what it wants, and to take what it is told.
const PATIENCE: Duration = Duration::from_secs(5);

/// How long an order may take: less than whoever asks waits, more than a renewal of certificates takes.
const ORDER_TIME: Duration = Duration::from_secs(80);

/// Orders at once. Those beyond wait until one is carried out.
const MAX_ORDERS: usize = 8;

/// No order is longer, in bytes.
const MAX_ORDER: u64 = 64;

/// Pause after a connection could not be accepted, for want of descriptors, say.
const PAUSE: Duration = Duration::from_secs(1);

/// What whoever asks for anything else is told.
const UNKNOWN: &str = "this router does not know what is asked of it";

/// The user who may do everything.
const ROOT: u32 = 0;

/// A socket that takes orders; its file goes with it.
pub(crate) struct OperatorSocket {
    listener: UnixListener,
    path: PathBuf,
    /// Whose router it is.
    owner: u32,
}

impl OperatorSocket {
    /// Opens the socket of the router that runs with this file.
    ///
    /// # Errors
    ///
    /// There can be none, as when the path is too long, or another router has it.
    pub(crate) fn bind(config_file: &Path) -> io::Result<Self> {
        let path = socket_path(config_file);
        let listener = bind_anew(&path)?;
        fs::set_permissions(&path, Permissions::from_mode(0o600))?;
        let owner = fs::metadata(&path)?.uid();
        Ok(Self {
            listener,
            path,
            owner,
        })
    }

    /// Carries out orders, a few at once, until `stop`.
    pub(crate) async fn serve(self, operations: Operations, stop: CancellationToken) {
        let serving = async {
            let mut orders = FuturesUnordered::new();
            loop {
                tokio::select! {
                    Some(()) = orders.next() => {},
                    stream = self.next_connection(), if orders.len() < MAX_ORDERS => {
                        orders.push(self.take_order(stream, &operations));
                    },
                }
            }
        };
        let _stopped: Option<()> = stop.run_until_cancelled(serving).await;
    }

    async fn next_connection(&self) -> UnixStream {
        loop {
            match self.listener.accept().await {
                Ok((stream, _)) => return stream,
                Err(error) => {
                    tracing::debug!(%error, "no order could be taken");
                    sleep(PAUSE).await;
                },
            }
        }
    }

    async fn take_order(&self, mut stream: UnixStream, operations: &Operations) {
        // Whoever could connect before the mode was set is asked for as well.
        let user = stream.peer_cred().map(|peer| peer.uid());
        if !user.is_ok_and(|user| [self.owner, ROOT].contains(&user)) {
            tracing::warn!("an order of another user is not taken");
            return;
        }
        let Ok(Ok(line)) = timeout(PATIENCE, read_line(&mut stream)).await else {
            return;
        };
        let order = Order::find(line.trim_end());
        let outcome = match order {
            Some(order) => {
                tracing::info!(order = order.as_str(), "asked by the operator");
                let carrying_out = timeout(ORDER_TIME, operations.carry_out(order));
                carrying_out
                    .await
                    .unwrap_or_else(|_elapsed| Err(too_slow(order)))
            },
            None => Err(UNKNOWN.to_owned()),
        };
        let (word, text) = match &outcome {
            Ok(text) => ("done", text),
            Err(text) => ("failed", text),
        };
        let answer = format!("{word} {text}");
        let _is_gone = timeout(PATIENCE, stream.write_all(answer.as_bytes())).await;
        if order == Some(Order::Decommission) && outcome.is_ok() {
            tracing::info!("the router was decommissioned");
            operations.stop.cancel();
        }
    }
}

impl Drop for OperatorSocket {
    fn drop(&mut self) {
        let _is_gone = fs::remove_file(&self.path);
    }
}

/// Binds a socket. One that nobody listens at any more, as after a crash, is replaced.
fn bind_anew(path: &Path) -> io::Result<UnixListener> {
    let taken = match UnixListener::bind(path) {
        Err(error) if error.kind() == io::ErrorKind::AddrInUse => error,
        other => return other,
    };
    match std::os::unix::net::UnixStream::connect(path) {
        Err(error) if error.kind() == io::ErrorKind::ConnectionRefused => {
            fs::remove_file(path)?;
            UnixListener::bind(path)
        },
        _ => Err(taken),
    }
}

fn too_slow(order: Order) -> String {
    let order = order.as_str();
    format!("`{order}` was not carried out within {ORDER_TIME:?}; the router's log may say why")
}

async fn read_line(stream: &mut UnixStream) -> io::Result<String> {
    let mut line = String::new();
    BufReader::new(stream.take(MAX_ORDER))
        .read_line(&mut line)
        .await?;
    Ok(line)
}
