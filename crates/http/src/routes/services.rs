//! Services, for administrators and for their users.

use super::managed::{self, Replacement, ResourceBodies, ResourcePaths as _};
use crate::error::ApiError;
use crate::list::{self, ListPayload};
use crate::path::Api;
use crate::query::Query;
use crate::response::ApiResponse;
use crate::route::{
    Call, NoBody, Parameter, RequestContext, ResponseSpec, Route, ValueType, guarded,
};
use http::Method;
use portcullis_api::code::Code;
use portcullis_api::edge_router::ServiceEdgeRouters;
use portcullis_api::error::Cause;
use portcullis_api::service::{
    ServiceCreate, ServiceDetail, ServicePatch, ServiceUpdate, UnknownStrategyError,
};
use portcullis_api::terminator::TerminatorClientDetail;
use portcullis_app::App;
use portcullis_app::listing::kinds;
use portcullis_app::managed::Read;
use portcullis_app::services::{self, ReadOwnServices, ServiceListOptions};
use portcullis_app::{routers, terminators};
use portcullis_domain::access::Permit;
use portcullis_domain::service::{ServiceSpec, ServiceSpecPatch};

pub(super) fn routes() -> Vec<Route> {
    type S = ServiceSpec;
    const ONE: &str = S::ENTITY_PATH;
    let mut routes = managed::write_routes::<S>();
    routes.extend([
        guarded::<Read<S>, ListPayload, _, _>(Method::GET, S::COLLECTION_PATH, list)
            .responds(ResponseSpec::list::<ServiceDetail>())
            .with_parameters(&[CONFIG_TYPES, AS_IDENTITY])
            .only(&[Api::Management]),
        guarded::<Read<S>, NoBody, _, _>(Method::GET, ONE, detail)
            .responds(ResponseSpec::detail::<ServiceDetail>())
            .only(&[Api::Management]),
        guarded::<ReadOwnServices, ListPayload, _, _>(Method::GET, S::COLLECTION_PATH, list_own)
            .responds(ResponseSpec::list::<ServiceDetail>())
            .with_parameters(&[CONFIG_TYPES])
            .only(&[Api::Client]),
        guarded::<ReadOwnServices, NoBody, _, _>(Method::GET, ONE, detail_own)
            .responds(ResponseSpec::detail::<ServiceDetail>())
            .only(&[Api::Client]),
        guarded::<ReadOwnServices, ListPayload, _, _>(
            Method::GET,
            "/services/{id}/terminators",
            own_terminators,
        )
        .responds(ResponseSpec::list::<TerminatorClientDetail>())
        .only(&[Api::Client]),
        guarded::<ReadOwnServices, NoBody, _, _>(
            Method::GET,
            "/services/{id}/edge-routers",
            own_edge_routers,
        )
        .responds(ResponseSpec::detail::<ServiceEdgeRouters>())
        .only(&[Api::Client]),
    ]);
    routes
}

const CONFIG_TYPES: Parameter = Parameter::query(
    "configTypes",
    "Types of configurations, by id or name, that services include under `config`; `all` for every type. Separate several by commas, or repeat the parameter.",
)
.with_type(ValueType::List);

const AS_IDENTITY: Parameter = Parameter::query(
    "asIdentity",
    "An identity, by id or name: the list contains the services that this identity sees.",
);

async fn list(call: Call<Permit<Read<ServiceSpec>>, ListPayload>) -> Result<ApiResponse, ApiError> {
    list::respond(call, &kinds::SERVICES, |call, request, emit| {
        let RequestContext { state, query, .. } = &call.context;
        let options = ServiceListOptions {
            as_identity: query.get("asIdentity"),
            config_types: &config_types(query),
        };
        services::list(&state.app, &call.permit, request, &options, &mut |view| {
            emit(ServiceDetail::from(view))
        })
    })
    .await
}

async fn detail(call: Call<Permit<Read<ServiceSpec>>, NoBody>) -> Result<ApiResponse, ApiError> {
    let RequestContext { state, .. } = &call.context;
    let view = services::read(&state.app, &call.permit, &call.context.entity_id())?;
    Ok(ApiResponse::detail(&ServiceDetail::from(view)))
}

async fn list_own(
    call: Call<Permit<ReadOwnServices>, ListPayload>,
) -> Result<ApiResponse, ApiError> {
    list::respond(call, &kinds::SERVICES, |call, request, emit| {
        let RequestContext { state, query, .. } = &call.context;
        let types = config_types(query);
        services::list_usable(&state.app, &call.permit, request, &types, &mut |view| {
            emit(ServiceDetail::from(view))
        })
    })
    .await
}

async fn detail_own(call: Call<Permit<ReadOwnServices>, NoBody>) -> Result<ApiResponse, ApiError> {
    let RequestContext { state, .. } = &call.context;
    let view = services::read_usable(&state.app, &call.permit, &call.context.entity_id())?;
    Ok(ApiResponse::detail(&ServiceDetail::from(view)))
}

async fn own_terminators(
    call: Call<Permit<ReadOwnServices>, ListPayload>,
) -> Result<ApiResponse, ApiError> {
    list::respond(call, &kinds::TERMINATORS, |call, request, emit| {
        let app = &call.context.state.app;
        let id = call.context.entity_id();
        terminators::list_of_usable_service(app, &call.permit, &id, request, &mut |view| {
            emit(TerminatorClientDetail::from(view))
        })
    })
    .await
}

async fn own_edge_routers(
    call: Call<Permit<ReadOwnServices>, NoBody>,
) -> Result<ApiResponse, ApiError> {
    let RequestContext { state, .. } = &call.context;
    let routers =
        routers::list_usable_for_service(&state.app, &call.permit, &call.context.entity_id())?;
    let routers: ServiceEdgeRouters = routers.into_iter().collect();
    Ok(ApiResponse::detail(&routers))
}

/// Returns the configuration types in a query, separated by commas or in repeated parameters.
fn config_types(query: &Query) -> Vec<&str> {
    query
        .all("configTypes")
        .flat_map(|given| given.split(','))
        .map(str::trim)
        .filter(|named| !named.is_empty())
        .collect()
}

impl ResourceBodies for ServiceSpec {
    type Spec = Self;
    type CreateBody = ServiceCreate;
    type UpdateBody = ServiceUpdate;
    type PatchBody = ServicePatch;
    type Detail = ServiceDetail;

    fn from_create(_app: &App, body: ServiceCreate) -> Result<Self, ApiError> {
        body.spec().map_err(unknown_strategy_error)
    }

    fn from_update(body: ServiceUpdate) -> Result<Replacement<Self>, ApiError> {
        body.0
            .spec()
            .map(Replacement::Full)
            .map_err(unknown_strategy_error)
    }

    fn to_patch(body: ServicePatch) -> Result<ServiceSpecPatch, ApiError> {
        body.patch().map_err(unknown_strategy_error)
    }
}

#[expect(
    clippy::needless_pass_by_value,
    reason = "the error is consumed by the conversion"
)]
pub(super) fn unknown_strategy_error(error: UnknownStrategyError) -> ApiError {
    ApiError::new(Code::NotFound).with_cause(Cause::text(error.to_string()))
}
