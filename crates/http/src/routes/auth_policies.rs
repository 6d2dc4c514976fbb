//! Authentication policies.

use crate::answer::Answer;
use crate::error::ApiError;
use crate::list::{self, Paged};
use crate::path::Api;
use crate::route::{Call, Context, Ignored, Route, guarded};
use http::Method;
use portcullis_api::auth_policy::AuthPolicyDetail;
use portcullis_app::auth_policies::{self, Read};
use portcullis_app::listing::kinds;
use portcullis_domain::access::Permit;
use portcullis_domain::ids::AuthPolicyId;

pub(super) fn routes() -> Vec<Route> {
    vec![
        guarded::<Read, Paged, _, _>(Method::GET, "/auth-policies", list),
        guarded::<Read, Ignored, _, _>(Method::GET, "/auth-policies/{id}", detail),
    ]
    .into_iter()
    .map(|route| route.only(&[Api::Management]))
    .collect()
}

async fn list(call: Call<Permit<Read>, Paged>) -> Result<Answer, ApiError> {
    list::answer(call, &kinds::AUTH_POLICIES, |call, asked, show| {
        let app = &call.context.state.app;
        auth_policies::list(app, &call.permit, asked, &mut |policy| {
            show(AuthPolicyDetail::from(policy))
        })
    })
    .await
}

async fn detail(call: Call<Permit<Read>, Ignored>) -> Result<Answer, ApiError> {
    let Context { state, .. } = &call.context;
    let id = AuthPolicyId::from_wire(call.context.id());
    let policy = auth_policies::read(&state.app, &call.permit, &id)?;
    Ok(Answer::detail(&AuthPolicyDetail::from(policy)))
}
