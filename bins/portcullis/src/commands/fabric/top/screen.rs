//! A screen of our own at a terminal, which goes away again whatever ends the program.

use crate::error::CliError;
use crate::output;
use rustix::process::{Signal as ProcessSignal, getpid, kill_process};
use std::io;
use tokio::signal::unix::{Signal, SignalKind, signal};

const ENTER: &str = "\u{1b}[?1049h\u{1b}[?25l\u{1b}[2J";
const LEAVE: &str = "\u{1b}[?25h\u{1b}[?1049l";
const TO_START: &str = "\u{1b}[H";
const CLEAR_REST_OF_LINE: &str = "\u{1b}[K";
const CLEAR_BELOW: &str = "\u{1b}[J";

/// The alternate screen of the terminal, without a cursor. Dropping it brings back the one before.
#[derive(Debug)]
pub(super) struct Screen {
    /// They end the program; Ctrl-C is waited for elsewhere.
    ends: [Signal; 3],
    /// The terminal has another size.
    resized: Signal,
    /// Ctrl-Z.
    suspended: Signal,
}

/// Why to do something before the next look.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Wake {
    Redraw,
    End,
}

impl Screen {
    pub(super) fn enter() -> Result<Self, CliError> {
        // Number of the signal of Ctrl-Z.
        let suspend = SignalKind::from_raw(ProcessSignal::TSTP.as_raw());
        let screen = Self {
            ends: [
                watch(SignalKind::terminate())?,
                watch(SignalKind::hangup())?,
                watch(SignalKind::quit())?,
            ],
            resized: watch(SignalKind::window_change())?,
            suspended: watch(suspend)?,
        };
        output::write(ENTER)?;
        Ok(screen)
    }

    /// Replaces what is shown. Lines have to fit.
    #[expect(clippy::unused_self, reason = "only what is entered can be drawn on")]
    pub(super) fn draw(&self, text: &str) -> Result<(), CliError> {
        output::write(&frame(text))
    }

    /// Waits for a reason to draw, or to end.
    pub(super) async fn wake(&mut self) -> Result<Wake, CliError> {
        let Self {
            ends,
            resized,
            suspended,
        } = self;
        tokio::select! {
            () = any(ends) => Ok(Wake::End),
            _size = resized.recv() => Ok(Wake::Redraw),
            _key = suspended.recv() => {
                suspend()?;
                Ok(Wake::Redraw)
            },
        }
    }
}

impl Drop for Screen {
    fn drop(&mut self) {
        // There is nobody to tell if the terminal is gone.
        let _ = output::write(LEAVE);
    }
}

fn watch(kind: SignalKind) -> Result<Signal, CliError> {
    signal(kind).map_err(|error| CliError::failed("signals cannot be received").with_source(error))
}

async fn any([one, two, three]: &mut [Signal; 3]) {
    tokio::select! {
        _signal = one.recv() => {},
        _signal = two.recv() => {},
        _signal = three.recv() => {},
    }
}

/// Stops the program with the former screen shown, until it is continued.
fn suspend() -> Result<(), CliError> {
    output::write(LEAVE)?;
    kill_process(getpid(), ProcessSignal::STOP)
        .map_err(|error| CliError::from(io::Error::from(error)))?;
    output::write(ENTER)
}

/// What makes the terminal show a text and nothing else, without flicker.
fn frame(text: &str) -> String {
    let lines: Vec<_> = text
        .lines()
        .map(|line| format!("{line}{CLEAR_REST_OF_LINE}"))
        .collect();
    format!("{TO_START}{}{CLEAR_BELOW}", lines.join("\n"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_of_the_last_frame_is_left() {
        assert_eq!(frame("a\nbc\n"), "\u{1b}[Ha\u{1b}[K\nbc\u{1b}[K\u{1b}[J");
        assert_eq!(frame(""), "\u{1b}[H\u{1b}[J");
    }
}
