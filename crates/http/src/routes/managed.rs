//! Routes that all managed resources have, on both API surfaces.

use crate::error::ApiError;
use crate::list::{self, ListPayload};
use crate::path::Api;
use crate::response::ApiResponse;
use crate::route::{Call, Json, NoBody, RequestContext, ResponseSpec, Route, guarded};
use http::Method;
use portcullis_api::decode::Decode;
use portcullis_api::describe::JsonSchema;
use portcullis_app::listing::Schema;
use portcullis_app::managed::{
    self, ActionFor, Create, Delete, FabricAction, Read, Resource, Update,
};
use portcullis_domain::access::{Action, Permit};
use portcullis_domain::ids::EntityId as _;
use serde::Serialize;

/// An API surface with managed resources: edge or fabric.
pub(super) trait ApiSurface: 'static {
    const API: Api;

    /// The action to be permitted on this surface for `A`.
    type ActionFor<A: Action + 'static>: ActionFor<A>;
}

/// The edge management API.
pub(super) enum EdgeSurface {}

impl ApiSurface for EdgeSurface {
    const API: Api = Api::Management;
    type ActionFor<A: Action + 'static> = A;
}

/// The fabric API.
pub(super) enum FabricSurface {}

impl ApiSurface for FabricSurface {
    const API: Api = Api::Fabric;
    type ActionFor<A: Action + 'static> = FabricAction<A>;
}

/// A managed resource, with its paths on every API.
pub(super) trait ApiResource: Resource {
    /// The collection: its path without the leading slash.
    const COLLECTION: &'static str;

    /// Path of the collection.
    const COLLECTION_PATH: &'static str;

    /// Path of a single entity.
    const ENTITY_PATH: &'static str;

    /// The schema of its lists.
    const LIST_SCHEMA: &'static Schema;
}

/// Request and response bodies of a resource on a surface.
pub(super) trait ResourceBodies<F: ApiSurface = EdgeSurface>: ApiResource {
    /// The body of POST.
    type CreateBody: Decode + Send + 'static;

    /// The body of PUT.
    type UpdateBody: Decode + Send + 'static;

    /// The body of PATCH.
    type PatchBody: Decode + Send + 'static;

    /// The body of GET.
    type Detail: Serialize + JsonSchema + From<Self::View>;

    /// Converts the body of POST.
    fn from_create(body: Self::CreateBody) -> Result<Self, ApiError>;

    /// Converts the body of PUT.
    fn from_update(body: Self::UpdateBody) -> Result<Replacement<Self>, ApiError>;

    /// Converts the body of PATCH.
    fn to_patch(body: Self::PatchBody) -> Result<Self::Patch, ApiError>;
}

/// The effect of PUT: it replaces everything, or the members that the surface has.
pub(super) enum Replacement<S: Resource> {
    Full(S),
    Partial(S::Patch),
}

/// Permit for an action on a surface.
type SurfacePermit<F, A> = Permit<<F as ApiSurface>::ActionFor<A>>;

/// All six routes of a resource.
pub(super) fn routes<S: ResourceBodies<F>, F: ApiSurface>() -> Vec<Route> {
    let mut routes = write_routes::<S, F>();
    routes.extend([
        guarded::<F::ActionFor<Read<S>>, ListPayload, _, _>(
            Method::GET,
            S::COLLECTION_PATH,
            list::<S, F>,
        )
        .responds(ResponseSpec::list::<S::Detail>())
        .only(F::API.only()),
        guarded::<F::ActionFor<Read<S>>, NoBody, _, _>(Method::GET, S::ENTITY_PATH, detail::<S, F>)
            .responds(ResponseSpec::detail::<S::Detail>())
            .only(F::API.only()),
    ]);
    routes
}

