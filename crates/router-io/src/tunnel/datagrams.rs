//! Circuits of datagrams.

use std::future::poll_fn;
use std::io;
use std::sync::Arc;
use std::task::{Context, Poll};

use bytes::Bytes;
use portcullis_tunnel::DatagramCircuit;

use super::KIND;
use super::circuit::{OwnedEnd, RouterCircuit};
use crate::datagram_queue::DatagramQueue;
use crate::ends::{DatagramSide, Datagrams};

/// A circuit whose datagrams the tunneler has in its hands.
pub(crate) struct RouterDatagrams {
    queues: Arc<Queues>,
    /// `None` if it could not be opened.
    _end: Option<OwnedEnd>,
}

/// What waits in each direction.
#[derive(Default)]
struct Queues {
    into_circuit: DatagramQueue,
    out_of_circuit: DatagramQueue,
}

/// The side of the circuit's end.
struct LocalDatagrams(Arc<Queues>);

impl RouterDatagrams {
    pub(super) fn open(circuit: RouterCircuit) -> Self {
        let queues = Arc::<Queues>::default();
        // If there is no end, the queues are closed with it.
        let side = DatagramSide::new(KIND, LocalDatagrams(Arc::clone(&queues)));
        let end = circuit.open(side);
        Self {
            queues,
            _end: end.ok(),
        }
    }
}

impl DatagramCircuit for RouterDatagrams {
    fn send(&self, datagram: Bytes) -> io::Result<()> {
        let queue = &self.queues.into_circuit;
        if queue.is_closed() {
            return Err(io::ErrorKind::BrokenPipe.into());
        }
        queue.push(datagram);
        Ok(())
    }

    async fn receive(&self) -> Option<Bytes> {
        poll_fn(|context| self.queues.out_of_circuit.poll_pop(context)).await
    }
}

impl Datagrams for LocalDatagrams {
    fn poll_receive(&mut self, context: &mut Context<'_>) -> Poll<io::Result<Option<Bytes>>> {
        self.0.into_circuit.poll_pop(context).map(Ok)
    }

    fn poll_send(&mut self, datagram: &[u8], context: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.0.out_of_circuit.poll_push(datagram, context).map(Ok)
    }
}

impl Drop for LocalDatagrams {
    fn drop(&mut self) {
        self.0.into_circuit.close();
        self.0.out_of_circuit.close();
    }
}
