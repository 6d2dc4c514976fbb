//! The line between a router and its controller: late, stalled, or cut.

use super::trace;
use parking_lot::Mutex;
use portcullis_channel::Role;
use portcullis_channel::hello::HELLO_TIMEOUT;
use portcullis_control::{ControlPlane, Peer};
use portcullis_seeded_random::Random;
use portcullis_transport::{Connector, Incoming};
use std::io;
use std::sync::Arc;
use std::time::Duration;
use tokio::io::{
    AsyncRead, AsyncReadExt as _, AsyncWrite, AsyncWriteExt as _, DuplexStream, duplex, split,
};
use tokio::time::{Instant, sleep, sleep_until};
use tokio_util::sync::CancellationToken;

const BUFFER: usize = 64 * 1024;
/// The longest usual delay of a piece, in milliseconds.
const DELAY: u64 = 30;

/// Where routers find their controller; nowhere while it is down.
pub(crate) type Address = Arc<Mutex<Option<ControlPlane>>>;

/// The line of one router. Clones are the same.
#[derive(Clone)]
pub(crate) struct Line(Arc<State>);

struct State {
    /// Of its router.
    name: String,
    controller: Address,
    peer: Peer,
    condition: Mutex<Condition>,
}

struct Condition {
    random: Random,
    /// Cuts the connection of the moment.
    cut: CancellationToken,
    stalled_until: Instant,
}

impl Line {
    pub(crate) fn new(name: &str, controller: Address, peer: Peer, random: Random) -> Self {
        Self(Arc::new(State {
            name: name.to_owned(),
            controller,
            peer,
            condition: Mutex::new(Condition {
                random,
                cut: CancellationToken::new(),
                stalled_until: Instant::now(),
            }),
        }))
    }

    /// Both ends notice at once.
    pub(crate) fn cut(&self) {
        self.0.condition.lock().cut.cancel();
    }

    /// Nothing goes through for a while, in either direction.
    pub(crate) fn stall(&self, time: Duration) {
        self.0.condition.lock().stalled_until = Instant::now() + time;
    }
}

impl State {
    async fn carry(
        &self,
        mut from: impl AsyncRead + Unpin,
        mut to: impl AsyncWrite + Unpin,
    ) -> io::Result<()> {
        let mut piece = vec![0; BUFFER];
        loop {
            let count = from.read(&mut piece).await?;
            if count == 0 {
                return to.shutdown().await;
            }
            let (delay, stalled_until) = {
                let mut condition = self.condition.lock();
                (condition.random.below(DELAY), condition.stalled_until)
            };
            sleep(Duration::from_millis(delay)).await;
            sleep_until(stalled_until).await;
            to.write_all(&piece[..count]).await?;
        }
    }
}

impl Connector for Line {
    type Stream = DuplexStream;

    async fn connect(&mut self, _role: Role) -> io::Result<DuplexStream> {
        let Some(plane) = self.0.controller.lock().clone() else {
            return Err(io::ErrorKind::ConnectionRefused.into());
        };
        trace(|| format!("{} connects", self.0.name));
        let (ours, near) = duplex(BUFFER);
        let (far, theirs) = duplex(BUFFER);
        let cut = CancellationToken::new();
        self.0.condition.lock().cut = cut.clone();
        let state = Arc::clone(&self.0);
        tokio::spawn(cut.run_until_cancelled_owned(async move {
            let ((near_in, near_out), (far_in, far_out)) = (split(near), split(far));
            let _ends = tokio::join!(state.carry(near_in, far_out), state.carry(far_in, near_out));
        }));
        let peer = self.0.peer.clone();
        tokio::spawn(async move {
            let reading = Incoming::read(theirs, Instant::now() + HELLO_TIMEOUT);
            if let Ok(incoming) = reading.await {
                plane.serve(peer, incoming).await;
            }
        });
        Ok(ours)
    }

    fn random(&mut self) -> u32 {
        self.0.condition.lock().random.word()
    }
}
