//! Services: as administrators have them, and as those see them who use them.

use super::managed::{self, Edge, Replaced, Served, Shaped};
use crate::answer::Answer;
use crate::error::ApiError;
use crate::list::{self, Paged};
use crate::path::Api;
use crate::query::Query;
use crate::route::{Answers, Call, Context, Ignored, Parameter, Route, Values, guarded};
use http::Method;
use portcullis_api::code::Code;
use portcullis_api::edge_router::ServiceEdgeRouters;
use portcullis_api::error::Cause;
use portcullis_api::service::{
    ServiceCreate, ServiceDetail, ServiceMerge, ServiceReplace, UnknownStrategy,
};
use portcullis_api::terminator::TerminatorClientDetail;
use portcullis_app::listing::{Schema, kinds};
use portcullis_app::managed::Read;
use portcullis_app::services::{self, ReadOwnServices, ServicesAsked};
use portcullis_app::{routers, terminators};
use portcullis_domain::access::Permit;
use portcullis_domain::ids::ServiceId;
use portcullis_domain::service::{ServicePatch, ServiceSpec};

pub(super) fn routes() -> Vec<Route> {
    type S = ServiceSpec;
    const ONE: &str = S::ONE;
    let mut routes = managed::changes::<S, Edge>();
    routes.extend([
        guarded::<Read<S>, Paged, _, _>(Method::GET, S::ALL, list)
            .answers(Answers::list::<ServiceDetail>())
            .asks(&[CONFIG_TYPES, AS_IDENTITY])
            .only(&[Api::Management]),
        guarded::<Read<S>, Ignored, _, _>(Method::GET, ONE, detail)
            .answers(Answers::detail::<ServiceDetail>())
            .only(&[Api::Management]),
        guarded::<ReadOwnServices, Paged, _, _>(Method::GET, S::ALL, list_own)
            .answers(Answers::list::<ServiceDetail>())
            .asks(&[CONFIG_TYPES])
            .only(&[Api::Client]),
        guarded::<ReadOwnServices, Ignored, _, _>(Method::GET, ONE, detail_own)
            .answers(Answers::detail::<ServiceDetail>())
            .only(&[Api::Client]),
        guarded::<ReadOwnServices, Paged, _, _>(
            Method::GET,
            "/services/{id}/terminators",
            own_terminators,
        )
        .answers(Answers::list::<TerminatorClientDetail>())
        .only(&[Api::Client]),
        guarded::<ReadOwnServices, Ignored, _, _>(
            Method::GET,
            "/services/{id}/edge-routers",
            own_edge_routers,
        )
        .answers(Answers::detail::<ServiceEdgeRouters>())
        .only(&[Api::Client]),
    ]);
    routes
}

/// Which configurations services are shown with.
const CONFIG_TYPES: Parameter = Parameter::query(
    "configTypes",
    "Types of configurations, by id or name, that services are shown with under `config`; `all` for every type. Several stand in one parameter with commas between them, or in several parameters.",
)
.with(Values::Several);

/// Whose services the list has.
const AS_IDENTITY: Parameter = Parameter::query(
    "asIdentity",
    "An identity, by id or name: the list is the one that it would see.",
);

async fn list(call: Call<Permit<Read<ServiceSpec>>, Paged>) -> Result<Answer, ApiError> {
    list::answer(call, &kinds::SERVICES, |call, asked, show| {
        let Context { state, query, .. } = &call.context;
        let more = ServicesAsked {
            as_identity: query.get("asIdentity"),
            config_types: &config_types(query),
        };
        services::list(&state.app, &call.permit, asked, &more, &mut |view| {
            show(ServiceDetail::from(view))
        })
    })
    .await
}

async fn detail(call: Call<Permit<Read<ServiceSpec>>, Ignored>) -> Result<Answer, ApiError> {
    let Context { state, .. } = &call.context;
    let view = services::read(&state.app, &call.permit, &id(&call.context))?;
    Ok(Answer::detail(&ServiceDetail::from(view)))
}

async fn list_own(call: Call<Permit<ReadOwnServices>, Paged>) -> Result<Answer, ApiError> {
    list::answer(call, &kinds::SERVICES, |call, asked, show| {
        let Context { state, query, .. } = &call.context;
        let types = config_types(query);
        services::list_own(&state.app, &call.permit, asked, &types, &mut |view| {
            show(ServiceDetail::from(view))
        })
    })
    .await
}

async fn detail_own(call: Call<Permit<ReadOwnServices>, Ignored>) -> Result<Answer, ApiError> {
    let Context { state, .. } = &call.context;
    let view = services::read_own(&state.app, &call.permit, &id(&call.context))?;
    Ok(Answer::detail(&ServiceDetail::from(view)))
}

async fn own_terminators(call: Call<Permit<ReadOwnServices>, Paged>) -> Result<Answer, ApiError> {
    list::answer(call, &kinds::TERMINATORS, |call, asked, show| {
        let app = &call.context.state.app;
        let id = id(&call.context);
        terminators::list_own(app, &call.permit, &id, asked, &mut |view| {
            show(TerminatorClientDetail::from(view))
        })
    })
    .await
}

async fn own_edge_routers(
    call: Call<Permit<ReadOwnServices>, Ignored>,
) -> Result<Answer, ApiError> {
    let Context { state, .. } = &call.context;
    let routers = routers::read_of_service(&state.app, &call.permit, &id(&call.context))?;
    let routers: ServiceEdgeRouters = routers.into_iter().collect();
    Ok(Answer::detail(&routers))
}

/// The types of configurations that a query names: in one parameter with commas between them, or in
/// several.
fn config_types(query: &Query) -> Vec<&str> {
    query
        .all("configTypes")
        .flat_map(|given| given.split(','))
        .map(str::trim)
        .filter(|named| !named.is_empty())
        .collect()
}

fn id(context: &Context) -> ServiceId {
    ServiceId::from_wire(context.id())
}

impl Served for ServiceSpec {
    const COLLECTION: &'static str = "services";
    const ALL: &'static str = "/services";
    const ONE: &'static str = "/services/{id}";
    const SYMBOLS: &'static Schema = &kinds::SERVICES;
}

impl Shaped for ServiceSpec {
    type Creation = ServiceCreate;
    type Replacement = ServiceReplace;
    type Merge = ServiceMerge;
    type Detail = ServiceDetail;

    fn created(body: ServiceCreate) -> Result<Self, ApiError> {
        body.spec().map_err(unknown_strategy)
    }

    fn replaced(body: ServiceReplace) -> Result<Replaced<Self>, ApiError> {
        body.0.spec().map(Replaced::Whole).map_err(unknown_strategy)
    }

    fn merged(body: ServiceMerge) -> Result<ServicePatch, ApiError> {
        body.patch().map_err(unknown_strategy)
    }
}

#[expect(
    clippy::needless_pass_by_value,
    reason = "an error is given away when it becomes another one"
)]
pub(super) fn unknown_strategy(error: UnknownStrategy) -> ApiError {
    ApiError::new(Code::NotFound).because(Cause::text(error.to_string()))
}
