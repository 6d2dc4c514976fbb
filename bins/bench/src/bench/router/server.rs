//! The server at the end of the way.

use anyhow::Context as _;
use std::collections::HashMap;
use std::net::{Ipv4Addr, SocketAddr};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};

/// How a stream that is to be echoed begins.
pub(super) const ECHO: u8 = b'e';
/// How a stream that is to be counted begins; the number of its counter follows.
pub(super) const COUNT: u8 = b'c';

const BUFFER: usize = 128 * 1024;

/// Counts the bytes of streams, or echoes them.
pub(in crate::bench) struct Server {
    address: SocketAddr,
    counters: Arc<parking_lot::Mutex<HashMap<u8, Arc<AtomicU64>>>>,
}

impl Server {
    pub(in crate::bench) async fn start() -> anyhow::Result<Self> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await?;
        let address = listener.local_addr()?;
        let counters = Arc::new(parking_lot::Mutex::new(HashMap::new()));
        let server = Self {
            address,
            counters: Arc::clone(&counters),
        };
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                let counters = Arc::clone(&counters);
                tokio::spawn(async move {
                    let find = |number| Arc::clone(counters.lock().entry(number).or_default());
                    // A client that goes away is no matter of this server's.
                    let _ = serve(stream, find).await;
                });
            }
        });
        Ok(server)
    }

    pub(in crate::bench) const fn address(&self) -> SocketAddr {
        self.address
    }

    /// How many bytes the streams with this number have brought so far.
    pub(super) fn counted(&self, number: u8) -> u64 {
        let counters = self.counters.lock();
        let counter = counters.get(&number);
        counter.map_or(0, |counter| counter.load(Ordering::Relaxed))
    }
}

async fn serve(
    mut stream: TcpStream,
    counter: impl Fn(u8) -> Arc<AtomicU64> + Send + Sync,
) -> anyhow::Result<()> {
    stream.set_nodelay(true)?;
    if stream.read_u8().await? == ECHO {
        let mut buffer = [0; 1024];
        loop {
            let read = stream.read(&mut buffer).await?;
            let read = buffer.get(..read).context("more than there is room for")?;
            if read.is_empty() {
                return Ok(());
            }
            stream.write_all(read).await?;
        }
    }
    let counter = counter(stream.read_u8().await?);
    let mut buffer = vec![0; BUFFER];
    loop {
        let read = stream.read(&mut buffer).await?;
        if read == 0 {
            return Ok(());
        }
        counter.fetch_add(u64::try_from(read)?, Ordering::Relaxed);
    }
}
