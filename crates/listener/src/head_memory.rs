//! Memory of incomplete request heads.

use tokio_util::sync::CancellationToken;

use crate::budget::{Charge, Evictable};

/// Bytes of each connection that are free of charge: nearly every head is shorter.
const FREE_BYTES: usize = 2 * 1024;

/// Memory of incomplete request heads, charged to their sender.
pub(crate) struct HeadMemory {
    charge: Charge<HeadSender>,
    charged: usize,
}

/// A connection with an incomplete head. It is closed when evicted.
#[derive(Clone)]
pub(crate) struct HeadSender(CancellationToken);

impl HeadSender {
    pub(crate) fn new(evicted: CancellationToken) -> Self {
        Self(evicted)
    }
}

/// Heads that have been incomplete for longest are the least likely to be finished.
impl Evictable for HeadSender {
    type Rank = ();

    const IS_OLDEST_FIRST: bool = true;

    fn rank(&self, _amount: usize) -> Self::Rank {}

    fn evict(&self) {
        self.0.cancel();
    }
}

impl HeadMemory {
    pub(crate) fn new(charge: Charge<HeadSender>) -> Self {
        Self { charge, charged: 0 }
    }

    /// Sets how many bytes the connection buffers. If they exceed the budget, a connection is
    /// closed, which may be this one.
    pub(crate) fn set(&mut self, bytes: usize) {
        let charged = bytes.saturating_sub(FREE_BYTES);
        if charged == self.charged {
            return;
        }
        self.charged = charged;
        if charged == 0 {
            // The next head has an age of its own.
            self.charge.release();
        } else {
            self.charge.set(charged);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Budgets, Quota, Quotas};
    use portcullis_domain::peer::Peer;

    /// Budgets with 1000 bytes for heads, of which one peer may have 900.
    fn budgets() -> Budgets {
        let request_heads = Quota {
            total: 1000,
            per_peer: 900,
        };
        Budgets::new(&Quotas {
            request_heads,
            ..Quotas::default()
        })
    }

    fn connection(budgets: &Budgets, last: u8) -> (HeadMemory, CancellationToken) {
        let evicted = CancellationToken::new();
        let peer = Peer::from_address([192, 0, 2, last].into());
        let sender = HeadSender::new(evicted.clone());
        let charge = budgets.request_heads.charge(peer, sender);
        (HeadMemory::new(charge), evicted)
    }

    #[test]
    fn oldest_head_of_the_peer_with_most_gives_way() {
        let budgets = budgets();
        let (mut honest, honest_evicted) = connection(&budgets, 1);
        let mut flood: Vec<_> = (0..3).map(|_| connection(&budgets, 66)).collect();
        honest.set(FREE_BYTES + 300);
        for (memory, _) in &mut flood {
            memory.set(FREE_BYTES + 250);
        }
        let evicted = flood.iter().map(|(_, evicted)| evicted.is_cancelled());
        assert_eq!(evicted.collect::<Vec<_>>(), [true, false, false]);
        assert!(!honest_evicted.is_cancelled());
        assert_eq!(budgets.request_heads.in_use(), 800);
    }

    #[test]
    fn peer_has_no_more_than_its_share() {
        let budgets = budgets();
        let (mut first, first_evicted) = connection(&budgets, 1);
        let (mut second, second_evicted) = connection(&budgets, 1);
        first.set(FREE_BYTES + 400);
        second.set(FREE_BYTES + 500);
        assert!(!first_evicted.is_cancelled());
        // The age of the charge decides, not its last change.
        first.set(FREE_BYTES + 401);
        assert!(first_evicted.is_cancelled() && !second_evicted.is_cancelled());
    }

    #[test]
    fn age_is_that_of_the_head() {
        let budgets = budgets();
        let (mut first, first_evicted) = connection(&budgets, 1);
        let (mut second, second_evicted) = connection(&budgets, 1);
        first.set(FREE_BYTES + 400);
        second.set(FREE_BYTES + 400);
        first.set(FREE_BYTES);
        assert_eq!(budgets.request_heads.in_use(), 400);
        first.set(FREE_BYTES + 501);
        assert!(second_evicted.is_cancelled() && !first_evicted.is_cancelled());
        drop((first, second));
        assert_eq!(budgets.request_heads.in_use(), 0);
    }
}
