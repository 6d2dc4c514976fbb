//! How many channels there are.

use crate::limits::ChannelLimits;
use parking_lot::Mutex;
use portcullis_domain::ids::RecordNumber;
use std::collections::HashMap;
use std::sync::Arc;

/// The channels that are open, by identity.
#[derive(Debug, Clone, Default)]
pub(crate) struct Admissions(Arc<Mutex<HashMap<RecordNumber, usize>>>);

/// The place of one channel; given up when dropped.
#[derive(Debug)]
pub(crate) struct Admission {
    admissions: Admissions,
    identity: RecordNumber,
}

impl Admissions {
    /// Number of channels that are open.
    pub(crate) fn count(&self) -> usize {
        self.0.lock().values().sum()
    }

    /// A place for one more channel; `None` if there are too many.
    pub(crate) fn admit(
        &self,
        identity: RecordNumber,
        limits: &ChannelLimits,
    ) -> Option<Admission> {
        let mut open = self.0.lock();
        let all: usize = open.values().sum();
        let own = open.get(&identity).copied().unwrap_or_default();
        if all >= limits.channels || own >= limits.channels_per_identity {
            return None;
        }
        open.insert(identity, own + 1);
        drop(open);
        Some(Admission {
            admissions: self.clone(),
            identity,
        })
    }
}

impl Drop for Admission {
    fn drop(&mut self) {
        let mut open = self.admissions.0.lock();
        if let Some(count) = open.get_mut(&self.identity) {
            *count = count.saturating_sub(1);
            if *count == 0 {
                open.remove(&self.identity);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_limited_in_all_and_for_each_and_come_back() {
        let limits = ChannelLimits {
            channels: 3,
            channels_per_identity: 2,
            ..ChannelLimits::default()
        };
        let admissions = Admissions::default();
        let admit = |identity| admissions.admit(RecordNumber(identity), &limits);
        let first = admit(1).unwrap();
        let _second = admit(1).unwrap();
        assert!(admit(1).is_none(), "of one identity");
        let _third = admit(2).unwrap();
        assert!(admit(2).is_none(), "of all");
        assert_eq!(admissions.count(), 3);
        drop(first);
        assert_eq!(admissions.count(), 2);
        assert!(admit(2).is_some());
        assert!(admissions.0.lock().contains_key(&RecordNumber(1)));
    }
}
