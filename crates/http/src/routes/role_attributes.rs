//! Role attributes. Their lists hear a filter and nothing else.

use crate::answer::Answer;
use crate::error::ApiError;
use crate::list;
use crate::path::Api;
use crate::route::{Call, Context, Ignored, Route, guarded};
use http::Method;
use portcullis_api::role_attribute::UsageDetail;
use portcullis_app::identities::Read;
use portcullis_app::listing::kinds;
use portcullis_app::role_attributes;
use portcullis_domain::access::Permit;

pub(super) fn routes() -> Vec<Route> {
    vec![
        guarded::<Read, Ignored, _, _>(Method::GET, "/identity-role-attributes", list),
        guarded::<Read, Ignored, _, _>(Method::GET, "/identity-role-attribute-usage", usage),
    ]
    .into_iter()
    .map(|route| route.only(&[Api::Management]))
    .collect()
}

async fn list(call: Call<Permit<Read>, Ignored>) -> Result<Answer, ApiError> {
    list::answer(call, &kinds::ROLE_ATTRIBUTES, |call, asked, show| {
        let app = &call.context.state.app;
        role_attributes::of_identities(app, &call.permit, asked, show)
    })
    .await
}

async fn usage(call: Call<Permit<Read>, Ignored>) -> Result<Answer, ApiError> {
    list::answer(call, &kinds::ROLE_ATTRIBUTES, |call, asked, show| {
        let Context { state, query, .. } = &call.context;
        let with_ids = query.get("withIds") == Some("true");
        role_attributes::usage_of_identities(
            &state.app,
            &call.permit,
            asked,
            with_ids,
            &mut |usage| {
                show(UsageDetail::of_identities(
                    usage.attribute,
                    usage.count,
                    usage.ids,
                ))
            },
        )
    })
    .await
}
