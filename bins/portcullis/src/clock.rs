//! The time of the operating system.

use portcullis_domain::clock::{Clock, Timestamp};

/// The clock of the operating system.
#[derive(Debug, Clone, Copy)]
pub(crate) struct SystemClock;

impl Clock for SystemClock {
    #[expect(
        clippy::disallowed_methods,
        reason = "this is the clock of the program"
    )]
    fn now(&self) -> Timestamp {
        Timestamp::now()
    }
}
