//! Looking into controllers and routers.

use crate::answer::{Answer, Content};
use crate::error::ApiError;
use crate::route::{Answers, Call, Json, Route, guarded};
use http::Method;
use portcullis_api::fabric::inspection::{InspectRequest, InspectResponse, InspectValue, Value};
use portcullis_api::json;
use portcullis_app::fabric::{self, Inspect};
use portcullis_domain::access::Permit;

pub(super) fn routes() -> Vec<Route> {
    vec![
        guarded::<Inspect, Json<InspectRequest>, _, _>(Method::POST, "/inspections", inspect)
            .answers(Answers::json::<InspectResponse>()),
    ]
}

async fn inspect(call: Call<Permit<Inspect>, Json<InspectRequest>>) -> Result<Answer, ApiError> {
    let Json(body) = call.body;
    let app = &call.context.state.app;
    let seen = fabric::inspect(app, &body.app_regex, &body.requested_values)?;
    let id = seen.controller.unwrap_or_default();
    let known = seen.known.into_iter().map(|name| InspectValue {
        app_id: id.clone(),
        name,
        value: Value::Array(Vec::new()),
    });
    let unknown = seen.unknown.iter();
    let unknown = unknown.map(|name| format!("{id}: unknown value {name:?}"));
    let response = InspectResponse {
        success: seen.unknown.is_empty(),
        errors: unknown.collect(),
        values: known.collect(),
    };
    Ok(Answer::written(Content::Whole(
        json::to_bytes(&response).into(),
    )))
}
