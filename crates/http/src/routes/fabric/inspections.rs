//! Inspection of controllers and routers.

use crate::error::ApiError;
use crate::response::{ApiResponse, ResponseContent};
use crate::route::{Call, Json, ResponseSpec, Route, guarded};
use http::Method;
use portcullis_api::fabric::inspection::{InspectRequest, InspectResponse, InspectValue};
use portcullis_api::json;
use portcullis_app::fabric::{self, Inspect};
use portcullis_app::{AppError, run_blocking};
use portcullis_domain::access::Permit;
use std::sync::Arc;

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
    let app = Arc::clone(&call.context.state.app);
    let response = run_blocking(move || {
        let inspection = fabric::inspect(&app, &body.app_regex, &body.requested_values)?;
        let id = inspection.controller.unwrap_or_default();
        let values = inspection.values.into_iter();
        let response = InspectResponse {
            success: inspection.errors.is_empty(),
            errors: inspection.errors,
            values: values
                .map(|(name, value)| InspectValue::new(id.clone(), name, value))
                .collect(),
        };
        Ok::<_, AppError>(json::to_bytes(&response))
    })
    .await?;
    Ok(ApiResponse::from_json(ResponseContent::Full(
        response.into(),
    )))
}
