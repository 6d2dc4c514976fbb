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
//! Those whom somebody else is to answer for, such as all queues of one identity, have a share
//! ([`MemoryBudget::share`]): together they hold a quarter of what is free at most, however many they are, and
//! divide that among themselves in the same way.
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

/// What anybody may hold as long as anything is free: room for a message of the usual size.
pub const LEAST: usize = 64 << 10;

/// The part of what is free that one may hold.
const PART: usize = 64;
/// The part of what is free that a share may hold.
const SHARE: usize = 4;
/// The part of the budget that has to be free for anything new to begin.
const SPARE: usize = 256;

/// Bytes that all [`Account`]s together should keep to.
///
/// Whoever holds nothing may take one message even when nothing is free, since nothing would move otherwise. So
/// they exceed the budget by one message each at most, and by what was taken between an answer and what follows
/// from it: nothing is locked.
#[derive(Debug)]
pub struct MemoryBudget {
    limit: usize,
    used: AtomicUsize,
    /// What it is a share of.
    whole: Option<Arc<Self>>,
}

impl MemoryBudget {
    /// A budget of so many bytes.
    pub const fn new(limit: usize) -> Self {
        Self {
            limit,
            used: AtomicUsize::new(0),
            whole: None,
        }
    }

    /// A share of a budget, for those who together are one of many. What they hold counts in both.
    #[must_use]
    pub fn share(self: &Arc<Self>) -> Self {
        Self {
            limit: self.limit / SHARE,
            used: AtomicUsize::new(0),
            whole: Some(Arc::clone(self)),
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

    /// Bytes that are held; in a share, also those that are [reserved](Account::reserving).
    pub fn used(&self) -> usize {
        self.used.load(Ordering::Relaxed)
    }

    /// Bytes that each account may hold now: [`LEAST`] at least, but none if nothing is free.
    pub fn allowance(&self) -> usize {
        let part = if self.whole.is_some() {
            PART / SHARE
        } else {
            PART
        };
        match self.free() {
            0 => 0,
            free => (free / part).max(LEAST),
        }
    }

    /// Whether so little is free that nothing new should begin: what is there already needs the rest.
    pub fn is_scarce(&self) -> bool {
        self.free() < self.limit / SPARE
    }

    fn free(&self) -> usize {
        let whole = self.whole.as_ref();
        let limit = whole.map_or(self.limit, |whole| whole.free() / SHARE);
        limit.saturating_sub(self.used())
    }

    fn change(&self, from: usize, to: usize) {
        if to > from {
            self.used.fetch_add(to - from, Ordering::Relaxed);
        } else if to < from {
            self.used.fetch_sub(from - to, Ordering::Relaxed);
        }
    }
}

/// What one queue or buffer holds of a budget; nothing once it is dropped.
#[derive(Debug)]
pub struct Account {
    budget: Arc<MemoryBudget>,
    held: usize,
    reserved: usize,
}

impl Account {
    /// An account that holds nothing.
    pub fn new(budget: &Arc<MemoryBudget>) -> Self {
        Self::reserving(budget, 0)
    }

    /// An account that counts as so many bytes in its share even while it holds less: so a share has no more
    /// accounts than it has memory for when all of them take something. In a budget that is no share, it counts
    /// as what it holds.
    pub fn reserving(budget: &Arc<MemoryBudget>, bytes: usize) -> Self {
        let reserved = if budget.whole.is_some() { bytes } else { 0 };
        budget.change(0, reserved);
        Self {
            budget: Arc::clone(budget),
            held: 0,
            reserved,
        }
    }

    /// Holds so many bytes from now on.
    pub fn set(&mut self, bytes: usize) {
        let counted = |held: usize| held.max(self.reserved);
        self.budget.change(counted(self.held), counted(bytes));
        if let Some(whole) = &self.budget.whole {
            whole.change(self.held, bytes);
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
        self.budget.change(self.reserved, 0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MIB: usize = 1 << 20;

    /// Queues that nobody empties, each as long as it may be. Returns the budget with their accounts.
    fn stalled(count: usize, limit: usize) -> (Arc<MemoryBudget>, Vec<Account>) {
        let budget = Arc::new(MemoryBudget::new(limit));
        let accounts = stalled_within(&budget, count);
        (budget, accounts)
    }

    fn stalled_within(budget: &Arc<MemoryBudget>, count: usize) -> Vec<Account> {
        let mut accounts: Vec<_> = (0..count).map(|_| Account::new(budget)).collect();
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
        accounts
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
        assert_eq!(budget.allowance(), 0);
        assert_eq!(budget.used(), 64 * MIB, "no more than there is");
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

    #[test]
    fn a_share_leaves_most_to_others_however_many_are_in_it() {
        let budget = Arc::new(MemoryBudget::new(1_024 * MIB));
        let share = Arc::new(budget.share());
        assert_eq!(
            share.allowance(),
            budget.allowance(),
            "one alone loses nothing"
        );
        let accounts = stalled_within(&share, 100_000);
        assert!(share.is_scarce());
        assert_eq!(share.allowance(), 0);
        assert_eq!(budget.used(), share.used());
        assert!(
            budget.used() <= budget.limit() / 5 + MIB,
            "{}",
            budget.used()
        );
        assert!(!budget.is_scarce());

        let other = Arc::new(budget.share());
        assert!(!other.is_scarce());
        assert!(other.allowance() > 12 * MIB, "{}", other.allowance());
        drop(accounts);
        assert_eq!((share.used(), budget.used()), (0, 0));
    }

    #[test]
    fn what_is_reserved_counts_in_the_share_alone() {
        let budget = Arc::new(MemoryBudget::new(64 * MIB));
        let share = Arc::new(budget.share());
        let mut account = Account::reserving(&share, 1_000);
        account.set(300);
        assert_eq!((share.used(), budget.used()), (1_000, 300));
        account.set(1_500);
        assert_eq!((share.used(), budget.used()), (1_500, 1_500));
        account.set(0);
        assert_eq!((share.used(), budget.used()), (1_000, 0));
        drop(account);
        assert_eq!((share.used(), budget.used()), (0, 0));
        drop(Account::reserving(&budget, 1_000));
        assert_eq!(budget.used(), 0);
    }
}
