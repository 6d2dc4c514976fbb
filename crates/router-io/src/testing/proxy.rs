//! What connections between two programs pass through.

use std::net::SocketAddr;
use std::sync::Arc;

use parking_lot::Mutex;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;
use tokio::task::AbortHandle;
use tokio::time::Instant;

/// Passes bytes on, until it is told to do otherwise.
pub(crate) struct Proxy {
    pub(crate) address: SocketAddr,
    connections: Arc<Mutex<Vec<AbortHandle>>>,
    accepted: Arc<Mutex<Vec<Instant>>>,
    is_stalled: watch::Sender<bool>,
    accepting: AbortHandle,
}

impl Proxy {
    pub(crate) async fn start(target: SocketAddr) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let connections = Arc::new(Mutex::new(Vec::new()));
        let accepted = Arc::new(Mutex::new(Vec::new()));
        let is_stalled = watch::Sender::new(false);
        let (opened, stalls) = (Arc::clone(&connections), is_stalled.subscribe());
        let times = Arc::clone(&accepted);
        let accepting = tokio::spawn(async move {
            loop {
                let (from, _) = listener.accept().await.unwrap();
                times.lock().push(Instant::now());
                let passing = tokio::spawn(pass(from, target, stalls.clone()));
                opened.lock().push(passing.abort_handle());
            }
        });
        Self {
            address,
            connections,
            accepted,
            is_stalled,
            accepting: accepting.abort_handle(),
        }
    }

    /// When connections were accepted, that are open or not.
    pub(crate) fn accepted(&self) -> Vec<Instant> {
        self.accepted.lock().clone()
    }

    /// Breaks the last `count` connections.
    pub(crate) fn kill(&self, count: usize) {
        let mut connections = self.connections.lock();
        connections.retain(|connection| !connection.is_finished());
        let first = connections.len() - count;
        connections.drain(first..).for_each(|it| it.abort());
    }

    pub(crate) fn open(&self) -> usize {
        let connections = self.connections.lock();
        connections.iter().filter(|it| !it.is_finished()).count()
    }

    /// Accepts no more, and breaks all.
    pub(crate) fn end(&self) {
        self.accepting.abort();
        self.kill(self.open());
    }

    /// Passes nothing on any more, while connections stay open.
    pub(crate) fn stall(&self) {
        self.is_stalled.send_replace(true);
    }

    pub(crate) fn go_on(&self) {
        self.is_stalled.send_replace(false);
    }
}

async fn pass(from: TcpStream, target: SocketAddr, stalls: watch::Receiver<bool>) {
    let to = TcpStream::connect(target).await.unwrap();
    let (from_read, from_write) = from.into_split();
    let (to_read, to_write) = to.into_split();
    tokio::select! {
        () = pump(from_read, to_write, stalls.clone()) => {},
        () = pump(to_read, from_write, stalls) => {},
    }
}

async fn pump(
    mut from: tokio::net::tcp::OwnedReadHalf,
    mut to: tokio::net::tcp::OwnedWriteHalf,
    mut stalls: watch::Receiver<bool>,
) {
    let mut buffer = vec![0; 16 << 10];
    loop {
        drop(stalls.wait_for(|is_stalled| !is_stalled).await);
        match from.read(&mut buffer).await {
            Ok(0) | Err(_) => return,
            Ok(count) => {
                drop(stalls.wait_for(|is_stalled| !is_stalled).await);
                if to.write_all(&buffer[..count]).await.is_err() {
                    return;
                }
            },
        }
    }
}
