//! Streams of the SDK as circuits.

use bytes::Bytes;
use portcullis_sdk::{AcceptError, ReadHalf, ServiceStream, WriteHalf};
use portcullis_tunnel::{Circuit, DatagramCircuit};
use std::io;
use tokio::io::copy_bidirectional_with_sizes;
use tokio::net::TcpStream;
use tokio::sync::Mutex;

/// A stream, unless whoever has dialed was gone when it was accepted.
#[derive(Debug)]
pub(crate) struct SdkCircuit(Result<ServiceStream, AcceptError>);

/// A stream of messages.
#[derive(Debug)]
pub(crate) struct SdkDatagrams(Option<Halves>);

#[derive(Debug)]
struct Halves {
    read: Mutex<ReadHalf>,
    write: WriteHalf,
}

/// Bytes that are read from a socket at a time, each way: what one write to a stream takes.
const BUFFER: usize = 32 * 1024;

impl SdkCircuit {
    pub(super) const fn new(stream: ServiceStream) -> Self {
        Self(Ok(stream))
    }

    pub(super) const fn accepted(accepted: Result<ServiceStream, AcceptError>) -> Self {
        Self(accepted)
    }
}

impl Circuit for SdkCircuit {
    type Datagrams = SdkDatagrams;

    async fn carry(self, socket: TcpStream) -> io::Result<()> {
        let stream = self.0.map_err(io::Error::other)?;
        let mut carried = Carried {
            ends: Some((stream, socket)),
        };
        carried.run().await
    }

    fn into_datagrams(self) -> SdkDatagrams {
        let halves = self.0.ok().map(|stream| {
            let (read, write) = stream.into_split();
            let read = Mutex::new(read);
            Halves { read, write }
        });
        SdkDatagrams(halves)
    }
}

/// A stream and a socket between which bytes are carried. If that does not come to its end, both are cut off rather
/// than closed: neither side may take what it has for all that there is.
struct Carried {
    ends: Option<(ServiceStream, TcpStream)>,
}

impl Carried {
    async fn run(&mut self) -> io::Result<()> {
        let Some((stream, socket)) = &mut self.ends else {
            return Ok(());
        };
        copy_bidirectional_with_sizes(stream, socket, BUFFER, BUFFER).await?;
        self.ends = None;
        Ok(())
    }
}

impl Drop for Carried {
    fn drop(&mut self) {
        if let Some((stream, socket)) = self.ends.take() {
            stream.abort();
            let _is_closed = socket.set_zero_linger();
        }
    }
}

impl DatagramCircuit for SdkDatagrams {
    fn send(&self, datagram: Bytes) -> io::Result<()> {
        let Some(Halves { write, .. }) = &self.0 else {
            return Err(io::ErrorKind::NotConnected.into());
        };
        match write.try_send_message(datagram) {
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => Ok(()),
            result => result,
        }
    }

    async fn receive(&self) -> Option<Bytes> {
        let halves = self.0.as_ref()?;
        let mut read = halves.read.lock().await;
        read.recv_message().await.ok().flatten()
    }
}
