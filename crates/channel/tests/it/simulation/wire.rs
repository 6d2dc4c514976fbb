//! Connections, and what both sides do with one.

use super::Trace;
use super::pipe::{Pipe, Weather};
use crate::support::at_us;
use bytes::BytesMut;
use portcullis_channel::{Channel, Moment, Now, Priority, Transmit, UnderlayId};
use portcullis_seeded_random::Random;

/// A connection between dialer and listener.
#[derive(Debug)]
pub(crate) struct Wire {
    /// From the dialer, and from the listener.
    pub(crate) pipes: [Pipe; 2],
    /// Lost without notice: both see the end when this is over.
    pub(crate) dies: Option<Moment>,
}

/// One end of a connection.
#[derive(Debug)]
pub(crate) struct End<'w> {
    pub(crate) wire: &'w mut Wire,
    pub(crate) is_dialer: bool,
}

impl Wire {
    pub(crate) fn new(weather: Weather) -> Self {
        Self {
            pipes: [Pipe::new(weather), Pipe::new(weather)],
            dies: None,
        }
    }

    pub(crate) fn cut(&mut self) {
        for pipe in &mut self.pipes {
            pipe.weather.is_lost = false;
            pipe.cut();
        }
    }

    pub(crate) fn next_event(&self) -> Option<Moment> {
        let arrivals = self.pipes.iter().filter_map(Pipe::next_arrival);
        arrivals.chain(self.dies).min()
    }
}

impl End<'_> {
    pub(crate) fn incoming(&mut self) -> &mut Pipe {
        &mut self.wire.pipes[usize::from(self.is_dialer)]
    }

    pub(crate) fn outgoing(&mut self) -> &mut Pipe {
        &mut self.wire.pipes[usize::from(!self.is_dialer)]
    }

    /// Writes what a channel has for this connection while there is room; tells whether to close it.
    ///
    /// A channel that says it has something has to give something, and the other way round.
    pub(crate) fn write(
        &mut self,
        channel: &mut Channel,
        underlay: UnderlayId,
        now: Now,
        random: &mut Random,
    ) -> bool {
        while self.outgoing().has_room() {
            let is_announced = channel.has_output(underlay);
            match channel.poll_transmit(underlay, now) {
                Some(Transmit::Frame(frame)) => {
                    assert!(is_announced, "a frame that was not announced");
                    self.outgoing().write(&frame.to_bytes(), now.mono, random);
                },
                Some(Transmit::Close) => {
                    assert!(is_announced, "an end that was not announced");
                    self.outgoing().end();
                    return true;
                },
                None => {
                    assert!(!is_announced, "an announced frame is missing");
                    break;
                },
            }
        }
        false
    }
}

/// Calls deadlines: too early, and in time. Each one that is handled has to move or show.
pub(crate) fn fire(channel: &mut Channel, now: Now, random: &mut Random, trace: &mut Trace) {
    let before = channel.poll_timeout();
    let Some((at, cause)) = before else {
        return;
    };
    let output: Vec<UnderlayId> = channel.underlays_with_output().collect();
    if at > now.mono {
        if random.one_in(8) {
            channel.handle_timeout(now);
            assert_eq!(
                channel.poll_timeout(),
                before,
                "an early call changes the deadline"
            );
            assert!(
                channel.underlays_with_output().eq(output),
                "an early call makes output"
            );
        }
        return;
    }
    trace.reach(cause);
    channel.handle_timeout(now);
    let after = channel.poll_timeout();
    assert!(
        after != before,
        "deadline {at:?} for {cause:?} does not move"
    );
    let is_over = after.is_none_or(|(next, _)| next > now.mono);
    assert!(is_over, "deadline {after:?} stays in the past at {now:?}");
}

/// Bytes of the longest message, and a header more.
const LONGEST: usize = 100_100;

/// What a channel holds stays within its limits.
pub(crate) fn check_bounds(channel: &Channel) {
    let options = super::options(portcullis_channel::ChannelSide::Dialer);
    for (priority, limits) in [
        (Priority::High, options.high_queue),
        (Priority::Default, options.default_queue),
    ] {
        // One flow may have filled the queue before the other came.
        assert!(channel.queued_frames(priority) <= limits.frames + 1);
        let bytes = channel.queued_bytes(priority);
        assert!(bytes <= limits.bytes + LONGEST || channel.queued_frames(priority) == 1);
    }
    assert!(channel.outstanding_requests() <= options.max_requests);
    assert!(channel.underlays().count() <= options.max_underlays);
}

pub(crate) fn instant(at: Moment, wall_offset: i64) -> Now {
    let mut now = at_us(at.as_micros());
    now.wall.0 = now.wall.0.wrapping_add_signed(wall_offset);
    now
}

/// Reads what has arrived into a buffer.
pub(crate) fn read(end: &mut End<'_>, input: &mut BytesMut, now: Now) {
    let read = end.incoming().read(now.mono);
    input.extend_from_slice(&read);
}
