//! Inspection of controllers and routers.

use crate::error::ApiError;
use crate::response::{ApiResponse, ResponseContent};
use crate::route::{Call, Json, ResponseSpec, Route, guarded};
use http::Method;
use portcullis_api::fabric::inspection::{InspectRequest, InspectResponse, InspectValue, Value};
use portcullis_api::json;
use portcullis_app::fabric::{self, Inspect};
use portcullis_domain::access::Permit;

pub(super) fn routes() -> Vec<Route> {
    vec![
        guarded::<Inspect, Json<InspectRequest>, _, _>(Method::POST, "/inspections", inspect)
            .responds(ResponseSpec::json::<InspectResponse>()),
    ]
}

async fn inspect(
    call: Call<Permit<Inspect>, Json<InspectRequest>>,
) -> Result<ApiResponse, ApiError> {
    let Json(body) = call.body;
    let app = &call.context.state.app;
    let inspection = fabric::inspect(app, &body.app_regex, &body.requested_values)?;
    let id = inspection.controller.unwrap_or_default();
    let values = inspection.known.into_iter().map(|name| InspectValue {
        app_id: id.clone(),
        name,
        value: Value::Array(Vec::new()),
    });
    let unknown = inspection.unknown.iter();
    let unknown = unknown.map(|name| format!("{id}: unknown value {name:?}"));
    let response = InspectResponse {
        success: inspection.unknown.is_empty(),
        errors: unknown.collect(),
        values: values.collect(),
    };
    Ok(ApiResponse::from_json(ResponseContent::Full(
        json::to_bytes(&response).into(),
    )))
}
