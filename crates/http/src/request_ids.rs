//! Names for requests.

use portcullis_domain::ids::{self, RequestId};
use std::hash::{BuildHasher as _, RandomState};
use std::sync::atomic::{AtomicU64, Ordering};

/// Gives each request a name that no other one has but by the rarest chance, of this process or
/// another. Names are no secrets, so nothing is drawn from the system for them.
#[derive(Debug, Default)]
pub(crate) struct RequestIds {
    given: AtomicU64,
    /// Two keyed hashes make as many bytes as a name is made of.
    keys: [RandomState; 2],
}

impl RequestIds {
    /// The name of the next request.
    pub(crate) fn next(&self) -> RequestId {
        let number = self.given.fetch_add(1, Ordering::Relaxed);
        let halves = self.keys.each_ref().map(|key| key.hash_one(number));
        let mut bytes = [0; 16];
        for (into, half) in bytes.chunks_exact_mut(8).zip(halves) {
            into.copy_from_slice(&half.to_be_bytes());
        }
        RequestId::from_wire(ids::short_of(bytes))
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
