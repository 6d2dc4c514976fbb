//! DNS over TCP (RFC 7766): messages with their length before them, several on a connection.

use crate::name_service::Input;
use portcullis_name_server::{Client, Transport};
use std::collections::HashMap;
use std::io;
use std::net::IpAddr;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncReadExt as _, AsyncWrite, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::mpsc;
use tokio::task::JoinSet;
use tokio::time::{sleep, timeout};

/// Connections at a time.
const MAX_CONNECTIONS: usize = 256;

/// Connections of one address at a time. All programs of this machine have one address.
const MAX_CONNECTIONS_OF_CLIENT: usize = 64;

/// Answers that a connection may have waiting.
const MAX_WAITING: usize = 64;

/// How long a connection may say nothing, which is longer than the name server waits for upstreams.
const IDLE_TIME: Duration = Duration::from_secs(10);

/// How long nothing is accepted after an error that the next connection would have as well.
const PAUSE: Duration = Duration::from_millis(100);

/// Connections of clients, by the number that a [`Client`] has of them.
#[derive(Debug, Default)]
pub(super) struct Connections {
    open: Mutex<Open>,
}

#[derive(Debug, Default)]
struct Open {
    last: usize,
    answers: HashMap<usize, (IpAddr, mpsc::Sender<Vec<u8>>)>,
}

impl Connections {
    /// Sends an answer, or drops it if the client reads none.
    pub(super) fn answer(&self, connection: usize, message: Vec<u8>) {
        if let Some((_, answers)) = self.lock().answers.get(&connection) {
            // The client asks again, if it wants to know.
            let _ = answers.try_send(message);
        }
    }

    /// `None` if there is no room.
    fn add(&self, client: IpAddr) -> Option<(usize, mpsc::Receiver<Vec<u8>>)> {
        let mut open = self.lock();
        let of_client = open
            .answers
            .values()
            .filter(|(address, _)| *address == client);
        let is_full = open.answers.len() >= MAX_CONNECTIONS;
        if is_full || of_client.count() >= MAX_CONNECTIONS_OF_CLIENT {
            return None;
        }
        let (sender, answers) = mpsc::channel(MAX_WAITING);
        open.last = open.last.wrapping_add(1);
        let number = open.last;
        open.answers.insert(number, (client, sender));
        Some((number, answers))
    }

    fn remove(&self, number: usize) {
        self.lock().answers.remove(&number);
    }

    fn lock(&self) -> MutexGuard<'_, Open> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Accepts connections. All of them end with the future.
pub(super) async fn listen(
    listener: TcpListener,
    connections: Arc<Connections>,
    inputs: mpsc::Sender<Input>,
) {
    let mut tasks = JoinSet::new();
    loop {
        while tasks.try_join_next().is_some() {}
        match listener.accept().await {
            Ok((stream, client)) => {
                let Some((number, answers)) = connections.add(client.ip()) else {
                    tracing::debug!(%client, "too many connections to the name server");
                    continue;
                };
                let (connections, inputs) = (Arc::clone(&connections), inputs.clone());
                tasks.spawn(async move {
                    let client = Client {
                        address: client,
                        transport: Transport::Tcp,
                        socket: number,
                    };
                    let ended = serve(stream, client, answers, &inputs).await;
                    tracing::trace!(?ended, "a connection to the name server has ended");
                    connections.remove(number);
                });
            },
            Err(error) => {
                tracing::debug!(%error, "the name server cannot accept connections for now");
                sleep(PAUSE).await;
            },
        }
    }
}

/// Serves a connection until its client has finished, or says nothing.
async fn serve(
    mut stream: TcpStream,
    client: Client,
    mut answers: mpsc::Receiver<Vec<u8>>,
    inputs: &mpsc::Sender<Input>,
) -> io::Result<()> {
    let (mut reading, mut writing) = stream.split();
    // Queries without an answer, and whether more of them may come.
    let (open, is_finished) = (AtomicUsize::new(0), AtomicBool::new(false));
    let queries = async {
        loop {
            let message = timeout(IDLE_TIME, receive(&mut reading)).await??;
            let query = Input::Query { message, client };
            open.fetch_add(1, Ordering::Relaxed);
            inputs.send(query).await.map_err(io::Error::other)?;
        }
    };
    let replies = async {
        while let Some(message) = answers.recv().await {
            timeout(IDLE_TIME, send(&mut writing, &message)).await??;
            let is_last = open.fetch_sub(1, Ordering::Relaxed) == 1;
            if is_last && is_finished.load(Ordering::Relaxed) {
                break;
            }
        }
        Ok(())
    };
    tokio::pin!(replies);
    let ended: io::Result<()> = tokio::select! {
        ended = queries => ended,
        ended = &mut replies => return ended,
    };
    match ended {
        // Clients may close their half once they have asked; what they wait for is sent all the same.
        Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => {
            is_finished.store(true, Ordering::Relaxed);
            if open.load(Ordering::Relaxed) == 0 {
                return Ok(());
            }
            timeout(IDLE_TIME, replies).await?
        },
        ended => ended,
    }
}

/// Receives a message.
pub(super) async fn receive(stream: &mut (impl AsyncRead + Unpin)) -> io::Result<Vec<u8>> {
    let length = stream.read_u16().await?;
    let mut message = vec![0; length.into()];
    stream.read_exact(&mut message).await?;
    Ok(message)
}

/// Sends a message, in one segment if it fits (RFC 7766, section 8).
pub(super) async fn send(stream: &mut (impl AsyncWrite + Unpin), message: &[u8]) -> io::Result<()> {
    let length = u16::try_from(message.len()).map_err(io::Error::other)?;
    let mut bytes = Vec::with_capacity(2 + message.len());
    bytes.extend(length.to_be_bytes());
    bytes.extend_from_slice(message);
    stream.write_all(&bytes).await
}

#[cfg(test)]
mod tests;
