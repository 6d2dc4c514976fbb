//! Routes that all managed resources have, on both API surfaces.

use crate::error::ApiError;
use crate::list::{self, ListPayload};
use crate::path::Api;
use crate::response::ApiResponse;
use crate::route::{Call, Json, NoBody, ResponseSpec, Route, guarded_on};
use http::Method;
use portcullis_api::decode::Decode;
use portcullis_api::describe::JsonSchema;
use portcullis_app::managed::{self, Create, Delete, Read, Resource, Update, Writable};
use portcullis_app::{App, AppError};
use portcullis_domain::access::{ApiSurface, Permit};
use portcullis_domain::ids::EntityId as _;
use portcullis_domain::managed::Spec;
use serde::Serialize;

/// The paths of a managed kind on every API; implemented by the rows of the kinds.
pub(super) trait ResourcePaths {
    const COLLECTION: &'static str;

    const COLLECTION_PATH: &'static str;

    /// Path of a single entity.
    const ENTITY_PATH: &'static str;
}

macro_rules! resource_paths {
    (() $collection:literal) => {};
    (($($spec:tt)+) $collection:literal) => {
        impl ResourcePaths for portcullis_domain::$($spec)+ {
            const COLLECTION: &'static str = $collection;
            const COLLECTION_PATH: &'static str = concat!("/", $collection);
            const ENTITY_PATH: &'static str = concat!("/", $collection, "/{id}");
        }
    };
}

macro_rules! paths {
    ($({
        #[doc = $doc:literal]
        kind: $kind:ident = $byte:literal,
        entity: $entity:ident $path:tt,
        id: $id:ident $shape:tt,
        spec: $spec:tt,
        collection: $collection:literal,
        $($rest:tt)*
    })+) => {
        $(resource_paths!($spec $collection);)+
    };
}

portcullis_domain::for_each_kind!(paths);

/// Request and response bodies of a resource; implemented by its spec for the edge.
pub(super) trait ResourceBodies: 'static {
    const SURFACE: ApiSurface = ApiSurface::Edge;

    /// Members that are called otherwise here than in refusals by the application, with their name here.
    const RENAMED: &'static [(&'static str, &'static str)] = &[];

    type Spec: Writable + ResourcePaths;

    /// The body of POST.
    type CreateBody: Decode + Send + 'static;

    /// The body of PUT.
    type UpdateBody: Decode + Send + 'static;

    /// The body of PATCH.
    type PatchBody: Decode + Send + 'static;

    /// The body of GET.
    type Detail: Serialize + JsonSchema + From<<Self::Spec as Resource>::View>;

    /// Converts the body of POST, whose secrets are hashed by `app`.
    fn from_create(app: &App, body: Self::CreateBody) -> Result<Self::Spec, ApiError>;

    /// Converts the body of PUT.
    fn from_update(body: Self::UpdateBody) -> Result<Replacement<Self::Spec>, ApiError>;

    /// Converts the body of PATCH.
    fn to_patch(body: Self::PatchBody) -> Result<<Self::Spec as Spec>::Patch, ApiError>;
}

/// The effect of PUT: it replaces everything, or the members that the surface has.
pub(super) enum Replacement<S: Writable> {
    Full(S),
    Partial(S::Patch),
}

/// All six routes of a resource.
pub(super) fn routes<B: ResourceBodies>() -> Vec<Route> {
    let mut routes = write_routes::<B>();
    routes.extend(read_routes::<B::Spec, B::Detail>(B::SURFACE));
    routes
}

/// The two routes that show entities, as `D`.
pub(super) fn read_routes<S, D>(surface: ApiSurface) -> [Route; 2]
where
    S: Resource + ResourcePaths,
    D: Serialize + JsonSchema + From<S::View> + 'static,
{
    [
        guarded_on(surface, Method::GET, S::COLLECTION_PATH, list::<S, D>)
            .responds(ResponseSpec::list::<D>())
            .only(api(surface).only()),
        guarded_on(surface, Method::GET, S::ENTITY_PATH, detail::<S, D>)
            .responds(ResponseSpec::detail::<D>())
            .only(api(surface).only()),
    ]
}

