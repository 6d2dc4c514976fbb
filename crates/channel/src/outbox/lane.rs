//! Which connection carries a flow.

use super::Flow;

/// What one of several connections carries of the messages of a priority: the flows that are its own, as
/// links that are bundled carry flows (IEEE 802.1AX, section 6.2.4). Messages of a flow would overtake each other
/// otherwise, since what waits in one connection says nothing of the others.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Lane(usize);

impl Lane {
    /// Those of so many connections.
    pub(crate) fn all(count: usize) -> impl Iterator<Item = Self> {
        (0..count).map(Self)
    }

    pub(super) const fn index(self) -> usize {
        self.0
    }

    /// The lanes of a flow among so many: what belongs to no flow has no order, and goes wherever there is
    /// room.
    pub(super) fn of(flow: Flow, count: usize) -> std::ops::Range<usize> {
        if flow == Flow::COMMON {
            return 0..count;
        }
        let count = u64::try_from(count).unwrap_or(u64::MAX).max(1);
        let index = usize::try_from(flow.0 % count).unwrap_or_default();
        index..index + 1
    }
}
