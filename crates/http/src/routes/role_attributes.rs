//! Role attributes. Their lists hear a filter and nothing else.

use crate::answer::Answer;
use crate::error::ApiError;
use crate::list::{self, FILTER};
use crate::path::Api;
use crate::route::{Answers, Call, Context, Ignored, Parameter, Route, Values, guarded};
use http::Method;
use portcullis_api::role_attribute::{Usage, UsageDetail};
use portcullis_app::listing::kinds;
use portcullis_app::role_attributes::{self, Attributed, PolicyKind, Users};
use portcullis_domain::access::Permit;
use portcullis_domain::identity::Identity;
use portcullis_domain::posture_check::PostureCheck;
use portcullis_domain::router::Router;
use portcullis_domain::service::Service;

pub(super) fn routes() -> Vec<Route> {
    [
        of::<Identity>(
            "/identity-role-attributes",
            ("/identity-role-attribute-usage", "identities"),
        ),
        of::<Service>(
            "/service-role-attributes",
            ("/service-role-attribute-usage", "services"),
        ),
        of::<Router>(
            "/edge-router-role-attributes",
            ("/edge-router-role-attribute-usage", "edgeRouters"),
        ),
        of::<PostureCheck>(
            "/posture-check-role-attributes",
            ("/posture-check-role-attribute-usage", "postureChecks"),
        ),
    ]
    .into_iter()
    .flatten()
    .collect()
}

/// The attributes that a kind carries, and their use; `carriers` is the collective name of the kind.
fn of<E: Attributed>(
    path: &'static str,
    (usage, carriers): (&'static str, &'static str),
) -> [Route; 2] {
    [
        guarded::<E::Read, Ignored, _, _>(Method::GET, path, list::<E>)
            .answers(Answers::list::<String>()),
        guarded::<E::Read, Ignored, _, _>(Method::GET, usage, move |call| {
            list_usage::<E>(call, carriers)
        })
        .answers(Answers::list::<UsageDetail>())
        .asks(&[WITH_IDS]),
    ]
    .map(|route| route.asks(&[FILTER]).only(&[Api::Management]))
}

/// Whether users are named.
const WITH_IDS: Parameter = Parameter::query(
    "withIds",
    "`true` has the ids of those listed that carry an attribute, or name it.",
)
.with(Values::OneOf(&["true", "false"]));

async fn list<E: Attributed>(call: Call<Permit<E::Read>, Ignored>) -> Result<Answer, ApiError> {
    list::answer(call, &kinds::ROLE_ATTRIBUTES, |call, asked, show| {
        let app = &call.context.state.app;
        role_attributes::list::<E>(app, &call.permit, asked, show)
    })
    .await
}

async fn list_usage<E: Attributed>(
    call: Call<Permit<E::Read>, Ignored>,
    carriers: &'static str,
) -> Result<Answer, ApiError> {
    list::answer(call, &kinds::ROLE_ATTRIBUTES, move |call, asked, show| {
        let Context { state, query, .. } = &call.context;
        let with_ids = query
            .get("withIds")
            .is_some_and(|asked| asked == "1" || asked.eq_ignore_ascii_case("true"));
        let permit = &call.permit;
        role_attributes::list_usage::<E>(&state.app, permit, asked, with_ids, &mut |usage| {
            let policies = usage.policies.into_iter();
            let policies = policies.map(|(kind, users)| (collective_name(kind), shown(users)));
            let carried = (carriers, shown(usage.carriers));
            let all = std::iter::once(carried).chain(policies);
            show(UsageDetail::new(usage.attribute, all))
        })
    })
    .await
}

fn shown(users: Users) -> Usage {
    Usage {
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
