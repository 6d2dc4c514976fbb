//! What people are told.

use portcullis_domain::clock::Timestamp;
use std::fmt;

/// Something that is not as it should be. Its text is a sentence without a full stop, in one line.
pub trait Finding: fmt::Display + fmt::Debug {
    /// What to do about it.
    fn advice(&self) -> &'static str;

    /// Since when there is what this is about, if the controller knows: it has not been so for longer.
    fn since(&self) -> Option<Timestamp> {
        None
    }
}
