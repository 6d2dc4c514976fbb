//! Whose grants of services changed, and when.
//!
//! Grants are found, not kept, so comparing what an identity may use now with what it could use
//! before does not tell of a grant that came and went in between. Therefore whom a commit concerns is
//! written down while it is applied. Older entries are merged, which keeps memory small and may
//! concern more identities than it should, but never fewer.

use super::AccessGuard;
use super::locks::lock;
use crate::access::{PolicyKind, Side};
use crate::slots::Slot;
use portcullis_domain::change::Change;
use portcullis_domain::ids::Number;
use roaring::RoaringBitmap;
use std::collections::{BTreeSet, VecDeque};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

/// Most entries; beyond that the two oldest become one.
const MOST_ENTRIES: usize = 64;

/// The commits that changed grants.
#[derive(Default)]
pub(super) struct GrantChanges {
    /// Whether anybody asks. Until then nothing is written down.
    is_watched: AtomicBool,
    last: AtomicU64,
    /// The identities concerned, by slot, under the numbers of the changes, ascending.
    entries: Mutex<VecDeque<(u64, RoaringBitmap)>>,
}

/// How things are before changes.
pub(super) struct Before {
    /// The identities that the changes concern, as things stand.
    identities: RoaringBitmap,
    /// What the service policies that change grant.
    policies: Vec<(Number, Granted)>,
    /// By which service policies the identities that change are granted anything.
    granting: Vec<(Number, RoaringBitmap)>,
}

/// What a service policy grants to whom.
#[derive(Default, PartialEq)]
struct Granted {
    /// `None` if it grants nothing.
    terms: Option<u64>,
    identities: RoaringBitmap,
}

impl Granted {
    fn by(guard: &AccessGuard<'_>, policy: Number) -> Self {
        let (access, kinds) = (guard.access(), guard.kinds());
        let slot = guard.service_policies().slot(policy);
        slot.filter(|slot| access.selects_any(PolicyKind::Service, *slot, Side::Services, kinds))
            .map(|slot| Self {
                terms: Some(access.terms(slot)),
                identities: access.selected(PolicyKind::Service, slot, Side::Identities, kinds),
            })
            .unwrap_or_default()
    }

    /// Whom it concerns that this became something else.
    fn changed(self, after: Self) -> RoaringBitmap {
        if self.terms == after.terms {
            self.identities ^ after.identities
        } else {
            self.identities | after.identities
        }
    }
}

impl GrantChanges {
    /// The number of the last change. From now on changes are written down.
    pub(super) fn watch(&self) -> u64 {
        self.is_watched.store(true, Ordering::Release);
        self.last.load(Ordering::Acquire)
    }

    /// Whether a change after number `since`, and up to `until`, concerned an identity.
    pub(super) fn concern(&self, identity: Slot, since: u64, until: u64) -> bool {
        since < until
            && lock(&self.entries)
                .iter()
                .rev()
                .take_while(|(number, _identities)| *number > since)
                .filter(|(number, _identities)| *number <= until)
                .any(|(_number, identities)| identities.contains(identity.bit()))
    }

