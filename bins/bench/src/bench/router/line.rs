//! A long line: what passes takes its time, and only so much passes in a second.

use std::net::{Ipv4Addr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::tcp::{OwnedReadHalf, OwnedWriteHalf};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::mpsc;
use tokio::time::{Instant, sleep_until};

/// Bytes that pass in a second, in each direction: 200 Mbit.
pub(super) const RATE: u32 = 25_000_000;

/// Bytes that are passed on at a time.
const PIECE: usize = 16 * 1024;
/// Pieces of a connection that may be under way.
const UNDER_WAY: usize = 1024;
/// Time that may be made up for: timers are late by about a millisecond.
const SLACK: Duration = Duration::from_millis(5);

/// A line to an address, for any number of connections, which share what passes.
pub(super) struct Line {
    address: SocketAddr,
}

/// One direction.
struct Direction {
    delay: Duration,
    free_at: parking_lot::Mutex<Instant>,
}

impl Line {
    /// Opens a line whose round trip takes twice `delay`.
    pub(super) async fn open(to: SocketAddr, delay: Duration) -> anyhow::Result<Self> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await?;
        let address = listener.local_addr()?;
        let [there, back] = [(); 2].map(|()| Arc::new(Direction::new(delay)));
        tokio::spawn(async move {
            while let Ok((near, _)) = listener.accept().await {
                let (there, back) = (Arc::clone(&there), Arc::clone(&back));
                tokio::spawn(async move {
                    let far = TcpStream::connect(to).await?;
                    for stream in [&near, &far] {
                        stream.set_nodelay(true)?;
                    }
                    let (from_near, to_near) = near.into_split();
                    let (from_far, to_far) = far.into_split();
                    tokio::join!(
                        there.carry(from_near, to_far),
                        back.carry(from_far, to_near)
                    );
                    Ok::<_, anyhow::Error>(())
                });
            }
        });
        Ok(Self { address })
    }

    /// Where it begins.
    pub(super) const fn address(&self) -> SocketAddr {
        self.address
    }
}

impl Direction {
    fn new(delay: Duration) -> Self {
        Self {
            delay,
            free_at: parking_lot::Mutex::new(Instant::now()),
        }
    }

    /// When so many bytes have got onto the line.
    fn reserve(&self, bytes: u32) -> Instant {
        let mut free_at = self.free_at.lock();
        let earliest = Instant::now().checked_sub(SLACK).unwrap_or(*free_at);
        let time = Duration::from_secs(1) * bytes / RATE;
        *free_at = (*free_at).max(earliest) + time;
        *free_at
    }

    /// Carries what comes until either end is closed.
    async fn carry(&self, mut from: OwnedReadHalf, mut to: OwnedWriteHalf) {
        let (sender, mut under_way) = mpsc::channel::<(Instant, Vec<u8>)>(UNDER_WAY);
        let reading = async move {
            let mut buffer = vec![0; PIECE];
            while let Ok(read) = from.read(&mut buffer).await
                && let Some(piece) = buffer.get(..read).filter(|piece| !piece.is_empty())
            {
                let is_sent = self.reserve(u32::try_from(read).unwrap_or(u32::MAX));
                sleep_until(is_sent).await;
                let piece = (is_sent + self.delay, piece.to_vec());
                if sender.send(piece).await.is_err() {
                    return;
                }
            }
        };
        let writing = async move {
            while let Some((due, piece)) = under_way.recv().await {
                sleep_until(due).await;
                if to.write_all(&piece).await.is_err() {
                    return;
                }
            }
        };
        tokio::join!(reading, writing);
    }
}
