//! Request ids.

use portcullis_domain::ids::{self, RequestId};
use std::hash::{BuildHasher as _, RandomState};
use std::sync::atomic::{AtomicU64, Ordering};

/// Generates request ids that are unique across processes with overwhelming probability. They are
/// not secrets, so no system randomness is used.
#[derive(Debug, Default)]
pub(crate) struct RequestIds {
    counter: AtomicU64,
    /// Two keyed hashes yield the 16 bytes of an id.
    keys: [RandomState; 2],
}

impl RequestIds {
    /// Returns the id of the next request.
    pub(crate) fn next(&self) -> RequestId {
        let number = self.counter.fetch_add(1, Ordering::Relaxed);
        let halves = self.keys.each_ref().map(|key| key.hash_one(number));
        let mut bytes = [0; 16];
        for (into, half) in bytes.chunks_exact_mut(8).zip(halves) {
            into.copy_from_slice(&half.to_be_bytes());
        }
        RequestId::from_wire(ids::short_from_bytes(bytes))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    #[test]
    fn names_differ() {
        let (one, other) = (RequestIds::default(), RequestIds::default());
        let names: HashSet<String> = (0..1000)
            .flat_map(|_| [one.next(), other.next()])
            .map(|id| id.to_string())
            .collect();
        assert_eq!(names.len(), 2000);
        assert!(names.iter().all(|name| name.len() == 11));
    }
}
