//! Datagrams between a circuit and a server.

use crate::clock::Clock;
use crate::network::DatagramCircuit;
use bytes::{Bytes, BytesMut};
use portcullis_channel::Moment;
use std::io;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;
use tokio::net::UdpSocket;
use tokio::task::yield_now;
use tokio::time::sleep_until;

/// The longest datagram.
const MAX_DATAGRAM: usize = 65_535;

/// Datagrams that are received in a row.
const BATCH: usize = 32;

/// Carries datagrams between a circuit and a server until the circuit has ended, or for as long as there are any.
pub(super) async fn relay(
    circuit: &impl DatagramCircuit,
    server: &UdpSocket,
    clock: Clock,
    idle_timeout: Duration,
) -> io::Result<()> {
    let used = LastUse::new(clock);
    tokio::select! {
        () = to_server(circuit, server, &used) => Ok(()),
        result = from_server(circuit, server, &used) => result,
        () = used.idle(idle_timeout) => Ok(()),
    }
}

async fn to_server(circuit: &impl DatagramCircuit, server: &UdpSocket, used: &LastUse) {
    while let Some(datagram) = circuit.receive().await {
        used.now();
        // The server may be away for a while, and what is too long for it is lost, as in any network.
        let _lost = server.send(&datagram).await;
    }
}

async fn from_server(
    circuit: &impl DatagramCircuit,
    server: &UdpSocket,
    used: &LastUse,
) -> io::Result<()> {
    loop {
        server.readable().await?;
        // Not kept while nothing comes: there may be many circuits.
        let mut buffer = BytesMut::with_capacity(MAX_DATAGRAM);
        for _ in 0..BATCH {
            buffer.clear();
            match server.try_recv_buf(&mut buffer) {
                Ok(_) => {
                    used.now();
                    circuit.send(Bytes::copy_from_slice(&buffer))?;
                },
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => break,
                // Nobody listened there when the last datagram came.
                Err(error) if error.kind() == io::ErrorKind::ConnectionRefused => {},
                Err(error) => return Err(error),
            }
        }
        // A server may send faster than this receives; others have to get their turn all the same.
        yield_now().await;
    }
}

/// When there was a datagram last.
struct LastUse {
    clock: Clock,
    micros: AtomicU64,
}

impl LastUse {
    fn new(clock: Clock) -> Self {
        Self {
            clock,
            micros: AtomicU64::new(clock.now().as_micros()),
        }
    }

    fn now(&self) {
        let now = self.clock.now().as_micros();
        self.micros.store(now, Ordering::Relaxed);
    }

    /// Returns once there has been none for so long.
    async fn idle(&self, timeout: Duration) {
        loop {
            let last = Moment::from_micros(self.micros.load(Ordering::Relaxed));
            let until = last + timeout;
            if until <= self.clock.now() {
                return;
            }
            sleep_until(self.clock.instant(until)).await;
        }
    }
}
