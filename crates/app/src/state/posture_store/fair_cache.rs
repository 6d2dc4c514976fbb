//! A bounded cache shared fairly by identities: when it is full, the identity that uses most loses
//! its oldest entry.

use portcullis_domain::ids::RecordNumber;
use std::collections::{BTreeMap, BTreeSet, VecDeque};

/// Limits of a cache, in bytes as estimated by the inserter.
#[derive(Debug, Clone, Copy)]
pub(super) struct CacheLimits {
    /// Maximum bytes of all identities.
    pub(super) bytes: usize,
    /// Maximum bytes of one identity, unless it has a single entry.
    pub(super) bytes_per_identity: usize,
    /// Maximum number of entries of one identity.
    pub(super) entries_per_identity: usize,
}

/// Entries per identity, each under a number.
#[derive(Debug)]
pub(super) struct FairCache<T> {
    limits: CacheLimits,
    bytes: usize,
    by_identity: BTreeMap<RecordNumber, IdentityUsage<T>>,
    /// Identities ordered by the bytes they use.
    by_bytes: BTreeSet<(usize, RecordNumber)>,
}

#[derive(Debug)]
struct IdentityUsage<T> {
    bytes: usize,
    /// Oldest first.
    entries: VecDeque<CacheEntry<T>>,
}

#[derive(Debug)]
struct CacheEntry<T> {
    number: RecordNumber,
    bytes: usize,
    value: T,
}

impl<T> FairCache<T> {
    pub(super) const fn new(rations: CacheLimits) -> Self {
        Self {
            limits: rations,
            bytes: 0,
            by_identity: BTreeMap::new(),
            by_bytes: BTreeSet::new(),
        }
    }

    /// Inserts an entry as the newest of its identity, replacing the one with the same number. Returns
    /// the other identities that lose entries for it.
    pub(super) fn insert(
        &mut self,
        identity: RecordNumber,
        number: RecordNumber,
        (bytes, value): (usize, T),
    ) -> Vec<RecordNumber> {
        let rations = self.limits;
        self.update(identity, |usage| {
            usage.entries.retain(|entry| entry.number != number);
            usage.entries.push_back(CacheEntry {
                number,
                bytes,
                value,
            });
            usage.recount();
            while usage.exceeds_limits(rations) {
                usage.evict_oldest();
            }
        });
        let mut losers = Vec::new();
        while self.bytes > rations.bytes
            && let Some(&(_, heaviest)) = self.by_bytes.last()
        {
            self.update(heaviest, IdentityUsage::evict_oldest);
            losers.push(heaviest);
        }
        losers
    }

    pub(super) fn get(&self, identity: RecordNumber, number: RecordNumber) -> Option<&T> {
        let mut parts = self.entries(identity);
        parts.find_map(|(of, value)| (of == number).then_some(value))
    }

    /// The entries of an identity with their numbers, oldest first.
    pub(super) fn entries(
        &self,
        identity: RecordNumber,
    ) -> impl Iterator<Item = (RecordNumber, &T)> {
        let usage = self.by_identity.get(&identity);
        usage.into_iter().flat_map(|usage| {
            usage
                .entries
                .iter()
                .map(|entry| (entry.number, &entry.value))
        })
    }

    /// The identities with entries, starting at `from`.
    pub(super) fn identities(&self, from: RecordNumber) -> impl Iterator<Item = RecordNumber> {
        self.by_identity
            .range(from..)
            .map(|(identity, _share)| *identity)
    }

    /// Keeps only the wanted entries of an identity.
    pub(super) fn retain(
        &mut self,
        identity: RecordNumber,
        is_wanted: impl Fn(RecordNumber) -> bool,
    ) {
        self.update(identity, |usage| {
            usage.entries.retain(|entry| is_wanted(entry.number));
            usage.recount();
        });
    }

