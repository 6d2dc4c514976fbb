//! Lists below an entity, of others that policies, configurations or references relate to it.

use super::managed::ResourceBodies;
use crate::list::{self, ListPayload};
use crate::path::Api;
use crate::query::Query;
use crate::route::{Call, Parameter, RequestContext, ResponseSpec, Route, ValueType, guarded};
use http::Method;
use portcullis_api::describe::JsonSchema;
use portcullis_api::edge_router::EdgeRouterDetail;
use portcullis_api::identity::IdentityDetail;
use portcullis_app::listing::{Schema, kinds};
use portcullis_app::managed::{Read, Resource};
use portcullis_app::related::{self, ReferenceFinder, RelatedResource, Relation};
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
        relation_list::<Service>("/identities/{id}/services", Granted(services_of_identity)),
        reference_list::<Service>("/configs/{id}/services", services_of_config),
        relation_list::<Service>("/edge-routers/{id}/services", Plain(services_of_router)),
        relation_list::<Service>(
            "/service-policies/{id}/services",
            Plain(services_of_service_policy),
        ),
        relation_list::<Service>(
            "/service-edge-router-policies/{id}/services",
            Plain(services_of_service_edge_router_policy),
        ),
        reference_list::<ConfigSpec>("/services/{id}/configs", configs_of_service),
        reference_list::<ConfigSpec>("/config-types/{id}/configs", configs_of_type),
        relation_list::<ServicePolicy>(
            "/identities/{id}/service-policies",
            Plain(service_policies_of_identity),
        ),
        relation_list::<ServicePolicy>(
            "/services/{id}/service-policies",
            Plain(service_policies_of_service),
        ),
        relation_list::<RouterPolicy>(
            "/identities/{id}/edge-router-policies",
            Plain(edge_router_policies_of_identity),
        ),
        relation_list::<RouterPolicy>(
            "/edge-routers/{id}/edge-router-policies",
            Plain(edge_router_policies_of_router),
        ),
        relation_list::<ServiceRouterPolicy>(
            "/services/{id}/service-edge-router-policies",
            Plain(service_edge_router_policies_of_service),
        ),
        relation_list::<ServiceRouterPolicy>(
            "/edge-routers/{id}/service-edge-router-policies",
            Plain(service_edge_router_policies_of_router),
        ),
        relation_list::<PostureCheckSpec>(
            "/service-policies/{id}/posture-checks",
            Plain(posture_checks_of_service_policy),
        ),
        reference_list::<TerminatorSpec>("/services/{id}/terminators", terminators_of_service),
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

/// A list of the entities that refer to the entity in the path, or that it refers to.
fn reference_list<S: Resource + ResourceBodies<Spec = S>>(
    path: &'static str,
    reference: ReferenceFinder,
) -> Route {
    let list = move |call: Call<Permit<Read<S>>, ListPayload>| async move {
        list::respond(call, S::LIST_SCHEMA, move |call, request, emit| {
            let app = &call.context.state.app;
            let scope = (reference, call.context.id());
            related::list_by_reference::<S>(app, &call.permit, request, scope, &mut |view| {
                emit(S::Detail::from(view))
            })
        })
        .await
    };
    guarded::<Read<S>, ListPayload, _, _>(Method::GET, path, list)
        .responds(ResponseSpec::list::<S::Detail>())
        .only(&[Api::Management])
}

/// A list of related entities below the entity in the path.
fn relation_list<S: ResourceBodies<Spec = S> + RelatedResource>(
    path: &'static str,
    relation: Relation,
) -> Route {
    relation_list_as::<S, S::Detail>(path, S::LIST_SCHEMA, relation)
}

/// A list of edge routers below the entity in the path.
fn routers(path: &'static str, relation: Relation) -> Route {
    relation_list_as::<RouterSpec, EdgeRouterDetail>(path, &kinds::EDGE_ROUTERS, relation)
}

/// A list of related entities below the entity in the path, with `D` as their wire type.
fn relation_list_as<S: RelatedResource, D: Serialize + JsonSchema + From<S::View>>(
    path: &'static str,
    schema: &'static Schema,
    relation: Relation,
) -> Route {
    let list = move |call: Call<Permit<Read<S>>, ListPayload>| async move {
        list::respond(call, schema, move |call, request, emit| {
            let scope = relation_to(relation, &call.context)?;
            related::list::<S>(
                &call.context.state.app,
                &call.permit,
                request,
                scope,
                &mut |view| emit(D::from(view)),
            )
        })
        .await
    };
    let route = guarded::<Read<S>, ListPayload, _, _>(Method::GET, path, list)
        .responds(ResponseSpec::list::<D>())
        .only(&[Api::Management]);
    with_grant_parameter(relation, route)
}

/// A list of identities below the entity in the path.
fn identities(path: &'static str, relation: Relation) -> Route {
    let list = move |call: Call<Permit<identities::Read>, ListPayload>| async move {
        list::respond(call, &kinds::IDENTITIES, move |call, request, emit| {
            let app = &call.context.state.app;
            let scope = relation_to(relation, &call.context)?;
            related::list_identities(app, &call.permit, request, scope, &mut |view| {
                emit(IdentityDetail::from(view))
            })
        })
        .await
    };
    let route = guarded::<identities::Read, ListPayload, _, _>(Method::GET, path, list)
        .responds(ResponseSpec::list::<IdentityDetail>())
        .only(&[Api::Management]);
    with_grant_parameter(relation, route)
}

/// Adds the parameter for the grant to a relation by grants.
fn with_grant_parameter(relation: Relation, route: Route) -> Route {
    match relation {
        Relation::Plain(_) => route,
        Relation::Granted(_) => route.with_parameters(&[GRANT_PARAMETER]),
    }
}

const GRANT_PARAMETER: Parameter = Parameter::query(
    "policyType",
    "The grant that the list is about: `dial` to connect to the service, `bind` to host it. By default, either.",
)
.with_type(ValueType::OneOf(&["dial", "bind"]));

/// Returns the relation to the entity in the path, with the grant in the query if the relation is
/// by grants.
fn relation_to(
    relation: Relation,
    context: &RequestContext,
) -> Result<(Relation, &str, Option<ServiceGrant>), AppError> {
    let grant = match relation {
        Relation::Plain(_) => None,
        Relation::Granted(_) => parse_grant(&context.query)?,
    };
    Ok((relation, context.id(), grant))
}

/// Parses the grant in the query.
fn parse_grant(query: &Query) -> Result<Option<ServiceGrant>, AppError> {
    match query.get("policyType") {
        None | Some("") => Ok(None),
        Some("dial") => Ok(Some(ServiceGrant::Dial)),
        Some("bind") => Ok(Some(ServiceGrant::Bind)),
        Some(other) => {
            let error = FieldError::new("policyType", "must be one of dial, bind", other);
            Err(error.into())
        },
    }
}
