//! Services on the fabric. One that is made here is unknown to the edge.

use super::woven::{self, Change, Woven};
use crate::error::ApiError;
use crate::route::Route;
use crate::routes::services::unknown_strategy;
use portcullis_api::fabric::service::{ServiceBody, ServiceDetail, ServicePart};
use portcullis_app::related;
use portcullis_domain::service::{ServicePatch, ServiceSpec};

pub(super) fn routes() -> Vec<Route> {
    let mut routes = woven::routes::<ServiceSpec>();
    routes.push(woven::terminators(
        "/services/{id}/terminators",
        related::terminators_of_service,
    ));
    routes
}

impl Woven for ServiceSpec {
    type Body = ServiceBody;
    type Part = ServicePart;
    type Shape = ServiceDetail;

    fn made(body: ServiceBody) -> Result<Self, ApiError> {
        body.spec().map_err(unknown_strategy)
    }

    fn remade(body: ServiceBody) -> Result<Change<Self>, ApiError> {
        body.patch().map(Change::Members).map_err(unknown_strategy)
    }

    fn mended(part: ServicePart) -> Result<ServicePatch, ApiError> {
        part.patch().map_err(unknown_strategy)
    }
}
