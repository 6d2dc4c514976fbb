//! Role attributes. Their lists support a filter and nothing else.

use crate::error::ApiError;
use crate::list::{self, FILTER};
use crate::path::Api;
use crate::response::ApiResponse;
use crate::route::{
    Call, NoBody, Parameter, RequestContext, ResponseSpec, Route, ValueType, guarded,
};
use http::Method;
use portcullis_api::role_attribute::{RoleAttributeUsage, RoleAttributeUsageDetail};
use portcullis_app::listing::kinds;
use portcullis_app::role_attributes::{self, HasRoleAttributes, PolicyKind, UsageCount};
use portcullis_domain::access::Permit;
use portcullis_domain::identity::Identity;
use portcullis_domain::posture_check::PostureCheck;
use portcullis_domain::router::Router;
use portcullis_domain::service::Service;

pub(super) fn routes() -> Vec<Route> {
    [
        routes_for::<Identity>(
            "/identity-role-attributes",
            ("/identity-role-attribute-usage", "identities"),
        ),
        routes_for::<Service>(
            "/service-role-attributes",
            ("/service-role-attribute-usage", "services"),
        ),
        routes_for::<Router>(
            "/edge-router-role-attributes",
            ("/edge-router-role-attribute-usage", "edgeRouters"),
        ),
        routes_for::<PostureCheck>(
            "/posture-check-role-attributes",
            ("/posture-check-role-attribute-usage", "postureChecks"),
        ),
    ]
    .into_iter()
    .flatten()
    .collect()
}

/// Routes of the role attributes of a kind, and of their usage; `carriers` is the kind's collective
/// name.
fn routes_for<E: HasRoleAttributes>(
    path: &'static str,
    (usage, carriers): (&'static str, &'static str),
) -> [Route; 2] {
    [
        guarded::<E::Read, NoBody, _, _>(Method::GET, path, list::<E>)
            .responds(ResponseSpec::list::<String>()),
        guarded::<E::Read, NoBody, _, _>(Method::GET, usage, move |call| {
            list_usage::<E>(call, carriers)
        })
        .responds(ResponseSpec::list::<RoleAttributeUsageDetail>())
        .with_parameters(&[WITH_IDS]),
    ]
    .map(|route| route.with_parameters(&[FILTER]).only(&[Api::Management]))
}

const WITH_IDS: Parameter = Parameter::query(
    "withIds",
    "`true` includes the ids of the entities that carry an attribute, and of the policies that name it.",
)
.with_type(ValueType::OneOf(&["true", "false"]));

async fn list<E: HasRoleAttributes>(
    call: Call<Permit<E::Read>, NoBody>,
) -> Result<ApiResponse, ApiError> {
    list::respond(call, &kinds::ROLE_ATTRIBUTES, |call, request, emit| {
        let app = &call.context.state.app;
        role_attributes::list::<E>(app, &call.permit, request, emit)
    })
    .await
}

async fn list_usage<E: HasRoleAttributes>(
    call: Call<Permit<E::Read>, NoBody>,
    carriers: &'static str,
) -> Result<ApiResponse, ApiError> {
    list::respond(call, &kinds::ROLE_ATTRIBUTES, move |call, request, emit| {
        let RequestContext { state, query, .. } = &call.context;
        let with_ids = query
            .get("withIds")
            .is_some_and(|value| value == "1" || value.eq_ignore_ascii_case("true"));
        let permit = &call.permit;
        role_attributes::list_usage::<E>(&state.app, permit, request, with_ids, &mut |usage| {
            let policies = usage.policies.into_iter();
            let policies = policies.map(|(kind, users)| (collective_name(kind), to_wire(users)));
            let carried = (carriers, to_wire(usage.carriers));
            let all = std::iter::once(carried).chain(policies);
            emit(RoleAttributeUsageDetail::new(usage.attribute, all))
        })
    })
    .await
}

fn to_wire(users: UsageCount) -> RoleAttributeUsage {
    RoleAttributeUsage {
        count: users.count,
        ids: users.ids,
    }
}

const fn collective_name(kind: PolicyKind) -> &'static str {
    match kind {
        PolicyKind::Service => "servicePolicies",
        PolicyKind::EdgeRouter => "edgeRouterPolicies",
        PolicyKind::ServiceEdgeRouter => "serviceEdgeRouterPolicies",
    }
}
