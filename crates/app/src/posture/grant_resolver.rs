//! Resolution of the policies that grant services to identities, with their posture checks.
//!
//! The read model knows who is granted what; the contents of policies and checks are read from the
//! store, once per request. A policy that the store lacks, or that differs from the read model,
//! grants nothing: the two may be one change apart, and the missing part could be a check.

use crate::app::App;
use crate::error::AppError;
use crate::memo::Memo;
use portcullis_domain::ids::RecordNumber;
use portcullis_domain::policies::{ServiceGrant, ServicePolicy};
use portcullis_domain::posture_check::PostureCheck;
use portcullis_domain::view::ServiceGrants;
use portcullis_index::{AccessGuard, PolicyKind, PolicySide, Slot};
use portcullis_posture::GrantingPolicy;
use portcullis_storage::engine::StoreError;
use portcullis_storage::key::RecordKey;
use portcullis_storage::tables::{POSTURE_CHECK, Rows, SERVICE_POLICY};
use roaring::RoaringBitmap;
use std::cell::Cell;
use std::rc::Rc;
use std::sync::Arc;

/// Resolves the policies that grant services, memoized for one request.
pub(crate) struct GrantResolver<'a> {
    app: &'a App,
    /// Revision of the policies for which `by_identity` holds; its slots are invalid for others.
    revision: Cell<u64>,
    /// Slots of the policies that select an identity.
    by_identity: Memo<RecordNumber, Rc<RoaringBitmap>>,
    summaries: Memo<RecordNumber, Option<PolicySummary>>,
    policies: Memo<RecordNumber, Option<Rc<GrantingPolicy>>>,
    checks: Memo<RecordNumber, Option<Arc<PostureCheck>>>,
}

/// A policy as the read model knows it.
#[derive(Debug, Clone)]
pub(crate) struct PolicySummary {
    /// Record number.
    pub(crate) number: RecordNumber,
    pub(crate) grant: ServiceGrant,
    /// Record numbers of the posture checks.
    checks: Rc<[RecordNumber]>,
}

impl PolicySummary {
    pub(crate) fn has_checks(&self) -> bool {
        !self.checks.is_empty()
    }
}

impl<'a> GrantResolver<'a> {
    pub(crate) fn new(app: &'a App) -> Self {
        Self {
            app,
            revision: Cell::default(),
            by_identity: Memo::default(),
            summaries: Memo::default(),
            policies: Memo::default(),
            checks: Memo::default(),
        }
    }

    /// The policies that let an identity use a service, posture checks aside.
    pub(crate) fn policies_between(
        &self,
        identity: RecordNumber,
        service: RecordNumber,
    ) -> Result<Vec<PolicySummary>, AppError> {
        let guard = self.app.require_lists()?.access();
        let Some(service) = guard.services().slot(service) else {
            return Ok(Vec::new());
        };
        let selecting = self.selecting(&guard, identity);
        let common = guard
            .access()
            .selecting_service(&selecting, service, guard.kinds());
        Ok(self.summaries(&guard, &common))
    }

    /// All policies that select an identity.
    pub(crate) fn policies_of(
        &self,
        identity: RecordNumber,
    ) -> Result<Vec<PolicySummary>, AppError> {
        let guard = self.app.require_lists()?.access();
        let selecting = self.selecting(&guard, identity);
        Ok(self.summaries(&guard, &selecting))
    }

    fn selecting(&self, guard: &AccessGuard<'_>, identity: RecordNumber) -> Rc<RoaringBitmap> {
        let access = guard.access();
        if self.revision.replace(access.revision()) != access.revision() {
            self.by_identity.clear();
        }
        self.by_identity.get_or_insert_with(identity, || {
            let slot = guard.identities().slot(identity);
            let (kind, side) = (PolicyKind::Service, PolicySide::Identities);
            let policies = slot.map(|slot| access.selecting(kind, side, slot, guard.kinds()));
            Rc::new(policies.unwrap_or_default())
        })
    }

    /// Summaries of policies, oldest first.
    fn summaries(&self, guard: &AccessGuard<'_>, policies: &RoaringBitmap) -> Vec<PolicySummary> {
        let catalog = guard.service_policies();
        let numbers = policies.iter().map(Slot::from_bit);
        let mut numbers: Vec<_> = numbers.filter_map(|slot| catalog.number(slot)).collect();
        numbers.sort_unstable();
        let summary_of = |number| {
            self.summaries
                .get_or_insert_with(number, || summarize(guard, number))
        };
        numbers.into_iter().filter_map(summary_of).collect()
    }

    /// Loads a policy with its checks; `None` if it or one of its checks is gone, since a check
    /// that cannot be read cannot be passed.
    pub(crate) fn load(
        &self,
        rows: Rows<'_>,
        summary: &PolicySummary,
    ) -> Result<Option<Rc<GrantingPolicy>>, StoreError> {
        self.policies.get_or_try_insert_with(summary.number, || {
            let key = RecordKey::root(SERVICE_POLICY, summary.number.0);
            let Some(policy) = rows.get_shared::<ServicePolicy>(&key)? else {
                return Ok(None);
            };
            let mut checks = Vec::new();
            for check in &*summary.checks {
                match self.load_check(rows, *check)? {
                    Some(check) => checks.push(check),
                    None => return Ok(None),
                }
            }
            // Sorted as clients see them, independent of the index.
            checks.sort_by(|left, right| left.spec.name.cmp(&right.spec.name));
            Ok(Some(Rc::new(GrantingPolicy {
                id: policy.id.clone(),
                name: policy.spec.name.clone(),
                grant: summary.grant,
                checks,
            })))
        })
    }

    fn load_check(
        &self,
        rows: Rows<'_>,
        number: RecordNumber,
    ) -> Result<Option<Arc<PostureCheck>>, StoreError> {
        self.checks.get_or_try_insert_with(number, || {
            rows.get_shared(&RecordKey::root(POSTURE_CHECK, number.0))
        })
    }
}

pub(crate) fn grants(policies: &[PolicySummary]) -> ServiceGrants {
    policies.iter().map(|policy| policy.grant).collect()
}

/// Summarizes a policy; `None` if it was deleted in the meantime.
fn summarize(guard: &AccessGuard<'_>, number: RecordNumber) -> Option<PolicySummary> {
    let slot = guard.service_policies().slot(number)?;
    let access = guard.access();
    let only = RoaringBitmap::from([slot.bit()]);
    let is_binding = !access.with_grant(ServiceGrant::Bind, only).is_empty();
    let checks = access.selected(
        PolicyKind::Service,
        slot,
        PolicySide::PostureChecks,
        guard.kinds(),
    );
    let checks = checks.iter().map(Slot::from_bit);
    Some(PolicySummary {
        number,
        grant: if is_binding {
            ServiceGrant::Bind
        } else {
            ServiceGrant::Dial
        },
        checks: checks
            .filter_map(|check| guard.posture_checks().number(check))
            .collect(),
    })
}

#[cfg(test)]
mod tests;
