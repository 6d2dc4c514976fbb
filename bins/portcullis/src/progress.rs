//! Progress bars.

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::cell::Cell;
use std::time::{Duration, Instant};

/// What is done sooner needs no bar.
const PATIENCE: Duration = Duration::from_secs(1);

/// A progress bar on standard error, while that is a terminal and the work takes longer than a moment.
pub(crate) struct Progress {
    bar: ProgressBar,
    begin: Instant,
    is_shown: Cell<bool>,
}

impl Progress {
    /// A bar for `total` steps of work on `noun`; without a total, they are counted only.
    pub(crate) fn new(total: Option<usize>, noun: &str) -> Self {
        let total = total.map(|total| u64::try_from(total).unwrap_or(u64::MAX));
        let (bar, template) = match total {
            Some(_) => (
                ProgressBar::with_draw_target(total, ProgressDrawTarget::hidden()),
                "{wide_bar} {human_pos}/{human_len} {msg}, {eta} left",
            ),
            None => (
                ProgressBar::with_draw_target(None, ProgressDrawTarget::hidden()),
                "{human_pos} {msg} so far, {elapsed}",
            ),
        };
        if let Ok(style) = ProgressStyle::with_template(template) {
            bar.set_style(style.progress_chars("=> "));
        }
        bar.set_message(noun.to_owned());
        Self {
            bar,
            begin: Instant::now(),
            is_shown: Cell::new(false),
        }
    }

    /// No bar.
    pub(crate) fn hidden() -> Self {
        Self {
            bar: ProgressBar::hidden(),
            begin: Instant::now(),
            is_shown: Cell::new(true),
        }
    }

    /// Counts steps that were done.
    pub(crate) fn advance(&self, steps: usize) {
        if !self.is_shown.get() && self.begin.elapsed() >= PATIENCE {
            self.is_shown.set(true);
            // Hidden unless it is a terminal.
            self.bar.set_draw_target(ProgressDrawTarget::stderr());
        }
        self.bar.inc(u64::try_from(steps).unwrap_or(u64::MAX));
    }
}

impl Drop for Progress {
    /// Clears the line.
    fn drop(&mut self) {
        self.bar.finish_and_clear();
    }
}
