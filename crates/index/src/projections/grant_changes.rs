//! Log of changes of service grants by identity.
//!
//! Grants are computed, not stored, so comparing what an identity may use now with what it could
//! use before misses a grant that came and went in between. Therefore each commit records the
//! identities that it affects. Older entries are merged, which limits memory and may report more
//! identities than were affected, but never fewer.

use super::AccessGuard;
use crate::access::{PolicyKind, PolicySide};
use crate::slots::Slot;
use parking_lot::Mutex;
use portcullis_domain::change::Change;
use portcullis_domain::ids::RecordNumber;
use roaring::RoaringBitmap;
use std::collections::{BTreeSet, VecDeque};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

/// Maximum number of entries; beyond it the two oldest are merged.
const MAX_ENTRIES: usize = 64;

/// Log of the commits that changed grants.
#[derive(Default)]
pub(super) struct GrantChanges {
    /// Whether there are readers. Until then nothing is recorded.
    is_watched: AtomicBool,
    last: AtomicU64,
    /// Affected identities by slot, with the change numbers in ascending order.
    entries: Mutex<VecDeque<(u64, RoaringBitmap)>>,
}

/// State before changes are applied.
pub(super) struct GrantsBefore {
    /// Identities affected by the changes in the current state.
    identities: RoaringBitmap,
    /// Grants of the service policies that change.
    policies: Vec<(RecordNumber, PolicyGrant)>,
    /// For identities that change, the service policies that grant them anything.
    granting: Vec<(RecordNumber, RoaringBitmap)>,
}

/// The grant of a service policy with its identities.
#[derive(Default, PartialEq)]
struct PolicyGrant {
    /// `None` if it grants nothing.
    digest: Option<u64>,
    identities: RoaringBitmap,
}

impl PolicyGrant {
    fn read(guard: &AccessGuard<'_>, policy: RecordNumber) -> Self {
        let (access, kinds) = (guard.access(), guard.kinds());
        let slot = guard.service_policies().slot(policy);
        slot.filter(|slot| {
            access.selects_any(PolicyKind::Service, *slot, PolicySide::Services, kinds)
        })
        .map(|slot| Self {
            digest: Some(access.grant_digest(slot)),
            identities: access.selected(PolicyKind::Service, slot, PolicySide::Identities, kinds),
        })
        .unwrap_or_default()
    }

    /// The identities affected by the change to `after`.
    fn affected_identities(self, after: Self) -> RoaringBitmap {
        if self.digest == after.digest {
            self.identities ^ after.identities
        } else {
            self.identities | after.identities
        }
    }
}

impl GrantChanges {
    /// Number of the last change. Starts recording.
    pub(super) fn watch(&self) -> u64 {
        self.is_watched.store(true, Ordering::Release);
        self.last.load(Ordering::Acquire)
    }

    /// Whether a change after number `since` and up to `until` affected an identity.
    pub(super) fn affect(&self, identity: Slot, since: u64, until: u64) -> bool {
        since < until
            && self
                .entries
                .lock()
                .iter()
                .rev()
                .take_while(|(number, _identities)| *number > since)
                .filter(|(number, _identities)| *number <= until)
                .any(|(_number, identities)| identities.contains(identity.bit()))
    }

    /// Captures the state before changes are applied, if there are readers.
    pub(super) fn capture<'g>(
        &self,
        changes: &[Change],
        guard: impl FnOnce() -> AccessGuard<'g>,
    ) -> Option<GrantsBefore> {
        let is_wanted =
            self.is_watched.load(Ordering::Acquire) && changes.iter().any(may_affect_grants);
        is_wanted.then(|| {
            let guard = guard();
            GrantsBefore {
                identities: affected_identities(&guard, changes),
                policies: changed_numbers(changes, |change| match change {
                    Change::ServicePolicy(change) => Some(change.number),
                    _ => None,
                })
                .map(|policy| (policy, PolicyGrant::read(&guard, policy)))
                .collect(),
                granting: changed_numbers(changes, |change| {
                    find_changed_attributes(&guard, change)
                })
                .map(|identity| (identity, granting_policies(&guard, identity)))
                .collect(),
            }
        })
    }

    /// Records the identities affected by changes that were applied.
    pub(super) fn record<'g>(
        &self,
        before: GrantsBefore,
        changes: &[Change],
        guard: impl FnOnce() -> AccessGuard<'g>,
    ) {
        let guard = guard();
        let mut identities = before.identities | affected_identities(&guard, changes);
        for (policy, previous) in before.policies {
            identities |= previous.affected_identities(PolicyGrant::read(&guard, policy));
        }
        for (identity, previous) in before.granting {
            if granting_policies(&guard, identity) != previous {
                identities.extend(guard.identities().slot(identity).map(Slot::bit));
            }
        }
        drop(guard);
        if !identities.is_empty() {
            identities.optimize();
            self.push(identities);
        }
    }

    fn push(&self, identities: RoaringBitmap) {
        let mut entries = self.entries.lock();
        let number = self.last.load(Ordering::Relaxed) + 1;
        entries.push_back((number, identities));
        if entries.len() > MAX_ENTRIES
            && let Some((_number, oldest)) = entries.pop_front()
            && let Some((_number, next)) = entries.front_mut()
        {
            *next |= oldest;
            next.optimize();
        }
        // Last, so that readers of the number find the entry.
        self.last.store(number, Ordering::Release);
    }
}

