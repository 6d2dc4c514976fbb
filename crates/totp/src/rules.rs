//! By which rules codes are judged.

use portcullis_domain::mfa::Step;
use std::ops::RangeInclusive;

/// How far a code may be away from the present step (RFC 6238 section 5.2).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Window {
    /// Steps that a code may be late.
    pub past: u8,
    /// Steps that a code may be early.
    pub future: u8,
}

impl Window {
    /// The numbers of the steps around `now`, oldest first.
    pub(crate) fn steps(self, now: Step) -> RangeInclusive<u64> {
        now.0.saturating_sub(self.past.into())..=now.0.saturating_add(self.future.into())
    }
}

/// Whether a code may be accepted more than once.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reuse {
    /// Neither a code nor an older one is accepted after it (RFC 6238 section 5.2).
    Never,
    /// As often as its step is inside the window. Recovery codes are spent all the same.
    InsideWindow,
}

/// The rules of a controller.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Rules {
    /// How far a code may be away from the present step.
    pub window: Window,
    /// Whether a code may be accepted more than once.
    pub reuse: Reuse,
}

impl Rules {
    /// What RFC 6238 asks for: one step either side, and each code once.
    pub const STRICT: Self = Self {
        window: Window { past: 1, future: 1 },
        reuse: Reuse::Never,
    };

    /// What OpenZiti does, for fleets that depend on it: two steps either side, and each code as
    /// often as one likes.
    pub const OPENZITI: Self = Self {
        window: Window { past: 2, future: 2 },
        reuse: Reuse::InsideWindow,
    };
}
