//! Inspection of controllers and routers.

use crate::error::ApiError;
use crate::response::{ApiResponse, ResponseContent};
use crate::route::{Call, Json, ResponseSpec, Route, guarded};
use bytes::Bytes;
use http::Method;
use portcullis_api::fabric::inspection::{InspectRequest, InspectResponse};
use portcullis_app::fabric::{self, HeldValues, Inspect, Inspection};
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
    let mut inspection = fabric::inspect(&app, &body.app_regex, &body.requested_values).await?;
    let response = run_blocking(move || {
        inspection.convert_metrics(&app);
        let Inspection {
            values,
            errors,
            held,
        } = inspection;
        let shown = values
            .iter()
            .map(|value| (&*value.app_id, &*value.name, &value.value));
        let json = InspectResponse::write(&errors, shown);
        Ok::<_, AppError>(Bytes::from_owner(HeldResponse { json, _held: held }))
    })
    .await?;
    Ok(ApiResponse::from_json(ResponseContent::Full(response)))
}

/// A response that holds its place in the memory for inspections until it is sent.
struct HeldResponse {
    json: Vec<u8>,
    _held: HeldValues,
}

impl AsRef<[u8]> for HeldResponse {
    fn as_ref(&self) -> &[u8] {
        &self.json
    }
}
