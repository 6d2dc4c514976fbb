//! How much may be on its way.

use crate::options::{FIRST_BURST, Options};

/// Of how many payloads in a round one may be lost by chance.
const BY_CHANCE: u32 = 20;
/// Of how many, if there are many.
const BY_CHANCE_OF_MANY: u32 = 50;
/// How much slower than at the start the window grows once it has been too large.
const CARE: u64 = 8;
/// And how much slower while something waits in a queue.
const CAUTION: u64 = 32;

/// The window of a sender.
///
/// It grows with what is acknowledged: to twice its size in a round trip at first, carefully once it was
/// too large. A payload that is lost does not say that it is, because some always are. It is too large
/// when some are lost in a round trip that takes longer than others, or when many are.
#[derive(Debug)]
pub(crate) struct Window {
    bytes: u64,
    was_too_large: bool,
    /// Since the window last changed.
    acknowledgements: u32,
    acknowledged_bytes: u64,
    round: Round,
    duplicates: u32,
}

/// What has happened in the time of a round trip.
#[derive(Debug, Default)]
struct Round {
    /// It is over when a later transmission is acknowledged.
    last_transmission: u64,
    acknowledgements: u32,
    acknowledged_bytes: u64,
    losses: u32,
}

/// A payload that was acknowledged.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Progress {
    pub(crate) bytes: u64,
    /// Its number among the transmissions, and that of the latest one.
    pub(crate) transmission: u64,
    pub(crate) latest: u64,
    /// Whether more would have been on its way if it were allowed.
    pub(crate) is_limited: bool,
    /// Whether round trips take longer than they have to.
    pub(crate) is_delayed: bool,
}

impl Window {
    pub(crate) fn new(options: &Options) -> Self {
        let (min, max) = bounds(options);
        let start = u64::from(options.start_window.min(FIRST_BURST));
        Self {
            bytes: start.clamp(min, max),
            was_too_large: false,
            acknowledgements: 0,
            acknowledged_bytes: 0,
            round: Round::default(),
            duplicates: 0,
        }
    }

    pub(crate) const fn bytes(&self) -> u64 {
        self.bytes
    }

    /// What has been acknowledged since the window last changed.
    pub(crate) const fn acknowledged_bytes(&self) -> u64 {
        self.acknowledged_bytes
    }

    /// Whether the window has grown.
    pub(crate) fn acknowledge(&mut self, progress: Progress, options: &Options) -> bool {
        self.round.acknowledgements = self.round.acknowledgements.saturating_add(1);
        let round_bytes = self.round.acknowledged_bytes;
        self.round.acknowledged_bytes = round_bytes.saturating_add(progress.bytes);
        if progress.transmission > self.round.last_transmission {
            let round = std::mem::take(&mut self.round);
            self.round.last_transmission = progress.latest;
            if round.is_too_much(progress.is_delayed, options) {
                self.shrink(&round, options);
                return false;
            }
        }
        progress.is_limited && self.grow(progress, options)
    }

    fn grow(&mut self, progress: Progress, options: &Options) -> bool {
        self.acknowledgements += 1;
        self.acknowledged_bytes = self.acknowledged_bytes.saturating_add(progress.bytes);
        if self.acknowledgements < options.growth_threshold {
            return false;
        }
        let acknowledged = self.acknowledged_bytes;
        let growth = match (self.was_too_large, progress.is_delayed) {
            (false, _) => acknowledged,
            (true, false) => acknowledged / CARE,
            (true, true) => {
                // In a round trip, as much whatever the size of the window: so small ones catch up.
                let square = acknowledged.saturating_mul(acknowledged);
                acknowledged / CAUTION + square / (2 * CAUTION * self.bytes.max(1))
            },
        };
        let growth = options.growth.of(growth.min(acknowledged));
        self.resize(self.bytes.saturating_add(growth), options);
        true
    }

    fn shrink(&mut self, round: &Round, options: &Options) {
        self.was_too_large = true;
        let mut bytes = options.shrink.of(self.bytes);
        if round.losses > round.acknowledgements {
            // The path carries that much.
            bytes = bytes.min(round.acknowledged_bytes);
        }
        self.resize(bytes, options);
    }

    /// Payloads were lost.
    pub(crate) const fn lose(&mut self, payloads: u32) {
        self.round.losses = self.round.losses.saturating_add(payloads);
    }

    /// Whether so many were acknowledged twice that they must have been sent again too early.
    pub(crate) const fn duplicate(&mut self, options: &Options) -> bool {
        self.duplicates += 1;
        let is_enough = self.duplicates >= options.duplicate_threshold;
        if is_enough {
            self.duplicates = 0;
        }
        is_enough
    }

