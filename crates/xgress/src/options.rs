//! Options of an end, and limits that are not options.

use crate::factor::Factor;
use std::time::Duration;

/// Options of an end, with the defaults of OpenZiti. Each names its key in the router's file.
///
/// Keys without a field: `mtu` must be 0 (what it would split cannot be read by the receiver),
/// `randomDrops` and `drop1InN` are for tests of the network, `txQueueSize` and `txPortalDupAckScale`
/// are not used by OpenZiti either, `getCircuitTimeout` and `connectTimeout` are over before there is
/// an end.
///
/// Worst-case memory of an end, by [`weight`](crate::weight): `max_window` and twice `receive_buffer`, 12 MiB;
/// [`MAX_OVERHEAD`] beside each of the three, another 12 MiB; one payload more for each; and 4 MiB to keep account of what
/// was sent. Idle, an end takes about 1 KiB. A payload keeps the whole buffer alive that its bytes are a slice of;
/// whoever cuts small payloads out of large buffers has to copy them first, see [`compact`](crate::compact).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Options {
    /// `txPortalStartSize`: bytes that may be on their way at the start; 128 KiB at most, since nothing is
    /// known of the path yet.
    pub start_window: u32,
    /// `txPortalMinSize`.
    pub min_window: u32,
    /// `txPortalMaxSize`: also what the other end is expected to hold at most.
    pub max_window: u32,
    /// `txPortalIncreaseThresh`: after how many acknowledgements the window grows.
    pub growth_threshold: u32,
    /// `txPortalIncreaseScale`: by how much of what was acknowledged meanwhile. Once it has shrunk, by an
    /// eighth of that or less.
    pub growth: Factor,
    /// `txPortalRetxThresh`: how many losses in a round trip are too many, if they are more than one in 50.
    /// Otherwise more than one in 20 are, and any while round trips take longer than they have to.
    pub shrink_threshold: u32,
    /// `txPortalRetxScale`: to how much of itself the window then shrinks.
    pub shrink: Factor,
    /// `txPortalDupAckThresh`: after how many acknowledgements of what was acknowledged before the
    /// other end is given more time.
    pub duplicate_threshold: u32,
    /// `rxBufferSize`: bytes that may wait to be read, and bytes that may wait for others.
    pub receive_buffer: u32,
    /// `retxStartMs`: time that acknowledgements are given before a round trip was measured.
    pub first_ack_timeout: Duration,
    /// `retxScale`: time that they are given, as a multiple of the round trip.
    pub ack_timeout_scale: Factor,
    /// `retxAddMs`: added to that.
    pub ack_timeout_margin: Duration,
    /// `retxMaxMs`.
    pub max_ack_timeout: Duration,
    /// `maxRttScale`: how many times as long as before the next round trip may seem; 0 is unlimited,
    /// 1 counts as 2.
    pub max_round_trip_growth: u16,
    /// `maxCloseWaitMs`: how long a closed end waits for acknowledgements, from the last one on; and
    /// how long the end of one direction waits to learn in which way the other end understands it.
    pub max_close_wait: Duration,
    /// `circuitStartTimeout`: how long the terminating end waits for the initiating one.
    pub start_timeout: Duration,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            start_window: 4 << 20,
            min_window: 16 << 10,
            max_window: 4 << 20,
            growth_threshold: 28,
            growth: Factor::from_millionths(1_000_000),
            shrink_threshold: 64,
            shrink: Factor::from_millionths(750_000),
            duplicate_threshold: 64,
            receive_buffer: 4 << 20,
            first_ack_timeout: Duration::from_millis(200),
            ack_timeout_scale: Factor::from_millionths(1_500_000),
            ack_timeout_margin: Duration::ZERO,
            max_ack_timeout: Duration::from_secs(10),
            max_round_trip_growth: 4,
            max_close_wait: Duration::from_secs(30),
            start_timeout: Duration::from_mins(3),
        }
    }
}

/// Payloads that may be unacknowledged, may wait to be read, and may wait for others, whatever their sizes.
pub const MAX_PAYLOADS: usize = 16_384;
/// What payloads may weigh beside their data, together, wherever data has a bound: small payloads and headers
/// count by this. Full-sized windows of payloads of 512 bytes keep within it.
pub const MAX_OVERHEAD: usize = 4 << 20;
/// What may be on its way before anything is known of the path, whatever the options say.
pub(crate) const FIRST_BURST: u32 = 128 << 10;
/// Written bytes that may wait to be sent: more would only wait here instead of with the writer.
pub(crate) const MAX_UNSENT_BYTES: usize = 256 << 10;
/// How far ahead of the next sequence number a received one may be.
pub(crate) const MAX_AHEAD: u32 = 65_536;
/// Sequence numbers that may wait to be acknowledged.
pub(crate) const MAX_OWED_ACKS: usize = 1_024;
/// On fast paths, scheduling takes longer than the round trip.
pub(crate) const MIN_ACK_TIMEOUT: Duration = Duration::from_millis(20);
/// How long an end whose peer reads may go without an acknowledgement.
pub(crate) const UNANSWERED: Duration = Duration::from_mins(2);
/// How long a circuit that is over waits for what may still be on its way.
pub(crate) const LINGER: Duration = Duration::from_secs(5);
