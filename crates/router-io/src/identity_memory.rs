//! The memory that each identity has.

use std::collections::HashMap;
use std::sync::{Arc, Weak};

use parking_lot::Mutex;
use portcullis_memory_budget::MemoryBudget;
use portcullis_router::edge::IdentityId;

/// Entries that are kept however few of them are in use.
const KEPT: usize = 64;

/// The shares of identities in the memory of a router: whatever an identity does by all its channels, and by
/// its circuits to servers, most is left to others.
#[derive(Debug)]
pub(crate) struct IdentityMemory {
    whole: Arc<MemoryBudget>,
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    shares: HashMap<IdentityId, Weak<MemoryBudget>>,
    /// Number of entries above which unused ones are removed.
    sweep_above: usize,
}

impl IdentityMemory {
    pub(crate) fn new(whole: &Arc<MemoryBudget>) -> Self {
        Self {
            whole: Arc::clone(whole),
            state: Mutex::default(),
        }
    }

    /// The share of an identity: one for all who hold it at a time.
    pub(crate) fn of(&self, identity: &IdentityId) -> Arc<MemoryBudget> {
        let mut state = self.state.lock();
        if let Some(share) = state.shares.get(identity).and_then(Weak::upgrade) {
            return share;
        }
        let share = Arc::new(self.whole.share());
        state
            .shares
            .insert(identity.clone(), Arc::downgrade(&share));
        if state.shares.len() > state.sweep_above {
            state.shares.retain(|_, share| share.strong_count() > 0);
            state.sweep_above = 2 * state.shares.len() + KEPT;
        }
        share
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_identity_has_one_share_while_somebody_holds_it() {
        let memory = IdentityMemory::new(&Arc::new(MemoryBudget::new(1 << 20)));
        let first = memory.of(&"a".into());
        assert!(Arc::ptr_eq(&first, &memory.of(&"a".into())));
        assert!(!Arc::ptr_eq(&first, &memory.of(&"b".into())));
    }

    #[test]
    fn identities_that_have_left_are_forgotten() {
        let memory = IdentityMemory::new(&Arc::new(MemoryBudget::new(1 << 20)));
        let stays = memory.of(&"stays".into());
        for number in 0..10_000 {
            let _leaves = memory.of(&format!("{number}").into());
        }
        assert!(memory.state.lock().shares.len() < 3 * KEPT);
        assert!(Arc::ptr_eq(&stays, &memory.of(&"stays".into())));
    }
}