    fn resize(&mut self, bytes: u64, options: &Options) {
        let (min, max) = bounds(options);
        self.bytes = bytes.clamp(min, max);
        self.acknowledgements = 0;
        self.acknowledged_bytes = 0;
    }
}

impl Round {
    fn is_too_much(&self, is_delayed: bool, options: &Options) -> bool {
        let payloads = self.losses.saturating_add(self.acknowledgements);
        let is_above = |share: u32| self.losses > 1 + payloads / share;
        let are_many = self.losses >= options.shrink_threshold;
        self.losses > 0
            && (is_delayed || is_above(BY_CHANCE) || (are_many && is_above(BY_CHANCE_OF_MANY)))
    }
}

fn bounds(options: &Options) -> (u64, u64) {
    let max = u64::from(options.max_window);
    (u64::from(options.min_window).min(max), max)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn options() -> Options {
        Options {
            start_window: 100_000,
            ..Options::default()
        }
    }

    /// An acknowledgement by which a round ends, or does not.
    fn progress(transmission: u64) -> Progress {
        Progress {
            bytes: 100,
            transmission,
            latest: transmission + 1_000,
            is_limited: true,
            is_delayed: false,
        }
    }

    /// Lets a round of 100 payloads end.
    fn round(window: &mut Window, losses: u32, is_delayed: bool, options: &Options) {
        let before = Progress {
            is_limited: false,
            ..progress(0)
        };
        for _ in losses..100 {
            window.acknowledge(before, options);
        }
        window.lose(losses);
        let last = Progress {
            transmission: u64::MAX,
            latest: 0,
            is_delayed,
            ..before
        };
        window.acknowledge(last, options);
    }

    /// Defect 23 of the original: it adds all that was ever acknowledged, each time.
    #[test]
    fn it_grows_by_what_the_last_acknowledgements_were_about() {
        let options = options();
        let mut window = Window::new(&options);
        for step in 1..=3 {
            for acknowledgement in 1..=28 {
                let has_grown = window.acknowledge(progress(0), &options);
                assert_eq!(has_grown, acknowledgement == 28);
            }
            assert_eq!(window.bytes(), 100_000 + step * 2_800);
        }
        let many = Progress {
            bytes: 10_000_000,
            ..progress(0)
        };
        for _ in 0..28 {
            window.acknowledge(many, &options);
        }
        assert_eq!(window.bytes(), 4 << 20);
    }

    #[test]
    fn a_window_that_is_not_used_does_not_grow() {
        let options = options();
        let mut window = Window::new(&options);
        round(&mut window, 0, false, &options);
        assert_eq!(window.bytes(), 100_000);
    }

    #[test]
    fn losses_by_chance_leave_it_as_it_is() {
        let options = options();
        let mut window = Window::new(&options);
        for losses in [0, 1, 5, 6] {
            round(&mut window, losses, false, &options);
            assert_eq!(window.bytes(), 100_000, "{losses} of a hundred");
        }
        round(&mut window, 0, true, &options);
        assert_eq!(window.bytes(), 100_000, "a long round trip alone");
    }

    #[test]
    fn it_shrinks_if_many_are_lost_or_some_in_a_queue() {
        let options = options();
        for (losses, is_delayed) in [(7, false), (1, true)] {
            let mut window = Window::new(&options);
            round(&mut window, losses, is_delayed, &options);
            assert_eq!(window.bytes(), 75_000);
            // Now it grows with care, and with more care while something waits.
            let before = window.bytes();
            for _ in 0..28 {
                window.acknowledge(progress(0), &options);
            }
            assert_eq!(window.bytes(), before + 2_800 / CARE);
        }
        let mut window = Window::new(&options);
        round(&mut window, 90, false, &options);
        assert_eq!(
            window.bytes(),
            16 << 10,
            "what has arrived, and the minimum"
        );
    }

    #[test]
    fn bounds_that_contradict_each_other_do_no_harm() {
        let options = Options {
            min_window: 2_000,
            max_window: 1_000,
            start_window: 0,
            growth_threshold: 0,
            shrink_threshold: 0,
            ..Options::default()
        };
        let mut window = Window::new(&options);
        assert_eq!(window.bytes(), 1_000);
        round(&mut window, 60, true, &options);
        window.acknowledge(progress(0), &options);
        assert_eq!(window.bytes(), 1_000);
    }
}