    /// Looks whom changes concern that are about to be applied, if anybody wants to know.
    pub(super) fn before<'g>(
        &self,
        changes: &[Change],
        guard: impl FnOnce() -> AccessGuard<'g>,
    ) -> Option<Before> {
        let is_wanted = self.is_watched.load(Ordering::Acquire) && changes.iter().any(may_concern);
        is_wanted.then(|| {
            let guard = guard();
            Before {
                identities: concerned(&guard, changes),
                policies: changing(changes, |change| match change {
                    Change::ServicePolicy(change) => Some(change.number),
                    _ => None,
                })
                .map(|policy| (policy, Granted::by(&guard, policy)))
                .collect(),
                granting: changing(changes, |change| with_other_attributes(&guard, change))
                    .map(|identity| (identity, granting(&guard, identity)))
                    .collect(),
            }
        })
    }

    /// Writes down whom the changes concern, now that they are applied.
    pub(super) fn note<'g>(
        &self,
        before: Before,
        changes: &[Change],
        guard: impl FnOnce() -> AccessGuard<'g>,
    ) {
        let guard = guard();
        let mut identities = before.identities | concerned(&guard, changes);
        for (policy, was) in before.policies {
            identities |= was.changed(Granted::by(&guard, policy));
        }
        for (identity, was) in before.granting {
            if granting(&guard, identity) != was {
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
        let mut entries = lock(&self.entries);
        let number = self.last.load(Ordering::Relaxed) + 1;
        entries.push_back((number, identities));
        if entries.len() > MOST_ENTRIES
            && let Some((_number, oldest)) = entries.pop_front()
            && let Some((_number, next)) = entries.front_mut()
        {
            *next |= oldest;
            next.optimize();
        }
        // Last: whoever has seen the number finds the entry.
        self.last.store(number, Ordering::Release);
    }
}

const fn may_concern(change: &Change) -> bool {
    matches!(
        change,
        Change::ServicePolicy(_)
            | Change::Service(_)
            | Change::PostureCheck(_)
            | Change::Identity(_)
    )
}

/// The identities whose grants depend on the services and posture checks that change, as things stand.
fn concerned(guard: &AccessGuard<'_>, changes: &[Change]) -> RoaringBitmap {
    let (access, kinds) = (guard.access(), guard.kinds());
    let mut identities = RoaringBitmap::new();
    let policies_about = |side, entity: Option<Slot>| {
        entity.map(|entity| access.selecting(PolicyKind::Service, side, entity, kinds))
    };
    for change in changes {
        let policies = match change {
            Change::Service(change) => {
                policies_about(Side::Services, guard.services().slot(change.number))
            },
            Change::PostureCheck(change) => policies_about(
                Side::PostureChecks,
                guard.posture_checks().slot(change.number),
            ),
            _ => None,
        };
        for policy in policies.into_iter().flatten().map(Slot::from_bit) {
            if access.selects_any(PolicyKind::Service, policy, Side::Services, kinds) {
                identities |= access.selected(PolicyKind::Service, policy, Side::Identities, kinds);
            }
        }
    }
    identities
}

/// The numbers of what changes that is `wanted`.
fn changing<'c>(
    changes: &'c [Change],
    wanted: impl Fn(&Change) -> Option<Number> + 'c,
) -> impl Iterator<Item = Number> + 'c {
    changes.iter().filter_map(wanted)
}

/// The number of an identity that is there and gets other role attributes: most changes of identities
/// are of something else.
fn with_other_attributes(guard: &AccessGuard<'_>, change: &Change) -> Option<Number> {
    let Change::Identity(change) = change else {
        return None;
    };
    let slot = guard.identities().slot(change.number)?;
    let now = change.now.as_ref()?;
    let carried = guard.identities().columns().role_attributes().of(slot);
    let stay = carried.collect::<BTreeSet<_>>() == now.spec.role_attributes.iter().collect();
    (!stay).then_some(change.number)
}

/// The service policies that grant an identity anything.
fn granting(guard: &AccessGuard<'_>, identity: Number) -> RoaringBitmap {
    let (access, kinds) = (guard.access(), guard.kinds());
    let Some(slot) = guard.identities().slot(identity) else {
        return RoaringBitmap::new();
    };
    let policies = access.selecting(PolicyKind::Service, Side::Identities, slot, kinds);
    let grants = |policy: &u32| {
        let policy = Slot::from_bit(*policy);
        access.selects_any(PolicyKind::Service, policy, Side::Services, kinds)
    };
    policies.iter().filter(grants).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn changes_concern_those_of_their_entries_and_nobody_is_forgotten() {
        let changes = GrantChanges::default();
        let most = u32::try_from(MOST_ENTRIES).unwrap();
        for bit in 0..2 * most {
            changes.push(RoaringBitmap::from([bit]));
        }
        let last = changes.watch();
        assert_eq!(last, u64::from(2 * most));
        assert!(changes.entries.lock().unwrap().len() <= MOST_ENTRIES);
        let concern = |bit, since, until| changes.concern(Slot::from_bit(bit), since, until);
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
