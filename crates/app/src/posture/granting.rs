//! The policies that let identities use services, with their posture checks.
//!
//! Who is granted what is found in the read model, and what policies and checks say is read from the
//! store, each once for a request. A policy that the store does not have as the read model does grants
//! nothing: the two are a change apart, and what is missing may be what should be passed.

use crate::app::App;
use crate::error::AppError;
use crate::remembered::Remembered;
use portcullis_domain::ids::Number;
use portcullis_domain::policies::{ServiceGrant, ServicePolicy};
use portcullis_domain::posture_check::PostureCheck;
use portcullis_domain::view::ServiceGrants;
use portcullis_index::{AccessGuard, PolicyKind, Side, Slot};
use portcullis_posture::GrantingPolicy;
use portcullis_storage::engine::StoreError;
use portcullis_storage::key::RecordKey;
use portcullis_storage::tables::{POSTURE_CHECK, Rows, SERVICE_POLICY};
use roaring::RoaringBitmap;
use std::cell::Cell;
use std::rc::Rc;
use std::sync::Arc;

/// The policies that let identities use services, as far as a request came across them.
pub(crate) struct Granting<'a> {
    app: &'a App,
    /// Of the policies, when those that select identities were found; their slots mean nothing later.
    revision: Cell<u64>,
    /// The slots of the policies that select an identity.
    of_identity: Remembered<Number, Rc<RoaringBitmap>>,
    outlines: Remembered<Number, Option<Outline>>,
    policies: Remembered<Number, Option<Rc<GrantingPolicy>>>,
    checks: Remembered<Number, Option<Arc<PostureCheck>>>,
}

/// What the read model knows of a policy.
#[derive(Debug, Clone)]
pub(crate) struct Outline {
    /// Number of its record.
    pub(crate) number: Number,
    /// What it grants.
    pub(crate) grant: ServiceGrant,
    /// The numbers of its posture checks.
    checks: Rc<[Number]>,
}

impl Outline {
    /// Whether something has to be passed for it.
    pub(crate) fn has_checks(&self) -> bool {
        !self.checks.is_empty()
    }
}

impl<'a> Granting<'a> {
    pub(crate) fn new(app: &'a App) -> Self {
        Self {
            app,
            revision: Cell::default(),
            of_identity: Remembered::default(),
            outlines: Remembered::default(),
            policies: Remembered::default(),
            checks: Remembered::default(),
        }
    }

    /// The policies that let an identity use a service, if it passes their checks.
    pub(crate) fn between(
        &self,
        identity: Number,
        service: Number,
    ) -> Result<Vec<Outline>, AppError> {
        let guard = self.app.require_lists()?.access();
        let Some(service) = guard.services().slot(service) else {
            return Ok(Vec::new());
        };
        let of_identity = self.of_identity(&guard, identity);
        let common = guard.access().giving(&of_identity, service, guard.kinds());
        Ok(self.outlines(&guard, &common))
    }

    /// All policies that select an identity.
    pub(crate) fn of(&self, identity: Number) -> Result<Vec<Outline>, AppError> {
        let guard = self.app.require_lists()?.access();
        let of_identity = self.of_identity(&guard, identity);
        Ok(self.outlines(&guard, &of_identity))
    }

    fn of_identity(&self, guard: &AccessGuard<'_>, identity: Number) -> Rc<RoaringBitmap> {
        let access = guard.access();
        if self.revision.replace(access.revision()) != access.revision() {
            self.of_identity.clear();
        }
        self.of_identity.get(identity, || {
            let slot = guard.identities().slot(identity);
            let (kind, side) = (PolicyKind::Service, Side::Identities);
            let policies = slot.map(|slot| access.selecting(kind, side, slot, guard.kinds()));
            Rc::new(policies.unwrap_or_default())
        })
    }

    /// What is known of policies, the oldest first.
    fn outlines(&self, guard: &AccessGuard<'_>, policies: &RoaringBitmap) -> Vec<Outline> {
        let catalog = guard.service_policies();
        let numbers = policies.iter().map(Slot::from_bit);
        let mut numbers: Vec<_> = numbers.filter_map(|slot| catalog.number(slot)).collect();
        numbers.sort_unstable();
        let outline = |number| self.outlines.get(number, || outline(guard, number));
        numbers.into_iter().filter_map(outline).collect()
    }

    /// What a policy says, with its checks; `None` if it is gone, or one of its checks is: what
    /// cannot be read is not passed.
    pub(crate) fn read(
        &self,
        rows: Rows<'_>,
        outline: &Outline,
    ) -> Result<Option<Rc<GrantingPolicy>>, StoreError> {
        self.policies.try_get(outline.number, || {
            let key = RecordKey::root(SERVICE_POLICY, outline.number.0);
            let Some(policy) = rows.get::<ServicePolicy>(&key)? else {
                return Ok(None);
            };
            let mut checks = Vec::new();
            for check in &*outline.checks {
                match self.check(rows, *check)? {
                    Some(check) => checks.push(check),
                    None => return Ok(None),
                }
            }
            // As clients are shown them, whatever order the index has.
            checks.sort_by(|left, right| left.spec.name.cmp(&right.spec.name));
            Ok(Some(Rc::new(GrantingPolicy {
                id: policy.id,
                name: policy.spec.name,
                grant: outline.grant,
                checks,
            })))
        })
    }

    fn check(
        &self,
        rows: Rows<'_>,
        number: Number,
    ) -> Result<Option<Arc<PostureCheck>>, StoreError> {
        self.checks.try_get(number, || {
            let check = rows.get(&RecordKey::root(POSTURE_CHECK, number.0))?;
            Ok(check.map(Arc::new))
        })
    }
}

/// What policies grant.
pub(crate) fn grants(policies: &[Outline]) -> ServiceGrants {
    policies.iter().map(|policy| policy.grant).collect()
}

/// What is known of a policy; `None` if it was removed after it was found.
fn outline(guard: &AccessGuard<'_>, number: Number) -> Option<Outline> {
    let slot = guard.service_policies().slot(number)?;
    let access = guard.access();
    let only = RoaringBitmap::from([slot.bit()]);
    let is_binding = !access.of_grant(ServiceGrant::Bind, only).is_empty();
    let checks = access.selected(
        PolicyKind::Service,
        slot,
        Side::PostureChecks,
        guard.kinds(),
    );
    let checks = checks.iter().map(Slot::from_bit);
    Some(Outline {
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
