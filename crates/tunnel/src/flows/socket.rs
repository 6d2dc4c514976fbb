//! Where datagrams of clients come from, and go back to.

use bytes::Bytes;
use portcullis_datagram_flows::FlowKey;
use std::io;

/// Receives datagrams of clients, to one destination or to many.
pub trait DatagramReceiver: Send + 'static {
    /// The next datagram, and the flow that it belongs to.
    ///
    /// # Errors
    ///
    /// If there is none to be had. It is tried again some times.
    fn receive(&mut self) -> impl Future<Output = io::Result<(FlowKey, Bytes)>> + Send;
}

/// Sends datagrams back to clients.
pub trait DatagramReplies: Send + Sync + 'static {
    /// Sends a datagram to the client of a flow, from its destination. Several tasks may do so at a time.
    ///
    /// # Errors
    ///
    /// If it cannot be sent. Then it is lost.
    fn send(&self, flow: FlowKey, datagram: &[u8]) -> impl Future<Output = io::Result<()>> + Send;
}
