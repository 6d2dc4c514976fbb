//! What an end of a circuit is connected to at its router.

use std::io;
use std::task::{Context, Poll};

use portcullis_wire::xgress::Control;
use portcullis_xgress::{EndReason, Segment};

use crate::sdk_channels::SdkEnd;

/// What an end of a circuit is connected to at its router: a socket, datagrams, a connection of an SDK.
///
/// The task of the end polls it, in its own context; every `Pending` has to wake it. Both directions are
/// independent: an error in one of them does not end the other.
///
/// Dropping it closes what it stands for.
pub(crate) trait LocalSide: Send + Unpin + 'static {
    /// How traces name this kind of end, such as `xgress/edge`.
    fn kind(&self) -> &'static str;

    /// The SDK that it stands for, if it stands for one.
    fn sdk_end(&self) -> Option<SdkEnd> {
        None
    }

    /// The next segment for the other end of the circuit. It is asked only while the circuit has room, so
    /// what is not asked for pushes back. After [`FromLocal::EndOfStream`], [`FromLocal::Closed`] or an
    /// error it is not asked again. An error counts as [`FromLocal::Closed`].
    fn poll_read(&mut self, context: &mut Context<'_>) -> Poll<io::Result<FromLocal>>;

    /// Whether a segment would be taken now. After an error nothing more is brought, and the other end of
    /// the circuit stops sending.
    fn poll_ready(&mut self, context: &mut Context<'_>) -> Poll<io::Result<()>>;

    /// Takes a segment. [`poll_ready`](Self::poll_ready) has said that there is room for it.
    fn write(&mut self, segment: Segment);

    /// Works on what was taken, until nothing of it is left here. An error is one of
    /// [`poll_ready`](Self::poll_ready).
    fn poll_flush(&mut self, context: &mut Context<'_>) -> Poll<io::Result<()>>;

    /// Nothing more is written: works on what was taken, then tells that this direction ends. Called again
    /// after it was ready, it does nothing.
    fn poll_finish(&mut self, context: &mut Context<'_>) -> Poll<io::Result<()>>;

    /// Bytes that were taken, and that it still works on.
    fn held(&self) -> usize {
        0
    }

    /// A trace that goes on beyond this end, or the answer to one. Returns what cannot go on; a trace is
    /// then answered here.
    fn forward_control(&mut self, control: Control) -> Option<Control> {
        Some(control)
    }

    /// The circuit is over. Nothing is called after that.
    fn ended(&mut self, _reason: EndReason) {}
}

/// What comes from the local side.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum FromLocal {
    Segment(Segment),
    /// Nothing more is sent. The other direction goes on.
    EndOfStream,
    /// Nothing more is sent or taken. What was sent is still delivered.
    Closed,
}