/// The four routes that change something.
pub(super) fn write_routes<B: ResourceBodies>() -> Vec<Route> {
    let all = <B::Spec as ResourcePaths>::COLLECTION_PATH;
    let one = <B::Spec as ResourcePaths>::ENTITY_PATH;
    vec![
        guarded_on(B::SURFACE, Method::POST, all, create::<B>),
        guarded_on(B::SURFACE, Method::PUT, one, replace::<B>),
        guarded_on(B::SURFACE, Method::PATCH, one, patch::<B>),
        guarded_on(B::SURFACE, Method::DELETE, one, delete::<B::Spec>),
    ]
    .into_iter()
    .map(|route| route.only(api(B::SURFACE).only()))
    .collect()
}

/// The API of a surface with managed resources.
pub(super) const fn api(surface: ApiSurface) -> Api {
    match surface {
        ApiSurface::Edge => Api::Management,
        ApiSurface::Fabric => Api::Fabric,
    }
}

pub(super) async fn list<S: Resource, D: Serialize + From<S::View>>(
    call: Call<Permit<Read<S>>, ListPayload>,
) -> Result<ApiResponse, ApiError> {
    list::respond(call, S::LIST_SCHEMA, |call, request, emit| {
        let app = &call.context.state.app;
        managed::list(app, &call.permit, request, &mut |view| emit(D::from(view)))
    })
    .await
}

pub(super) async fn create<B: ResourceBodies>(
    call: Call<Permit<Create<B::Spec>>, Json<B::CreateBody>>,
) -> Result<ApiResponse, ApiError> {
    let Json(body) = call.body;
    let app = &call.context.state.app;
    let spec = B::from_create(app, body)?;
    let created = managed::create(app, &call.permit, spec).await;
    let id = created.map_err(refused::<B>)?;
    Ok(ApiResponse::created(
        <B::Spec as ResourcePaths>::COLLECTION,
        id.as_str(),
    ))
}

pub(super) async fn detail<S: Resource, D: Serialize + From<S::View>>(
    call: Call<Permit<Read<S>>, NoBody>,
) -> Result<ApiResponse, ApiError> {
    let (app, id) = (&call.context.state.app, call.context.entity_id());
    let view = managed::read(app, &call.permit, &id)?;
    Ok(ApiResponse::detail(&D::from(view)))
}

pub(super) async fn replace<B: ResourceBodies>(
    call: Call<Permit<Update<B::Spec>>, Json<B::UpdateBody>>,
) -> Result<ApiResponse, ApiError> {
    let Json(body) = call.body;
    let (app, id) = (&call.context.state.app, call.context.entity_id());
    match B::from_update(body)? {
        Replacement::Full(spec) => managed::replace(app, &call.permit, &id, spec).await,
        Replacement::Partial(patch) => managed::patch(app, &call.permit, &id, patch).await,
    }
    .map_err(refused::<B>)?;
    Ok(ApiResponse::empty())
}

pub(super) async fn patch<B: ResourceBodies>(
    call: Call<Permit<Update<B::Spec>>, Json<B::PatchBody>>,
) -> Result<ApiResponse, ApiError> {
    let Json(body) = call.body;
    let (app, id) = (&call.context.state.app, call.context.entity_id());
    let patched = managed::patch(app, &call.permit, &id, B::to_patch(body)?).await;
    patched.map_err(refused::<B>)?;
    Ok(ApiResponse::empty())
}

/// A refusal that names members as the surface does.
fn refused<B: ResourceBodies>(mut error: AppError) -> ApiError {
    if let AppError::Field(error) = &mut error {
        let mut renamed = B::RENAMED.iter();
        if let Some((_, name)) = renamed.find(|(other, _)| *other == error.field) {
            (*name).clone_into(&mut error.field);
        }
    }
    error.into()
}

pub(super) async fn delete<S: Resource>(
    call: Call<Permit<Delete<S>>, NoBody>,
) -> Result<ApiResponse, ApiError> {
    let (app, id) = (&call.context.state.app, call.context.entity_id());
    managed::delete(app, &call.permit, &id).await?;
    Ok(ApiResponse::empty())
}
