//! How long frames wait in a queue.

use crate::frame::Sequence;
use crate::time::Moment;
use std::time::Duration;

/// Follows one frame at a time: the newest, when the one before has left.
#[derive(Debug, Default)]
pub(super) struct Delay {
    /// Since when it is followed.
    followed: Option<(Sequence, Moment)>,
    newest: Option<Sequence>,
    last: Duration,
}

impl Delay {
    pub(super) const fn added(&mut self, frame: Sequence) {
        self.newest = Some(frame);
    }

    /// A frame has left the queue, to be written.
    pub(super) fn left(&mut self, frame: Sequence, now: Moment) {
        match self.followed {
            Some((followed, since)) if followed == frame => self.last = now.since(since),
            // It was the only one.
            None if self.newest == Some(frame) => self.last = Duration::ZERO,
            _ => {},
        }
        self.forget(frame);
        if self.followed.is_none() {
            self.followed = self.newest.map(|newest| (newest, now));
        }
    }

    /// A frame is not written at all.
    pub(super) fn forget(&mut self, frame: Sequence) {
        self.followed.take_if(|(followed, _)| *followed == frame);
        self.newest.take_if(|newest| *newest == frame);
    }

    /// That of the last frame that was followed, or of the one that is if it has waited longer already.
    pub(super) fn get(&self, now: Moment) -> Duration {
        let waiting = self.followed.map(|(_, since)| now.since(since));
        self.last.max(waiting.unwrap_or_default())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(millis: u64) -> Moment {
        Moment::from_micros(millis * 1_000)
    }

    #[test]
    fn frames_that_leave_at_once_have_not_waited() {
        let mut delay = Delay::default();
        for number in 0..3 {
            delay.added(Sequence(number));
            delay.left(Sequence(number), at(7));
            assert_eq!(delay.get(at(100)), Duration::ZERO);
        }
    }

    #[test]
    fn a_frame_behind_others_waits_for_them() {
        let mut delay = Delay::default();
        (0..3).for_each(|number| delay.added(Sequence(number)));
        delay.left(Sequence(0), at(0));
        delay.left(Sequence(1), at(10));
        assert_eq!(delay.get(at(10)), Duration::from_millis(10));
        delay.left(Sequence(2), at(25));
        assert_eq!(delay.get(at(99)), Duration::from_millis(25));
        delay.added(Sequence(3));
        delay.left(Sequence(3), at(99));
        assert_eq!(delay.get(at(99)), Duration::ZERO);
    }

    #[test]
    fn what_is_taken_back_is_not_followed() {
        let mut delay = Delay::default();
        (0..2).for_each(|number| delay.added(Sequence(number)));
        delay.left(Sequence(0), at(0));
        delay.forget(Sequence(1));
        assert_eq!(delay.get(at(50)), Duration::ZERO);
    }
}
