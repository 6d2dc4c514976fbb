//! Names of what links and circuits refer to.

use crate::app::App;
use crate::error::AppError;
use portcullis_domain::ids::{RouterId, ServiceId};
use portcullis_domain::router::Router;
use portcullis_domain::service::Service;
use portcullis_domain::view::{NamedRef, NamesById};
use portcullis_storage::engine::StoreError;
use portcullis_storage::tables::{Entity, IndexedId, Rows, reference};
use std::collections::BTreeMap;

/// Name of an entity that was deleted, as OpenZiti has it.
const DELETED: &str = "<deleted>";

/// The names of routers, also of those that are not connected; `<deleted>` for those without a record. Blocks.
///
/// # Errors
///
/// [`AppError`] if the storage cannot be read.
pub fn router_names(
    app: &App,
    routers: impl IntoIterator<Item = RouterId>,
) -> Result<BTreeMap<RouterId, String>, AppError> {
    let view = app.snapshot()?;
    let mut names = Names::new(view.rows());
    routers
        .into_iter()
        .map(|id| Ok((id.clone(), names.router(&id)?.name)))
        .collect()
}

/// Names of routers and services, each of which is read once.
pub(super) struct Names<'r> {
    rows: Rows<'r>,
    routers: NamesById<RouterId>,
    services: NamesById<ServiceId>,
}

impl<'r> Names<'r> {
    pub(super) fn new(rows: Rows<'r>) -> Self {
        Self {
            rows,
            routers: NamesById::new(),
            services: NamesById::new(),
        }
    }

    pub(super) fn router(&mut self, id: &RouterId) -> Result<NamedRef<RouterId>, StoreError> {
        named(self.rows, &mut self.routers, id, |router: Router| {
            router.spec.name
        })
    }

    pub(super) fn service(&mut self, id: &ServiceId) -> Result<NamedRef<ServiceId>, StoreError> {
        named(self.rows, &mut self.services, id, |service: Service| {
            service.spec.name
        })
    }
}

fn named<E: Entity, I: IndexedId>(
    rows: Rows<'_>,
    known: &mut NamesById<I>,
    id: &I,
    name: impl Fn(E) -> String,
) -> Result<NamedRef<I>, StoreError> {
    if !known.contains_key(id) {
        let found = rows.find::<E>(&reference(id))?;
        let name = found.map_or_else(|| DELETED.to_owned(), |found| name(found.entity));
        known.insert(id.clone(), name);
    }
    Ok(NamedRef {
        id: id.clone(),
        name: known.get(id).cloned().unwrap_or_default(),
    })
}
