//! What was passed over.

/// Messages of the router that did nothing.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Counters {
    /// Of content types that this version does not know, or that routers do not send.
    pub unknown: u64,
    /// Not what their content type promises.
    pub malformed: u64,
    /// About connections, binds or circuits that do not exist, perhaps any more.
    pub unfounded: u64,
}