const fn may_affect_grants(change: &Change) -> bool {
    matches!(
        change,
        Change::ServicePolicy(_)
            | Change::Service(_)
            | Change::PostureCheck(_)
            | Change::Identity(_)
    )
}

/// The identities whose grants depend on the services and posture checks that change, in the
/// current state.
fn affected_identities(guard: &AccessGuard<'_>, changes: &[Change]) -> RoaringBitmap {
    let (access, kinds) = (guard.access(), guard.kinds());
    let mut identities = RoaringBitmap::new();
    let policies_about = |side, entity: Option<Slot>| {
        entity.map(|entity| access.selecting(PolicyKind::Service, side, entity, kinds))
    };
    for change in changes {
        let policies = match change {
            Change::Service(change) => {
                policies_about(PolicySide::Services, guard.services().slot(change.number))
            },
            Change::PostureCheck(change) => policies_about(
                PolicySide::PostureChecks,
                guard.posture_checks().slot(change.number),
            ),
            _ => None,
        };
        for policy in policies.into_iter().flatten().map(Slot::from_bit) {
            if access.selects_any(PolicyKind::Service, policy, PolicySide::Services, kinds) {
                identities |=
                    access.selected(PolicyKind::Service, policy, PolicySide::Identities, kinds);
            }
        }
    }
    identities
}

/// The record numbers that `wanted` selects from the changes.
fn changed_numbers<'c>(
    changes: &'c [Change],
    wanted: impl Fn(&Change) -> Option<RecordNumber> + 'c,
) -> impl Iterator<Item = RecordNumber> + 'c {
    changes.iter().filter_map(wanted)
}

/// The number of an existing identity whose role attributes change; most changes of identities
/// affect other members.
fn find_changed_attributes(guard: &AccessGuard<'_>, change: &Change) -> Option<RecordNumber> {
    let Change::Identity(change) = change else {
        return None;
    };
    let slot = guard.identities().slot(change.number)?;
    let now = change.entity.as_ref()?;
    let carried = guard
        .identities()
        .columns()
        .role_attributes()
        .terms_of(slot);
    let stay = carried.collect::<BTreeSet<_>>() == now.spec.role_attributes.iter().collect();
    (!stay).then_some(change.number)
}

/// The service policies that grant an identity anything.
fn granting_policies(guard: &AccessGuard<'_>, identity: RecordNumber) -> RoaringBitmap {
    let (access, kinds) = (guard.access(), guard.kinds());
    let Some(slot) = guard.identities().slot(identity) else {
        return RoaringBitmap::new();
    };
    let policies = access.selecting(PolicyKind::Service, PolicySide::Identities, slot, kinds);
    let grants = |policy: &u32| {
        let policy = Slot::from_bit(*policy);
        access.selects_any(PolicyKind::Service, policy, PolicySide::Services, kinds)
    };
    policies.iter().filter(grants).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn changes_concern_those_of_their_entries_and_nobody_is_forgotten() {
        let changes = GrantChanges::default();
        let most = u32::try_from(MAX_ENTRIES).unwrap();
        for bit in 0..2 * most {
            changes.push(RoaringBitmap::from([bit]));
        }
        let last = changes.watch();
        assert_eq!(last, u64::from(2 * most));
        assert!(changes.entries.lock().len() <= MAX_ENTRIES);
        let concern = |bit, since, until| changes.affect(Slot::from_bit(bit), since, until);
        for bit in 0..2 * most {
            let number = u64::from(bit) + 1;
            assert!(concern(bit, number - 1, last), "{bit}");
        }
        let newest = 2 * most - 1;
        assert!(!concern(newest, last, last), "heard of already");
        assert!(!concern(newest, 0, last - 1), "not to be heard of yet");
        assert!(!concern(newest - 1, last - 1, last), "somebody else's");
    }
}
