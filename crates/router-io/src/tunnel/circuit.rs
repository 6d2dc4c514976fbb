//! Circuits whose ends are sockets of the tunneler.

use std::convert::Infallible;
use std::io;

use portcullis_transport::Holding;
use portcullis_tunnel::Circuit;
use portcullis_wire::peer_data::PeerData;
use tokio::net::TcpStream;
use tokio::sync::oneshot;

use super::KIND;
use super::datagrams::RouterDatagrams;
use super::offer::Refusal;
use crate::circuit_requests::{CircuitRequests, StandingCircuit};
use crate::encrypted_side::EncryptedSide;
use crate::encryption::Encryption;
use crate::ends::{EndHandle, EndTerms, Ends, LocalSide, SocketSide};

/// A circuit without its end at this router.
pub(crate) struct RouterCircuit {
    beginning: Beginning,
    encryption: Option<Encryption>,
}

/// What has to happen for the circuit to have an end.
enum Beginning {
    Dialed(CircuitRequests, StandingCircuit),
    Accepted(Accepted),
}

/// A dial that is taken. The dialing end is told so once the circuit has an end.
pub(super) struct Accepted {
    pub(super) ends: Ends,
    pub(super) terms: EndTerms,
    pub(super) answer: oneshot::Sender<Result<PeerData, Refusal>>,
    pub(super) peer_data: PeerData,
}

/// An end that goes when this is dropped.
pub(super) struct OwnedEnd(EndHandle);

impl RouterCircuit {
    pub(super) const fn dialed(
        requests: CircuitRequests,
        circuit: StandingCircuit,
        encryption: Option<Encryption>,
    ) -> Self {
        Self {
            beginning: Beginning::Dialed(requests, circuit),
            encryption,
        }
    }

    pub(super) const fn accepted(accepted: Accepted, encryption: Option<Encryption>) -> Self {
        Self {
            beginning: Beginning::Accepted(accepted),
            encryption,
        }
    }

    /// Opens the end.
    pub(super) fn open(self, side: impl LocalSide) -> io::Result<OwnedEnd> {
        match self.encryption {
            Some(Encryption { keys, header }) => {
                self.beginning.open(EncryptedSide::new(side, keys, header))
            },
            None => self.beginning.open(side),
        }
    }
}

impl Beginning {
    fn open(self, side: impl LocalSide) -> io::Result<OwnedEnd> {
        match self {
            Self::Dialed(requests, circuit) => Ok(OwnedEnd(requests.open(circuit, side))),
            Self::Accepted(accepted) => accepted.open(side),
        }
    }
}

impl Accepted {
    fn open(self, side: impl LocalSide) -> io::Result<OwnedEnd> {
        if self.answer.is_closed() {
            return Err(nobody_waits());
        }
        let end = OwnedEnd(self.ends.open(&self.terms, side));
        let answered = self.answer.send(Ok(self.peer_data));
        answered.map_err(|_not_taken| nobody_waits())?;
        Ok(end)
    }
}

fn nobody_waits() -> io::Error {
    io::Error::new(
        io::ErrorKind::ConnectionAborted,
        "nobody waits for the circuit any more",
    )
}

impl Drop for OwnedEnd {
    fn drop(&mut self) {
        self.0.abort();
    }
}

impl Circuit for RouterCircuit {
    type Datagrams = RouterDatagrams;

    async fn carry(self, socket: TcpStream) -> io::Result<()> {
        let (held, gone) = oneshot::channel::<Infallible>();
        let side = SocketSide::new(KIND, Holding::new(socket, held));
        let _end = self.open(side)?;
        // The socket goes with the end.
        let _is_over = gone.await;
        Ok(())
    }

    fn into_datagrams(self) -> RouterDatagrams {
        RouterDatagrams::open(self)
    }
}
