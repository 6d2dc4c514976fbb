//! A line between two routers, which a test may cut, and which takes its time.

use bytes::{Bytes, BytesMut};
use std::net::SocketAddr;
use std::time::Duration;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::tcp::{OwnedReadHalf, OwnedWriteHalf};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{mpsc, watch};
use tokio::task::AbortHandle;
use tokio::time::{Instant, sleep_until};

/// Pieces of up to 64 KiB that may be on their way: more would wait for each other as in no network.
const ON_THEIR_WAY: usize = 128;

/// What a line does with what it is given.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    /// Passes it on, since so many cuts.
    Open(u32),
    /// Keeps it, and accepts connections as if nothing were.
    Silent,
    /// Closes connections.
    Closed,
}

/// Passes connections on to a router.
pub(crate) struct Line {
    pub(crate) address: SocketAddr,
    state: watch::Sender<State>,
    accepting: AbortHandle,
}

impl Line {
    pub(crate) async fn start(target: SocketAddr) -> Self {
        Self::start_with_delay(target, Duration::ZERO).await
    }

    /// A line on which everything takes so long in either direction.
    pub(crate) async fn start_with_delay(target: SocketAddr, delay: Duration) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let state = watch::Sender::new(State::Open(0));
        let states = state.subscribe();
        let accepting = tokio::spawn(async move {
            loop {
                let (near, _) = listener.accept().await.unwrap();
                tokio::spawn(pass(near, target, delay, states.clone()));
            }
        });
        Self {
            address,
            state,
            accepting: accepting.abort_handle(),
        }
    }

    /// Breaks all connections; others may be made at once.
    pub(crate) fn cut(&self) {
        self.state.send_modify(|state| {
            *state = match *state {
                State::Open(cuts) => State::Open(cuts + 1),
                _ => State::Open(0),
            };
        });
    }

    /// Breaks all connections, and those that are made from now on.
    pub(crate) fn close(&self) {
        self.state.send_replace(State::Closed);
    }

    /// Passes nothing on any more, and breaks nothing.
    pub(crate) fn fall_silent(&self) {
        self.state.send_replace(State::Silent);
    }
}

impl Drop for Line {
    fn drop(&mut self) {
        self.accepting.abort();
    }
}

async fn pass(
    near: TcpStream,
    target: SocketAddr,
    delay: Duration,
    mut states: watch::Receiver<State>,
) {
    let State::Open(cuts) = *states.borrow_and_update() else {
        return;
    };
    let Ok(far) = TcpStream::connect(target).await else {
        return;
    };
    for socket in [&near, &far] {
        socket.set_nodelay(true).unwrap();
    }
    let ((mut near_read, mut near_write), (mut far_read, mut far_write)) =
        (near.into_split(), far.into_split());
    let is_silent = tokio::select! {
        () = carry(&mut near_read, &mut far_write, delay) => false,
        () = carry(&mut far_read, &mut near_write, delay) => false,
        state = states.wait_for(|state| *state != State::Open(cuts)) => {
            state.is_ok_and(|state| *state == State::Silent)
        },
    };
    if is_silent {
        // Both ends believe that it is open.
        let _is_over = states.wait_for(|state| *state != State::Silent).await;
    }
}

/// Carries bytes in one direction until an end is reached.
async fn carry(from: &mut OwnedReadHalf, to: &mut OwnedWriteHalf, delay: Duration) {
    let (sender, mut pieces) = mpsc::channel::<(Instant, Bytes)>(ON_THEIR_WAY);
    let reading = async move {
        let mut buffer = BytesMut::new();
        loop {
            buffer.reserve(64 * 1024);
            match from.read_buf(&mut buffer).await {
                Ok(0) | Err(_) => return,
                Ok(_) => {},
            }
            let piece = (Instant::now() + delay, buffer.split().freeze());
            if sender.send(piece).await.is_err() {
                return;
            }
        }
    };
    let writing = async {
        while let Some((due, bytes)) = pieces.recv().await {
            sleep_until(due).await;
            if to.write_all(&bytes).await.is_err() {
                return;
            }
        }
    };
    tokio::join!(reading, writing);
}
