//! Terminators on the fabric API.

use crate::error::ApiError;
use crate::list::{self, ListPayload};
use crate::route::{Call, ResponseSpec, Route, guarded_on};
use crate::routes::managed::{self, Replacement, ResourceBodies};
use http::Method;
use portcullis_api::fabric::terminator::{
    FabricTerminatorCreate, FabricTerminatorPatch, TerminatorDetail,
};
use portcullis_app::App;
use portcullis_app::hosting;
use portcullis_app::listing::kinds;
use portcullis_app::managed::Read;
use portcullis_app::related::{self, ReferenceFinder};
use portcullis_domain::access::{ApiSurface, Permit};
use portcullis_domain::terminator::{TerminatorSpec, TerminatorSpecPatch};

pub(super) fn routes() -> Vec<Route> {
    managed::routes::<FabricTerminator>()
}

/// A list of the terminators that refer to the entity in the path.
pub(super) fn list_route(path: &'static str, reference: ReferenceFinder) -> Route {
    let list = move |call: Call<Permit<Read<TerminatorSpec>>, ListPayload>| async move {
        list::respond(call, &kinds::TERMINATORS, move |call, request, emit| {
            let app = &call.context.state.app;
            let scope = (reference, call.context.id());
            related::list_by_reference(app, &call.permit, request, scope, &mut |view| {
                emit(TerminatorDetail::from(view))
            })
        })
        .await
    };
    guarded_on(ApiSurface::Fabric, Method::GET, path, list)
        .responds(ResponseSpec::list::<TerminatorDetail>())
}

enum FabricTerminator {}

impl ResourceBodies for FabricTerminator {
    const SURFACE: ApiSurface = ApiSurface::Fabric;
    const RENAMED: &'static [(&'static str, &'static str)] =
        &[("identitySecret", "instanceSecret")];
    type Spec = TerminatorSpec;
    type CreateBody = FabricTerminatorCreate;
    type UpdateBody = FabricTerminatorCreate;
    type PatchBody = FabricTerminatorPatch;
    type Detail = TerminatorDetail;

    fn from_create(
        app: &App,
        mut body: FabricTerminatorCreate,
    ) -> Result<TerminatorSpec, ApiError> {
        let secret = body.instance_secret.take();
        Ok(hosting::with_secret(app, body.into(), secret))
    }

    fn from_update(body: FabricTerminatorCreate) -> Result<Replacement<TerminatorSpec>, ApiError> {
        Ok(Replacement::Full(body.into()))
    }

    fn to_patch(part: FabricTerminatorPatch) -> Result<TerminatorSpecPatch, ApiError> {
        Ok(part.into())
    }
}
