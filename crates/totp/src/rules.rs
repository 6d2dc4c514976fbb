//! Rules for accepting codes.

use portcullis_domain::mfa::TimeStep;
use std::ops::RangeInclusive;

/// Accepted distance of a code from the present step (RFC 6238 section 5.2).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Window {
    /// Steps that a code may be late.
    pub past: u8,
    /// Steps that a code may be early.
    pub future: u8,
}

impl Window {
    /// The numbers of the steps around `now`, oldest first.
    pub(crate) fn steps(self, now: TimeStep) -> RangeInclusive<u64> {
        now.0.saturating_sub(self.past.into())..=now.0.saturating_add(self.future.into())
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reuse {
    /// Once; afterwards no older code is accepted either (RFC 6238 section 5.2).
    Never,
    /// Any number of times while its step is within the window. Recovery codes are spent all the
    /// same.
    InsideWindow,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Rules {
    pub window: Window,
    pub reuse: Reuse,
}

impl Rules {
    /// As recommended by RFC 6238: one step to either side, each code once.
    pub const STRICT: Self = Self {
        window: Window { past: 1, future: 1 },
        reuse: Reuse::Never,
    };

    /// As OpenZiti does, for deployments that depend on it: two steps to either side, reuse within
    /// the window.
    pub const OPENZITI: Self = Self {
        window: Window { past: 2, future: 2 },
        reuse: Reuse::InsideWindow,
    };
}