    /// Applies a change to the entries of an identity and updates the totals.
    fn update(&mut self, identity: RecordNumber, apply: impl FnOnce(&mut IdentityUsage<T>)) {
        let mut usage = self.by_identity.remove(&identity).unwrap_or_default();
        self.by_bytes.remove(&(usage.bytes, identity));
        self.bytes -= usage.bytes;
        apply(&mut usage);
        if !usage.entries.is_empty() {
            self.bytes += usage.bytes;
            self.by_bytes.insert((usage.bytes, identity));
            self.by_identity.insert(identity, usage);
        }
    }
}

impl<T> Default for IdentityUsage<T> {
    fn default() -> Self {
        Self {
            bytes: 0,
            entries: VecDeque::new(),
        }
    }
}

impl<T> IdentityUsage<T> {
    fn exceeds_limits(&self, rations: CacheLimits) -> bool {
        self.entries.len() > 1
            && (self.bytes > rations.bytes_per_identity
                || self.entries.len() > rations.entries_per_identity)
    }

    fn evict_oldest(&mut self) {
        if let Some(entry) = self.entries.pop_front() {
            self.bytes -= entry.bytes;
        }
    }

    fn recount(&mut self) {
        self.bytes = self.entries.iter().map(|entry| entry.bytes).sum();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn new_cache() -> FairCache<&'static str> {
        FairCache::new(CacheLimits {
            bytes: 100,
            bytes_per_identity: 60,
            entries_per_identity: 3,
        })
    }

    fn numbers(cache: &FairCache<&'static str>, identity: u64) -> Vec<u64> {
        let parts = cache.entries(RecordNumber(identity));
        parts.map(|(number, _value)| number.0).collect()
    }

    fn put(cache: &mut FairCache<&'static str>, identity: u64, number: u64, bytes: usize) {
        cache.insert(RecordNumber(identity), RecordNumber(number), (bytes, "x"));
    }

    #[test]
    fn newest_stays_where_one_takes_too_much() {
        let mut cache = new_cache();
        for number in 1..=4 {
            put(&mut cache, 1, number, 10);
        }
        assert_eq!(numbers(&cache, 1), [2, 3, 4], "too many");
        put(&mut cache, 1, 2, 50);
        assert_eq!(
            numbers(&cache, 1),
            [4, 2],
            "too much; what is put anew is new"
        );
        put(&mut cache, 1, 5, 90);
        assert_eq!(numbers(&cache, 1), [5], "one is kept whatever it takes");
        assert_eq!(cache.get(RecordNumber(1), RecordNumber(5)), Some(&"x"));
        assert_eq!(cache.get(RecordNumber(1), RecordNumber(2)), None);
    }

    #[test]
    fn whoever_takes_most_gives_way() {
        let mut cache = new_cache();
        put(&mut cache, 1, 1, 10);
        put(&mut cache, 2, 2, 25);
        put(&mut cache, 2, 3, 25);
        put(&mut cache, 3, 4, 45);
        assert_eq!((numbers(&cache, 1), numbers(&cache, 2)), (vec![1], vec![3]));
        put(&mut cache, 4, 5, 200);
        assert_eq!(cache.bytes, 80, "what is larger than all is not kept");
        assert_eq!(
            cache.identities(RecordNumber(2)).collect::<Vec<_>>(),
            [RecordNumber(2), RecordNumber(3)]
        );
    }

    #[test]
    fn what_is_forgotten_takes_nothing() {
        let mut cache = new_cache();
        put(&mut cache, 1, 1, 10);
        put(&mut cache, 1, 2, 20);
        cache.retain(RecordNumber(1), |number| number == RecordNumber(2));
        assert_eq!((numbers(&cache, 1), cache.bytes), (vec![2], 20));
        cache.retain(RecordNumber(1), |_number| false);
        cache.retain(RecordNumber(9), |_number| false);
        assert!(cache.by_identity.is_empty() && cache.by_bytes.is_empty() && cache.bytes == 0);
    }
}
