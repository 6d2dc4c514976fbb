//! A bounded memory that identities share fairly: when it is full, whoever takes most of it loses
//! what is oldest of its own.

use portcullis_domain::ids::Number;
use std::collections::{BTreeMap, BTreeSet, VecDeque};

/// How much may be kept. What is measured in bytes is an estimate by whoever puts it in.
#[derive(Debug, Clone, Copy)]
pub(super) struct Rations {
    /// Most bytes of all identities.
    pub(super) bytes: usize,
    /// Most bytes of one identity, unless it has a single part.
    pub(super) bytes_of_one: usize,
    /// Most parts of one identity.
    pub(super) parts_of_one: usize,
}

/// Parts that are kept for identities, each under a number.
#[derive(Debug)]
pub(super) struct Rationed<T> {
    rations: Rations,
    bytes: usize,
    shares: BTreeMap<Number, Share<T>>,
    /// The identities by how much they take.
    by_bytes: BTreeSet<(usize, Number)>,
}

/// What is kept for one identity.
#[derive(Debug)]
struct Share<T> {
    bytes: usize,
    /// The oldest first.
    parts: VecDeque<Part<T>>,
}

#[derive(Debug)]
struct Part<T> {
    number: Number,
    bytes: usize,
    value: T,
}

impl<T> Rationed<T> {
    pub(super) const fn new(rations: Rations) -> Self {
        Self {
            rations,
            bytes: 0,
            shares: BTreeMap::new(),
            by_bytes: BTreeSet::new(),
        }
    }

    /// Keeps a part in the place of the one that has its number, as the newest of its identity.
    pub(super) fn put(&mut self, identity: Number, number: Number, (bytes, value): (usize, T)) {
        let rations = self.rations;
        self.change(identity, |share| {
            share.parts.retain(|part| part.number != number);
            share.parts.push_back(Part {
                number,
                bytes,
                value,
            });
            share.count();
            while share.exceeds(rations) {
                share.drop_oldest();
            }
        });
        while self.bytes > rations.bytes
            && let Some(&(_, heaviest)) = self.by_bytes.last()
        {
            self.change(heaviest, Share::drop_oldest);
        }
    }

    /// A part of an identity.
    pub(super) fn get(&self, identity: Number, number: Number) -> Option<&T> {
        let mut parts = self.of(identity);
        parts.find_map(|(of, value)| (of == number).then_some(value))
    }

    /// The parts of an identity with their numbers, the oldest first.
    pub(super) fn of(&self, identity: Number) -> impl Iterator<Item = (Number, &T)> {
        let share = self.shares.get(&identity);
        share
            .into_iter()
            .flat_map(|share| share.parts.iter().map(|part| (part.number, &part.value)))
    }

    /// The identities for which something is kept, from `from` on.
    pub(super) fn identities(&self, from: Number) -> impl Iterator<Item = Number> {
        self.shares
            .range(from..)
            .map(|(identity, _share)| *identity)
    }

    /// Keeps those parts of an identity alone whose numbers are wanted.
    pub(super) fn retain(&mut self, identity: Number, is_wanted: impl Fn(Number) -> bool) {
        self.change(identity, |share| {
            share.parts.retain(|part| is_wanted(part.number));
            share.count();
        });
    }

    /// Changes what is kept for an identity, and counts it anew.
    fn change(&mut self, identity: Number, apply: impl FnOnce(&mut Share<T>)) {
        let mut share = self.shares.remove(&identity).unwrap_or_default();
        self.by_bytes.remove(&(share.bytes, identity));
        self.bytes -= share.bytes;
        apply(&mut share);
        if !share.parts.is_empty() {
            self.bytes += share.bytes;
            self.by_bytes.insert((share.bytes, identity));
            self.shares.insert(identity, share);
        }
    }
}

impl<T> Default for Share<T> {
    fn default() -> Self {
        Self {
            bytes: 0,
            parts: VecDeque::new(),
        }
    }
}

impl<T> Share<T> {
    fn exceeds(&self, rations: Rations) -> bool {
        self.parts.len() > 1
            && (self.bytes > rations.bytes_of_one || self.parts.len() > rations.parts_of_one)
    }

    fn drop_oldest(&mut self) {
        if let Some(part) = self.parts.pop_front() {
            self.bytes -= part.bytes;
        }
    }

    fn count(&mut self) {
        self.bytes = self.parts.iter().map(|part| part.bytes).sum();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rationed() -> Rationed<&'static str> {
        Rationed::new(Rations {
            bytes: 100,
            bytes_of_one: 60,
            parts_of_one: 3,
        })
    }

    fn numbers(kept: &Rationed<&'static str>, identity: u64) -> Vec<u64> {
        let parts = kept.of(Number(identity));
        parts.map(|(number, _value)| number.0).collect()
    }

    fn put(kept: &mut Rationed<&'static str>, identity: u64, number: u64, bytes: usize) {
        kept.put(Number(identity), Number(number), (bytes, "x"));
    }

    #[test]
    fn newest_stays_where_one_takes_too_much() {
        let mut kept = rationed();
        for number in 1..=4 {
            put(&mut kept, 1, number, 10);
        }
        assert_eq!(numbers(&kept, 1), [2, 3, 4], "too many");
        put(&mut kept, 1, 2, 50);
        assert_eq!(
            numbers(&kept, 1),
            [4, 2],
            "too much; what is put anew is new"
        );
        put(&mut kept, 1, 5, 90);
        assert_eq!(numbers(&kept, 1), [5], "one is kept whatever it takes");
        assert_eq!(kept.get(Number(1), Number(5)), Some(&"x"));
        assert_eq!(kept.get(Number(1), Number(2)), None);
    }

    #[test]
    fn whoever_takes_most_gives_way() {
        let mut kept = rationed();
        put(&mut kept, 1, 1, 10);
        put(&mut kept, 2, 2, 25);
        put(&mut kept, 2, 3, 25);
        put(&mut kept, 3, 4, 45);
        assert_eq!((numbers(&kept, 1), numbers(&kept, 2)), (vec![1], vec![3]));
        put(&mut kept, 4, 5, 200);
        assert_eq!(kept.bytes, 80, "what is larger than all is not kept");
        assert_eq!(
            kept.identities(Number(2)).collect::<Vec<_>>(),
            [Number(2), Number(3)]
        );
    }

    #[test]
    fn what_is_forgotten_takes_nothing() {
        let mut kept = rationed();
        put(&mut kept, 1, 1, 10);
        put(&mut kept, 1, 2, 20);
        kept.retain(Number(1), |number| number == Number(2));
        assert_eq!((numbers(&kept, 1), kept.bytes), (vec![2], 20));
        kept.retain(Number(1), |_number| false);
        kept.retain(Number(9), |_number| false);
        assert!(kept.shares.is_empty() && kept.by_bytes.is_empty() && kept.bytes == 0);
    }
}
