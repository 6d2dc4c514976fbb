//! The lists below an entity: what policies, configurations and references relate it to.

use super::managed::Shaped;
use crate::list::{self, Paged};
use crate::path::Api;
use crate::query::Query;
use crate::route::{Answers, Call, Context, Parameter, Route, Values, guarded};
use http::Method;
use portcullis_api::edge_router::EdgeRouterDetail;
use portcullis_api::identity::IdentityDetail;
use portcullis_app::listing::{Schema, kinds};
use portcullis_app::managed::Read;
use portcullis_app::related::{self, Reference, Related, Relation};
use portcullis_app::{AppError, identities};
use portcullis_domain::FieldError;
use portcullis_domain::access::Permit;
use portcullis_domain::config::ConfigSpec;
use portcullis_domain::policies::{
    EdgeRouterPolicySpec, ServiceEdgeRouterPolicySpec, ServiceGrant, ServicePolicySpec,
};
use portcullis_domain::posture_check::PostureCheckSpec;
use portcullis_domain::router::RouterSpec;
use portcullis_domain::service::ServiceSpec;
use portcullis_domain::terminator::TerminatorSpec;
use schemars::JsonSchema;
use serde::Serialize;

pub(super) fn routes() -> Vec<Route> {
    use Relation::{Granted, Plain};
    use related::{
        configs_of_service, configs_of_type, edge_router_policies_of_identity,
        edge_router_policies_of_router, identities_of_edge_router_policy, identities_of_router,
        identities_of_service, identities_of_service_policy, posture_checks_of_service_policy,
        routers_of_edge_router_policy, routers_of_identity, routers_of_service,
        routers_of_service_edge_router_policy, service_edge_router_policies_of_router,
        service_edge_router_policies_of_service, service_policies_of_identity,
        service_policies_of_service, services_of_config, services_of_identity, services_of_router,
        services_of_service_edge_router_policy, services_of_service_policy, terminators_of_service,
    };
    type Service = ServiceSpec;
    type ServicePolicy = ServicePolicySpec;
    type RouterPolicy = EdgeRouterPolicySpec;
    type ServiceRouterPolicy = ServiceEdgeRouterPolicySpec;
    vec![
        below::<Service>("/identities/{id}/services", Granted(services_of_identity)),
        referring::<Service>("/configs/{id}/services", services_of_config),
        below::<Service>("/edge-routers/{id}/services", Plain(services_of_router)),
        below::<Service>(
            "/service-policies/{id}/services",
            Plain(services_of_service_policy),
        ),
        below::<Service>(
            "/service-edge-router-policies/{id}/services",
            Plain(services_of_service_edge_router_policy),
        ),
        referring::<ConfigSpec>("/services/{id}/configs", configs_of_service),
        referring::<ConfigSpec>("/config-types/{id}/configs", configs_of_type),
        below::<ServicePolicy>(
            "/identities/{id}/service-policies",
            Plain(service_policies_of_identity),
        ),
        below::<ServicePolicy>(
            "/services/{id}/service-policies",
            Plain(service_policies_of_service),
        ),
        below::<RouterPolicy>(
            "/identities/{id}/edge-router-policies",
            Plain(edge_router_policies_of_identity),
        ),
        below::<RouterPolicy>(
            "/edge-routers/{id}/edge-router-policies",
            Plain(edge_router_policies_of_router),
        ),
        below::<ServiceRouterPolicy>(
            "/services/{id}/service-edge-router-policies",
            Plain(service_edge_router_policies_of_service),
        ),
        below::<ServiceRouterPolicy>(
            "/edge-routers/{id}/service-edge-router-policies",
            Plain(service_edge_router_policies_of_router),
        ),
        below::<PostureCheckSpec>(
            "/service-policies/{id}/posture-checks",
            Plain(posture_checks_of_service_policy),
        ),
        referring::<TerminatorSpec>("/services/{id}/terminators", terminators_of_service),
        routers("/identities/{id}/edge-routers", Plain(routers_of_identity)),
        routers("/services/{id}/edge-routers", Plain(routers_of_service)),
        routers(
            "/edge-router-policies/{id}/edge-routers",
            Plain(routers_of_edge_router_policy),
        ),
        routers(
            "/service-edge-router-policies/{id}/edge-routers",
            Plain(routers_of_service_edge_router_policy),
        ),
        identities("/services/{id}/identities", Granted(identities_of_service)),
        identities("/edge-routers/{id}/identities", Plain(identities_of_router)),
        identities(
            "/service-policies/{id}/identities",
            Plain(identities_of_service_policy),
        ),
        identities(
            "/edge-router-policies/{id}/identities",
            Plain(identities_of_edge_router_policy),
        ),
    ]
}