/// The four routes that change something.
pub(super) fn write_routes<S: ResourceBodies<F>, F: ApiSurface>() -> Vec<Route> {
    vec![
        guarded::<F::ActionFor<Create<S>>, Json<S::CreateBody>, _, _>(
            Method::POST,
            S::COLLECTION_PATH,
            create::<S, F>,
        ),
        guarded::<F::ActionFor<Update<S>>, Json<S::UpdateBody>, _, _>(
            Method::PUT,
            S::ENTITY_PATH,
            replace::<S, F>,
        ),
        guarded::<F::ActionFor<Update<S>>, Json<S::PatchBody>, _, _>(
            Method::PATCH,
            S::ENTITY_PATH,
            patch::<S, F>,
        ),
        guarded::<F::ActionFor<Delete<S>>, NoBody, _, _>(
            Method::DELETE,
            S::ENTITY_PATH,
            delete::<S, F>,
        ),
    ]
    .into_iter()
    .map(|route| route.only(F::API.only()))
    .collect()
}

pub(super) async fn list<S: ResourceBodies<F>, F: ApiSurface>(
    call: Call<SurfacePermit<F, Read<S>>, ListPayload>,
) -> Result<ApiResponse, ApiError> {
    list::respond(call, S::LIST_SCHEMA, |call, request, emit| {
        let app = &call.context.state.app;
        managed::list::<S>(app, &call.permit, request, &mut |view| {
            emit(S::Detail::from(view))
        })
    })
    .await
}

pub(super) async fn create<S: ResourceBodies<F>, F: ApiSurface>(
    call: Call<SurfacePermit<F, Create<S>>, Json<S::CreateBody>>,
) -> Result<ApiResponse, ApiError> {
    let Json(body) = call.body;
    let app = &call.context.state.app;
    let id = managed::create::<S>(app, &call.permit, S::from_create(body)?).await?;
    Ok(ApiResponse::created(S::COLLECTION, id.as_str()))
}

pub(super) async fn detail<S: ResourceBodies<F>, F: ApiSurface>(
    call: Call<SurfacePermit<F, Read<S>>, NoBody>,
) -> Result<ApiResponse, ApiError> {
    let (app, id) = (&call.context.state.app, id::<S>(&call.context));
    let view = managed::read::<S>(app, &call.permit, &id)?;
    Ok(ApiResponse::detail(&S::Detail::from(view)))
}

pub(super) async fn replace<S: ResourceBodies<F>, F: ApiSurface>(
    call: Call<SurfacePermit<F, Update<S>>, Json<S::UpdateBody>>,
) -> Result<ApiResponse, ApiError> {
    let Json(body) = call.body;
    let (app, id) = (&call.context.state.app, id::<S>(&call.context));
    match S::from_update(body)? {
        Replacement::Full(spec) => managed::replace::<S>(app, &call.permit, &id, spec).await?,
        Replacement::Partial(patch) => managed::patch::<S>(app, &call.permit, &id, patch).await?,
    }
    Ok(ApiResponse::empty())
}

pub(super) async fn patch<S: ResourceBodies<F>, F: ApiSurface>(
    call: Call<SurfacePermit<F, Update<S>>, Json<S::PatchBody>>,
) -> Result<ApiResponse, ApiError> {
    let Json(body) = call.body;
    let (app, id) = (&call.context.state.app, id::<S>(&call.context));
    managed::patch::<S>(app, &call.permit, &id, S::to_patch(body)?).await?;
    Ok(ApiResponse::empty())
}

pub(super) async fn delete<S: ResourceBodies<F>, F: ApiSurface>(
    call: Call<SurfacePermit<F, Delete<S>>, NoBody>,
) -> Result<ApiResponse, ApiError> {
    let (app, id) = (&call.context.state.app, id::<S>(&call.context));
    managed::delete::<S>(app, &call.permit, &id).await?;
    Ok(ApiResponse::empty())
}

pub(super) fn id<S: Resource>(context: &RequestContext) -> S::Id {
    S::Id::from_wire(context.id().to_owned())
}
