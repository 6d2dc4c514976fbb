//! Services on the fabric API. Services that it creates are invisible to the edge.

use super::terminators;
use crate::error::ApiError;
use crate::route::Route;
use crate::routes::managed::{self, Replacement, ResourceBodies};
use crate::routes::services::unknown_strategy_error;
use portcullis_api::fabric::service::{FabricServiceCreate, FabricServicePatch, ServiceDetail};
use portcullis_app::App;
use portcullis_app::related;
use portcullis_domain::access::ApiSurface;
use portcullis_domain::service::{ServiceSpec, ServiceSpecPatch};

pub(super) fn routes() -> Vec<Route> {
    let mut routes = managed::routes::<FabricService>();
    routes.push(terminators::list_route(
        "/services/{id}/terminators",
        related::terminators_of_service,
    ));
    routes
}

enum FabricService {}

impl ResourceBodies for FabricService {
    const SURFACE: ApiSurface = ApiSurface::Fabric;
    type Spec = ServiceSpec;
    type CreateBody = FabricServiceCreate;
    type UpdateBody = FabricServiceCreate;
    type PatchBody = FabricServicePatch;
    type Detail = ServiceDetail;

    fn from_create(_app: &App, body: FabricServiceCreate) -> Result<ServiceSpec, ApiError> {
        body.spec().map_err(unknown_strategy_error)
    }

    fn from_update(body: FabricServiceCreate) -> Result<Replacement<ServiceSpec>, ApiError> {
        body.patch()
            .map(Replacement::Partial)
            .map_err(unknown_strategy_error)
    }

    fn to_patch(part: FabricServicePatch) -> Result<ServiceSpecPatch, ApiError> {
        part.patch().map_err(unknown_strategy_error)
    }
}