/// A list of what `S` describes and refers to the entity in the path, or the other way round.
fn referring<S: Shaped>(path: &'static str, reference: Reference) -> Route {
    let list = move |call: Call<Permit<Read<S>>, Paged>| async move {
        list::answer(call, S::SYMBOLS, move |call, asked, show| {
            let app = &call.context.state.app;
            let of = (reference, call.context.id());
            related::list_referring::<S>(app, &call.permit, asked, of, &mut |view| {
                show(S::Detail::from(view))
            })
        })
        .await
    };
    guarded::<Read<S>, Paged, _, _>(Method::GET, path, list)
        .answers(Answers::list::<S::Detail>())
        .only(&[Api::Management])
}

/// A list of what `S` describes, below the entity in the path.
fn below<S: Shaped + Related>(path: &'static str, relation: Relation) -> Route {
    shown_as::<S, S::Detail>(path, S::SYMBOLS, relation)
}

/// A list of edge routers, below the entity in the path.
fn routers(path: &'static str, relation: Relation) -> Route {
    shown_as::<RouterSpec, EdgeRouterDetail>(path, &kinds::EDGE_ROUTERS, relation)
}

/// A list of what `S` describes, each on the wire as `D`, below the entity in the path.
fn shown_as<S: Related, D: Serialize + JsonSchema + From<S::View>>(
    path: &'static str,
    symbols: &'static Schema,
    relation: Relation,
) -> Route {
    let list = move |call: Call<Permit<Read<S>>, Paged>| async move {
        list::answer(call, symbols, move |call, asked, show| {
            let of = of(relation, &call.context)?;
            related::list::<S>(
                &call.context.state.app,
                &call.permit,
                asked,
                of,
                &mut |view| show(D::from(view)),
            )
        })
        .await
    };
    let route = guarded::<Read<S>, Paged, _, _>(Method::GET, path, list)
        .answers(Answers::list::<D>())
        .only(&[Api::Management]);
    hearing(relation, route)
}

/// A list of identities, below the entity in the path.
fn identities(path: &'static str, relation: Relation) -> Route {
    let list = move |call: Call<Permit<identities::Read>, Paged>| async move {
        list::answer(call, &kinds::IDENTITIES, move |call, asked, show| {
            let app = &call.context.state.app;
            let of = of(relation, &call.context)?;
            related::list_identities(app, &call.permit, asked, of, &mut |view| {
                show(IdentityDetail::from(view))
            })
        })
        .await
    };
    let route = guarded::<identities::Read, Paged, _, _>(Method::GET, path, list)
        .answers(Answers::list::<IdentityDetail>())
        .only(&[Api::Management]);
    hearing(relation, route)
}

/// The route of a relation, which hears what has to be granted where that matters.
fn hearing(relation: Relation, route: Route) -> Route {
    match relation {
        Relation::Plain(_) => route,
        Relation::Granted(_) => route.asks(&[GRANT]),
    }
}

/// What has to be granted.
const GRANT: Parameter = Parameter::query(
    "policyType",
    "What has to be granted for what the list is about: to connect to the service, or to offer it. Either will do if nothing is said.",
)
.with(Values::OneOf(&["dial", "bind"]));

/// The relation to the entity in the path. What the query says about grants counts where they matter
/// alone.
fn of(
    relation: Relation,
    context: &Context,
) -> Result<(Relation, &str, Option<ServiceGrant>), AppError> {
    let grant = match relation {
        Relation::Plain(_) => None,
        Relation::Granted(_) => grant(&context.query)?,
    };
    Ok((relation, context.id(), grant))
}

/// What has to be granted for what the list is about, if the query says.
fn grant(query: &Query) -> Result<Option<ServiceGrant>, AppError> {
    match query.get("policyType") {
        None | Some("") => Ok(None),
        Some("dial") => Ok(Some(ServiceGrant::Dial)),
        Some("bind") => Ok(Some(ServiceGrant::Bind)),
        Some(other) => {
            let fault = FieldError::new("policyType", "must be one of dial, bind", other);
            Err(fault.into())
        },
    }
}
