//! Services on the fabric. One that is made here is unknown to the edge.

use super::terminators;
use crate::error::ApiError;
use crate::route::Route;
use crate::routes::managed::{self, Fabric, Replaced, Shaped};
use crate::routes::services::unknown_strategy;
use portcullis_api::fabric::service::{ServiceBody, ServiceDetail, ServicePart};
use portcullis_app::related;
use portcullis_domain::service::{ServicePatch, ServiceSpec};

pub(super) fn routes() -> Vec<Route> {
    let mut routes = managed::routes::<ServiceSpec, Fabric>();
    routes.push(terminators::of(
        "/services/{id}/terminators",
        related::terminators_of_service,
    ));
    routes
}

impl Shaped<Fabric> for ServiceSpec {
    type Creation = ServiceBody;
    type Replacement = ServiceBody;
    type Merge = ServicePart;
    type Detail = ServiceDetail;

    fn created(body: ServiceBody) -> Result<Self, ApiError> {
        body.spec().map_err(unknown_strategy)
    }

    fn replaced(body: ServiceBody) -> Result<Replaced<Self>, ApiError> {
        body.patch()
            .map(Replaced::Members)
            .map_err(unknown_strategy)
    }

    fn merged(part: ServicePart) -> Result<ServicePatch, ApiError> {
        part.patch().map_err(unknown_strategy)
    }
}
