//! Edge routers that an identity may use for a service.

use crate::app::App;
use crate::error::AppError;
use portcullis_domain::ids::{RecordNumber, RouterId};
use portcullis_domain::router::Router;
use portcullis_domain::view::RouterView;
use portcullis_index::Slot;
use portcullis_storage::tables::{Rows, router_key};

/// Maximum number of routers in a session: clients need a few, and connect to all that they are
/// told of.
const MAX_ROUTERS: usize = 25;

/// The enabled routers that policies give to both an identity and a service: those that are
/// connected before others, each by name.
pub(super) fn list_common(
    app: &App,
    rows: Rows<'_>,
    identity: RecordNumber,
    service: RecordNumber,
) -> Result<Vec<RouterView>, AppError> {
    let mut found = Vec::new();
    for number in common_numbers(app, identity, service)? {
        let router: Option<Router> = rows.get(&router_key(number))?;
        let usable = router.filter(|router| !router.spec.disabled);
        found.extend(usable.map(|router| RouterView {
            connection: app.live_network().router(&router.id),
            router,
        }));
        if found.len() == MAX_ROUTERS {
            break;
        }
    }
    Ok(found)
}

fn common_numbers(
    app: &App,
    identity: RecordNumber,
    service: RecordNumber,
) -> Result<Vec<RecordNumber>, AppError> {
    let mut routers = common_by_name(app, identity, service)?;
    let network = app.live_network();
    routers.sort_by_cached_key(|(_, id)| !network.is_online(id));
    Ok(routers.into_iter().map(|(number, _)| number).collect())
}

fn common_by_name(
    app: &App,
    identity: RecordNumber,
    service: RecordNumber,
) -> Result<Vec<(RecordNumber, RouterId)>, AppError> {
    let guard = app.require_lists()?.access();
    let Some((identity, service)) = guard.pair(identity, service) else {
        return Ok(Vec::new());
    };
    let common = guard
        .access()
        .common_routers(identity, service, guard.kinds());
    let catalog = guard.routers();
    let mut routers: Vec<_> = common.iter().map(Slot::from_bit).collect();
    routers.sort_by_key(|slot| catalog.name(*slot));
    let id = |slot| {
        Some((
            catalog.number(slot)?,
            RouterId::from_wire(catalog.id(slot)?),
        ))
    };
    Ok(routers.into_iter().filter_map(id).collect())
}
