//! Policy advisor: whether an identity can use a service, and what is missing.

use crate::app::App;
use crate::error::AppError;
use crate::managed::Read;
use crate::records::get_identity;
use crate::services::{get_edge_service, grants};
use portcullis_domain::access::Permit;
use portcullis_domain::ids::{IdentityId, RecordNumber, ServiceId};
use portcullis_domain::router::Router;
use portcullis_domain::service::ServiceSpec;
use portcullis_domain::view::{CommonRouter, IdentityRef, NamedRef, PolicyAdviceView, RouterRef};
use portcullis_index::Slot;
use portcullis_storage::tables::{Rows, router_key};

/// Evaluates the policies for an identity and a service.
pub fn read(
    app: &App,
    _permit: &Permit<Read<ServiceSpec>>,
    identity: &IdentityId,
    service: &ServiceId,
) -> Result<PolicyAdviceView, AppError> {
    let view = app.snapshot()?;
    let identity = get_identity(view.rows(), identity)?;
    let service = get_edge_service(view.rows(), service)?;
    let routers = AvailableRouters::find(app, identity.number(), service.number())?;
    Ok(PolicyAdviceView {
        grants: grants(app, identity.number(), service.number())?,
        identity: IdentityRef::from(&identity.entity),
        service: NamedRef::from(&service.entity),
        identity_router_count: routers.identity_count,
        service_router_count: routers.service_count,
        common_routers: load_common_routers(app, view.rows(), &routers.common)?,
    })
}

/// Edge routers available to an identity and a service.
#[derive(Default)]
struct AvailableRouters {
    identity_count: u32,
    service_count: u32,
    common: Vec<RecordNumber>,
}

impl AvailableRouters {
    fn find(app: &App, identity: RecordNumber, service: RecordNumber) -> Result<Self, AppError> {
        let guard = app.require_lists()?.access();
        let Some((identity, service)) = guard.pair(identity, service) else {
            return Ok(Self::default());
        };
        let (access, kinds) = (guard.access(), guard.kinds());
        let of_identity = access.routers_of_identity(identity, kinds);
        let of_service = access.routers_of_service(service, kinds);
        let count = |length: u64| u32::try_from(length).unwrap_or(u32::MAX);
        let common = &of_identity & &of_service;
        let number = |bit| guard.routers().number(Slot::from_bit(bit));
        Ok(Self {
            identity_count: count(of_identity.len()),
            service_count: count(of_service.len()),
            common: common.iter().filter_map(number).collect(),
        })
    }
}

fn load_common_routers(
    app: &App,
    rows: Rows<'_>,
    numbers: &[RecordNumber],
) -> Result<Vec<CommonRouter>, AppError> {
    let mut routers = Vec::new();
    for number in numbers {
        let router: Option<Router> = rows.get(&router_key(*number))?;
        routers.extend(router.map(|router| CommonRouter {
            router: RouterRef::from(&router),
            is_online: app.live_network().is_online(&router.id),
        }));
    }
    Ok(routers)
}
