//! Fabric API, one module per resource.

mod circuits;
mod cluster;
mod inspections;
mod links;
mod routers;
mod services;
mod terminators;

use crate::path::Api;
use crate::route::Route;

pub(super) fn routes() -> Vec<Route> {
    [
        circuits::routes(),
        cluster::routes(),
        inspections::routes(),
        links::routes(),
        routers::routes(),
        services::routes(),
        terminators::routes(),
    ]
    .into_iter()
    .flatten()
    .map(|route| route.only(&[Api::Fabric]))
    .collect()
}
