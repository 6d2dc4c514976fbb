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
//! All queues of one identity have a share ([`MemoryBudget::share`]): together they hold a quarter of what is free
//! at most, which they divide among themselves in the same way. There are no more of them than the share has room
//! for if each takes what it [reserves](Account::reserving).
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
/// The part of what is free that a share may hold.
const SHARE: usize = 4;
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
    /// What accounts count as, which is at least what they hold. Of a share only.
    charged: AtomicUsize,
    /// What it is a share of.
    whole: Option<Arc<Self>>,
}

/// Why nothing new should begin.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum Shortage {
    /// What is there already needs the rest.
    #[error("the router is short of memory")]
    Whole,
    /// Those who share have as much as they may.
    #[error("the identity has used up its share of the router's memory")]
    Share,
}

impl MemoryBudget {
    /// A budget of so many bytes.
    pub const fn new(limit: usize) -> Self {
        Self {
            limit,
            used: AtomicUsize::new(0),
            charged: AtomicUsize::new(0),
            whole: None,
        }
    }

    /// A share of a budget, for those who together are one of many. What they hold counts in both.
    #[must_use]
    pub fn share(self: &Arc<Self>) -> Self {
        Self {
            whole: Some(Arc::clone(self)),
            ..Self::new(self.limit / SHARE)
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
        let part = if self.whole.is_some() {
            PART / SHARE
        } else {
            PART
        };
        (self.free() / part).max(LEAST)
    }

    /// Whether so little is free that what can wait should wait.
    pub fn is_scarce(&self) -> bool {
        self.free() < self.limit / SPARE
    }

    /// Whether anything new may begin.
    ///
    /// # Errors
    ///
    /// Why it should not.
    pub fn check_room(&self) -> Result<(), Shortage> {
        let Some(whole) = &self.whole else {
            return if self.is_scarce() {
                Err(Shortage::Whole)
            } else {
                Ok(())
            };
        };
        whole.check_room()?;
        let charged = self.charged.load(Ordering::Relaxed);
        if self.is_scarce() || self.limit.saturating_sub(charged) < self.limit / SPARE {
            return Err(Shortage::Share);
        }
        Ok(())
    }

    fn free(&self) -> usize {
        let whole = self.whole.as_ref();
        let limit = whole.map_or(self.limit, |whole| whole.free() / SHARE);
        limit.saturating_sub(self.used())
    }

    /// An account holds and counts as something else than before.
    fn change(&self, held: [usize; 2], charged: [usize; 2]) {
        replace(&self.used, held);
        if let Some(whole) = &self.whole {
            replace(&self.charged, charged);
            whole.change(held, held);
        }
    }
}

fn replace(sum: &AtomicUsize, [before, after]: [usize; 2]) {
    if after > before {
        sum.fetch_add(after - before, Ordering::Relaxed);
    } else if after < before {
        sum.fetch_sub(before - after, Ordering::Relaxed);
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

    /// An account that counts as so many bytes at least where it is asked whether more may begin in its share,
    /// since it may take them at any time. In a budget that is no share, it counts as what it holds.
    pub fn reserving(budget: &Arc<MemoryBudget>, bytes: usize) -> Self {
        budget.change([0, 0], [0, bytes]);
        Self {
            budget: Arc::clone(budget),
            held: 0,
            reserved: bytes,
        }
    }

    /// Holds so many bytes from now on.
    pub fn set(&mut self, bytes: usize) {
        let held = [self.held, bytes];
        let charged = held.map(|held| held.max(self.reserved));
        self.budget.change(held, charged);
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
        self.budget.change([0, 0], [self.reserved, 0]);
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
        assert_eq!(budget.check_room(), Err(Shortage::Whole));
        assert_eq!(budget.share().check_room(), Err(Shortage::Whole));
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

    #[test]
    fn a_share_leaves_most_to_others() {
        let budget = Arc::new(MemoryBudget::new(1_024 * MIB));
        let share = Arc::new(budget.share());
        let allowance = share.allowance();
        assert_eq!(allowance, budget.allowance(), "one alone loses nothing");
        let accounts = stalled_within(&share, 1_000);
        assert_eq!(share.check_room(), Ok(()));
        assert_eq!(budget.used(), share.used());
        assert!(
            budget.used() <= budget.limit() / 5,
            "{} bytes",
            budget.used()
        );

        let other = Arc::new(budget.share());
        assert_eq!(other.check_room(), Ok(()));
        assert!(other.allowance() > 12 * MIB, "{} bytes", other.allowance());
        drop(accounts);
        assert_eq!((share.used(), budget.used()), (0, 0));
    }

    #[test]
    fn a_share_has_no_more_accounts_than_it_has_room_for() {
        let budget = Arc::new(MemoryBudget::new(64 * MIB));
        let share = Arc::new(budget.share());
        let mut accounts = Vec::new();
        while share.check_room().is_ok() {
            accounts.push(Account::reserving(&share, MIB));
            assert!(accounts.len() <= 16);
        }
        assert_eq!(accounts.len(), 16);
        assert_eq!(share.check_room(), Err(Shortage::Share));
        // What is not held is not missed.
        assert_eq!(budget.used(), 0);
        assert_eq!(share.allowance(), budget.allowance());
        assert!(!share.is_scarce());
        assert_eq!(budget.share().check_room(), Ok(()));
        accounts.pop();
        assert_eq!(share.check_room(), Ok(()));
    }

    #[test]
    fn an_account_counts_as_what_it_holds_or_reserves() {
        let budget = Arc::new(MemoryBudget::new(64 * MIB));
        let share = Arc::new(budget.share());
        let charged = || share.charged.load(Ordering::Relaxed);
        let mut account = Account::reserving(&share, 1_000);
        account.set(300);
        assert_eq!((charged(), share.used(), budget.used()), (1_000, 300, 300));
        account.set(1_500);
        assert_eq!(
            (charged(), share.used(), budget.used()),
            (1_500, 1_500, 1_500)
        );
        account.set(0);
        assert_eq!((charged(), share.used(), budget.used()), (1_000, 0, 0));
        drop(account);
        assert_eq!((charged(), share.used(), budget.used()), (0, 0, 0));
    }
}
