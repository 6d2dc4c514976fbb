//! Whether policies grant a right, by the read model.

use super::RightInUse;
use crate::memo::Memo;
use portcullis_domain::ids::RecordNumber;
use portcullis_domain::policies::ServiceGrant;
use portcullis_index::{AccessGuard, Slot};
use roaring::RoaringBitmap;
use std::rc::Rc;

/// What policies say about many rights at one moment; memoized.
pub(super) struct Permissions<'g> {
    guard: &'g AccessGuard<'g>,
    /// The identities that may use a service in a way, by the slot of the service.
    identities: Memo<(u32, ServiceGrant), Rc<RoaringBitmap>>,
    /// The identities and services that may use a router, by its slot.
    routers: Memo<u32, Rc<(RoaringBitmap, RoaringBitmap)>>,
}

/// A right that policies grant, posture aside.
#[derive(Debug, Clone, Copy)]
pub(super) enum Permission {
    /// By policies that may have posture checks; record numbers of identity and service.
    Granted {
        identity: RecordNumber,
        service: RecordNumber,
    },
    /// Routers may dial what only the fabric knows, without a policy.
    OfFabric,
}

impl<'g> Permissions<'g> {
    pub(super) fn new(guard: &'g AccessGuard<'g>) -> Self {
        Self {
            guard,
            identities: Memo::default(),
            routers: Memo::default(),
        }
    }

    /// The permission of a right; `None` if there is none any more.
    pub(super) fn find(&self, right: &RightInUse) -> Option<Permission> {
        let guard = self.guard;
        let router = guard.routers().slot_by_id(right.router.as_str())?;
        if guard.routers().columns().disabled().contains(router.bit()) {
            return None;
        }
        let service = guard.services().slot_by_id(right.service.as_str())?;
        let is_of_router =
            right.session.is_none() && right.identity.as_str() == right.router.as_str();
        let fabric_only = guard.services().columns().fabric_only();
        if is_of_router && fabric_only.contains(service.bit()) {
            return Some(Permission::OfFabric);
        }
        let identity = guard.identities().slot_by_id(right.identity.as_str())?;
        let granted = self.identities_of(service, right.grant);
        let of_router = self.users_of(router);
        let is_granted = granted.contains(identity.bit())
            && of_router.0.contains(identity.bit())
            && of_router.1.contains(service.bit());
        if !is_granted {
            return None;
        }
        Some(Permission::Granted {
            identity: guard.identities().number(identity)?,
            service: guard.services().number(service)?,
        })
    }

    fn identities_of(&self, service: Slot, grant: ServiceGrant) -> Rc<RoaringBitmap> {
        self.identities
            .get_or_insert_with((service.bit(), grant), || {
                let (access, kinds) = (self.guard.access(), self.guard.kinds());
                Rc::new(access.identities(Some(grant), service, kinds))
            })
    }

    fn users_of(&self, router: Slot) -> Rc<(RoaringBitmap, RoaringBitmap)> {
        self.routers.get_or_insert_with(router.bit(), || {
            let (access, kinds) = (self.guard.access(), self.guard.kinds());
            let identities = access.identities_of_router(router, kinds);
            Rc::new((identities, access.services_of_router(router, kinds)))
        })
    }
}
