//! Role attributes. Their lists hear a filter and nothing else.

use crate::answer::Answer;
use crate::error::ApiError;
use crate::list::{parameters, ready};
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
    let Context { state, query, .. } = &call.context;
    ready(&state.app).await?;
    let page = role_attributes::of_identities(&state.app, &call.permit, &parameters(query))?;
    Ok(Answer::list(page, &kinds::ROLE_ATTRIBUTES))
}

async fn usage(call: Call<Permit<Read>, Ignored>) -> Result<Answer, ApiError> {
    let Context { state, query, .. } = &call.context;
    ready(&state.app).await?;
    let with_ids = query.get("withIds") == Some("true");
    let parameters = parameters(query);
    let page =
        role_attributes::usage_of_identities(&state.app, &call.permit, &parameters, with_ids)?;
    let page =
        page.map(|usage| UsageDetail::of_identities(usage.attribute, usage.count, usage.ids));
    Ok(Answer::list(page, &kinds::ROLE_ATTRIBUTES))
}
