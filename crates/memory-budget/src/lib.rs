//! Memory that queues and buffers of a process share, so that their sum is bounded.
//!
//! Each has a bound of its own, but a router has a hundred thousand of them. What one may hold at most
//! follows from what is free ([`MemoryBudget::allowance`]): a part of 1/64 of that. So a few may be as long as
//! they like, many get shorter together, and something is left for what moves: `n` queues that nobody empties
//! take `n / (n + 64)` of the budget if they grow together, and all but `(63 / 64) ^ n` of it if they grow one
//! after the other. This is how switches divide their memory among ports
//! (Choudhury and Hahne, "Dynamic Queue Length Thresholds for Shared-Memory Packet Switches", IEEE/ACM
//! Transactions on Networking 6, 1998).
//!
//! This crate allocates nothing and refuses nothing: whoever holds memory says how much by an [`Account`], and
//! asks for its allowance before it takes more.
//!
//! # Examples
//!
//! ```
//! use portcullis_memory_budget::{Account, MemoryBudget};
//! use std::sync::Arc;
//!
//! let budget = Arc::new(MemoryBudget::new(64 << 20));
//! assert_eq!(budget.allowance(), 1 << 20);
//!
//! let mut queue = Account::new(&budget);
//! queue.set(32 << 20);
//! assert_eq!(budget.allowance(), 512 << 10);
//!
//! drop(queue);
//! assert_eq!(budget.used(), 0);
//! ```

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

/// What anybody may hold, however little is free: room for one message, without which nothing would move.
pub const LEAST: usize = 64 << 10;

/// The part of what is free that one may hold.
const PART: usize = 64;
/// The part of the budget that has to be free for anything new to begin.
const SPARE: usize = 256;

/// Bytes that all [`Account`]s together should keep to.
///
/// They exceed it by no more than [`LEAST`] each, and by what was taken between an answer and what follows from
/// it: nothing is locked.
#[derive(Debug)]
pub struct MemoryBudget {
    limit: usize,
    used: AtomicUsize,
}

impl MemoryBudget {
    /// A budget of so many bytes.
    pub const fn new(limit: usize) -> Self {
        Self {
            limit,
            used: AtomicUsize::new(0),
        }
    }

    /// A budget that never ends.
    pub const fn unlimited() -> Self {
        Self::new(usize::MAX)
    }

    /// Bytes of the whole budget.
    pub const fn limit(&self) -> usize {
        self.limit
    }

    /// Bytes that are held.
    pub fn used(&self) -> usize {
        self.used.load(Ordering::Relaxed)
    }

    /// Bytes that each account may hold now; [`LEAST`] at least.
    pub fn allowance(&self) -> usize {
        (self.free() / PART).max(LEAST)
    }

    /// Whether so little is free that nothing new should begin: what is there already needs the rest.
    pub fn is_scarce(&self) -> bool {
        self.free() < self.limit / SPARE
    }

    fn free(&self) -> usize {
        self.limit.saturating_sub(self.used())
    }
}

/// What one queue or buffer holds of a budget; nothing once it is dropped.
#[derive(Debug)]
pub struct Account {
    budget: Arc<MemoryBudget>,
    held: usize,
}

impl Account {
    /// An account that holds nothing.
    pub fn new(budget: &Arc<MemoryBudget>) -> Self {
        Self {
            budget: Arc::clone(budget),
            held: 0,
        }
    }

    /// Holds so many bytes from now on.
    pub fn set(&mut self, bytes: usize) {
        let used = &self.budget.used;
        if bytes > self.held {
            used.fetch_add(bytes - self.held, Ordering::Relaxed);
        } else if bytes < self.held {
            used.fetch_sub(self.held - bytes, Ordering::Relaxed);
        }
        self.held = bytes;
    }

    /// The budget that it is part of.
    pub const fn budget(&self) -> &Arc<MemoryBudget> {
        &self.budget
    }

    /// Bytes that it holds.
    pub const fn held(&self) -> usize {
        self.held
    }
}

impl Drop for Account {
    fn drop(&mut self) {
        self.set(0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MIB: usize = 1 << 20;

    /// Queues that nobody empties, each as long as it may be. Returns the budget with their accounts.
    fn stalled(count: usize, limit: usize) -> (Arc<MemoryBudget>, Vec<Account>) {
        let budget = Arc::new(MemoryBudget::new(limit));
        let mut accounts: Vec<_> = (0..count).map(|_| Account::new(&budget)).collect();
        let mut is_growing = true;
        while is_growing {
            is_growing = false;
            for account in &mut accounts {
                let more = account.held() + 4 * 1024;
                if more <= budget.allowance() {
                    account.set(more);
                    is_growing = true;
                }
            }
        }
        (budget, accounts)
    }

    #[test]
    fn whatever_stands_still_something_is_left() {
        for count in [1, 64, 1_000] {
            let (budget, accounts) = stalled(count, 2_048 * MIB);
            let expected = 2_048 * MIB / (count + PART);
            let least = accounts.iter().map(Account::held).min();
            assert!(least >= Some(expected * 9 / 10), "{count}: {least:?}");
            assert!(budget.allowance() >= expected * 9 / 10, "{count}");
            assert!(budget.used() < budget.limit(), "{count}");
            assert!(!budget.is_scarce(), "{count}");
        }
    }

    /// Those who came first keep what they have.
    #[test]
    fn who_comes_last_finds_something_too() {
        let budget = Arc::new(MemoryBudget::new(2_048 * MIB));
        let mut accounts = Vec::new();
        for number in 0..200 {
            let mut account = Account::new(&budget);
            account.set(budget.allowance());
            assert!(account.held() > MIB, "{number}");
            accounts.push(account);
        }
        assert!(!budget.is_scarce());
    }

    #[test]
    fn nothing_new_begins_where_the_rest_is_needed() {
        let (budget, accounts) = stalled(10_000, 64 * MIB);
        assert!(budget.is_scarce());
        assert_eq!(budget.allowance(), LEAST);
        drop(accounts);
        assert_eq!(budget.used(), 0);
        assert!(!budget.is_scarce());
    }

    #[test]
    fn an_unlimited_budget_is_never_scarce() {
        let budget = Arc::new(MemoryBudget::unlimited());
        let mut account = Account::new(&budget);
        account.set(usize::MAX / 2);
        assert!(budget.allowance() > usize::MAX / 256);
        assert!(!budget.is_scarce());
    }

    #[test]
    fn accounts_count_what_they_hold_now() {
        let budget = Arc::new(MemoryBudget::new(MIB));
        let mut first = Account::new(&budget);
        let mut second = Account::new(&budget);
        first.set(100);
        second.set(50);
        first.set(30);
        assert_eq!(budget.used(), 80);
        drop(first);
        assert_eq!(budget.used(), 50);
        assert_eq!(second.held(), 50);
    }
}
