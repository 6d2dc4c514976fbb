//! Rights of routers themselves: of their tunnelers, and of listeners whose clients show nothing.
//!
//! Such a router is judged as the identity that has its id, which it has while its tunneler is enabled:
//! policies say which services it may dial, as for anybody. Nobody's posture is known then, so policies
//! grant to routers whatever their posture checks are.
//!
//! A service that only the fabric API knows is different. No policy selects it and no client of a
//! router can name it; administrators create it for listeners of routers, so any router may dial and
//! host it.

use super::edge_routers::{check_connected, check_router};
use super::{GrantedService, Refusal, Right};
use crate::app::App;
use crate::posture::GrantResolver;
use crate::routers::ConnectedRouter;
use portcullis_domain::identity::{Identity, IdentityType};
use portcullis_domain::ids::{IdentityId, RouterId, ServiceId};
use portcullis_domain::policies::ServiceGrant;
use portcullis_domain::service::Service;
use portcullis_storage::engine::StoreError;
use portcullis_storage::tables::{Found, Rows, UniqueIndex, UniqueValue, reference};
use std::sync::Arc;

/// How a router names a service.
#[derive(Debug, Clone, Copy)]
pub enum NamedService<'n> {
    /// By its id, as tunnelers that host.
    Id(&'n ServiceId),
    /// By its name, as tunnelers that dial.
    Name(&'n str),
    /// By its id or else its name, as in the configuration of listeners.
    IdOrName(&'n str),
}

/// Judges whether a router may dial a service for itself.
pub fn judge_dial_by_router(
    app: &App,
    service: NamedService<'_>,
    router: &ConnectedRouter,
) -> Result<Right, Refusal> {
    judge(app, service, ServiceGrant::Dial, router)
}

/// Judges whether a router may host a service itself.
pub fn judge_bind_by_router(
    app: &App,
    service: NamedService<'_>,
    router: &ConnectedRouter,
) -> Result<Right, Refusal> {
    judge(app, service, ServiceGrant::Bind, router)
}

fn judge(
    app: &App,
    service: NamedService<'_>,
    grant: ServiceGrant,
    router: &ConnectedRouter,
) -> Result<Right, Refusal> {
    let view = app.snapshot()?;
    let rows = view.rows();
    check_connected(rows, router)?;
    let service = service.find(rows)?.ok_or(Refusal::InvalidService)?;
    let right = Right {
        identity: IdentityId::from_wire(router.id().as_str()),
        service: GrantedService::from(&service),
        grant,
        session: None,
        judge_again_at: None,
    };
    if service.entity.spec.is_fabric_only {
        return Ok(right);
    }
    let identity = find_identity(rows, router.id())?.ok_or(Refusal::TunnelerNotEnabled)?;
    if identity.entity.is_disabled(app.env().now()) {
        return Err(Refusal::AccessDenied);
    }
    let (identity, service) = (identity.number(), service.number());
    let policies = GrantResolver::new(app).policies_between(identity, service)?;
    if !policies.iter().any(|policy| policy.grant == right.grant) {
        return Err(Refusal::AccessDenied);
    }
    check_router(app, rows, router, (identity, service))?;
    Ok(right)
}

impl NamedService<'_> {
    fn find(self, rows: Rows<'_>) -> Result<Option<Found<Arc<Service>>>, StoreError> {
        let by_name = |name| rows.find_shared(&UniqueValue::new(UniqueIndex::ServiceName, name));
        match self {
            Self::Id(id) => rows.find_shared(&reference(id)),
            Self::Name(name) => by_name(name),
            Self::IdOrName(text) => {
                let by_id = rows.find_shared(&reference(&ServiceId::from_wire(text)))?;
                if by_id.is_some() {
                    Ok(by_id)
                } else {
                    by_name(text)
                }
            },
        }
    }
}

/// The identity of a router.
pub(crate) fn find_identity(
    rows: Rows<'_>,
    router: &RouterId,
) -> Result<Option<Found<Arc<Identity>>>, StoreError> {
    let id = IdentityId::from_wire(router.as_str());
    let found: Option<Found<Arc<Identity>>> = rows.find_shared(&reference(&id))?;
    Ok(found.filter(|identity| identity.entity.kind == IdentityType::Router))
}

#[cfg(test)]
mod tests;
