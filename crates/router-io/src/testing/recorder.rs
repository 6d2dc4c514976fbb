//! A destination that keeps what it gets.

use std::sync::Arc;

use futures_util::future::BoxFuture;
use tokio::sync::mpsc;

use crate::circuit_message::CircuitMessage;
use crate::relay::Destination;

/// Takes everything.
pub(crate) struct Recorder(mpsc::UnboundedSender<CircuitMessage>);

impl Recorder {
    pub(crate) fn new() -> (Arc<Self>, mpsc::UnboundedReceiver<CircuitMessage>) {
        let (sender, receiver) = mpsc::unbounded_channel();
        (Arc::new(Self(sender)), receiver)
    }
}

impl Destination for Recorder {
    fn deliver(&self, message: CircuitMessage) -> Result<(), CircuitMessage> {
        self.0.send(message).map_err(|error| error.0)
    }

    fn room(&self, _message: &CircuitMessage) -> BoxFuture<'static, ()> {
        Box::pin(std::future::ready(()))
    }

    fn unrouted(&self, _circuit: &str) {}
}
