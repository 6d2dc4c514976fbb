//! The descriptions of the APIs that the controller has.

use crate::answer::Answer;
use crate::error::ApiError;
use crate::path::Api;
use crate::route::{Call, Ignored, Route, open};
use crate::state::State;
use http::Method;
use portcullis_api::code::Code;
use portcullis_api::spec::SpecDetail;

pub(super) fn routes() -> Vec<Route> {
    vec![
        open::<Ignored, _, _>(Method::GET, "/specs", list),
        open::<Ignored, _, _>(Method::GET, "/specs/{id}", detail),
    ]
}

async fn list(call: Call<(), Ignored>) -> Result<Answer, ApiError> {
    Ok(Answer::detail(&[spec(&call.context.state, Api::Client)]))
}

async fn detail(call: Call<(), Ignored>) -> Result<Answer, ApiError> {
    let api = [Api::Client, Api::Management]
        .into_iter()
        .find(|api| api.binding() == call.context.id())
        .ok_or_else(|| ApiError::new(Code::NotFound))?;
    Ok(Answer::detail(&spec(&call.context.state, api)))
}

fn spec(state: &State, api: Api) -> SpecDetail {
    SpecDetail::new(api.binding(), state.app.founded_at())
}
