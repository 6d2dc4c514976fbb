//! Descriptions of the controller's APIs.

use crate::content_negotiation;
use crate::error::ApiError;
use crate::openapi::{self, Document};
use crate::path::Api;
use crate::response::ApiResponse;
use crate::route::{Call, NoBody, RequestContext, ResponseSpec, Route, public};
use crate::state::AppState;
use http::Method;
use portcullis_api::code::Code;
use portcullis_api::spec::SpecDetail;
use portcullis_app::run_blocking;

const JSON: &str = "application/json";
const YAML: &str = "text/yaml";

pub(super) fn routes() -> Vec<Route> {
    vec![
        public::<NoBody, _, _>(Method::GET, "/specs", list)
            .responds(ResponseSpec::detail::<Vec<SpecDetail>>()),
        public::<NoBody, _, _>(Method::GET, "/specs/{id}", detail)
            .responds(ResponseSpec::detail::<SpecDetail>()),
        public::<NoBody, _, _>(Method::GET, "/specs/{id}/spec", body)
            .responds(ResponseSpec::detail::<String>())
            .producing(YAML),
        // The health checks have none: all of their paths are taken.
        public::<NoBody, _, _>(Method::GET, "/swagger.json", own_document)
            .responds(ResponseSpec::json::<
                serde_json::Map<String, serde_json::Value>,
            >())
            .only(&[Api::Client, Api::Management, Api::Fabric]),
    ]
}

async fn list(call: Call<(), NoBody>) -> Result<ApiResponse, ApiError> {
    Ok(ApiResponse::detail(&[spec_detail(
        &call.context.state,
        Api::Client,
    )]))
}

async fn detail(call: Call<(), NoBody>) -> Result<ApiResponse, ApiError> {
    let api = find_api(&call.context)?;
    Ok(ApiResponse::detail(&spec_detail(&call.context.state, api)))
}

/// Responds with YAML, or with the YAML as a string in an envelope to clients that accept only
/// JSON.
async fn body(call: Call<(), NoBody>) -> Result<ApiResponse, ApiError> {
    let document = document(find_api(&call.context)?).await?;
    if content_negotiation::accepts(&call.context.headers, YAML) {
        return Ok(ApiResponse::from_static(YAML, &document.yaml));
    }
    Ok(ApiResponse::from_static(JSON, &document.enveloped))
}

/// Responds with the description of the requested API.
async fn own_document(call: Call<(), NoBody>) -> Result<ApiResponse, ApiError> {
    let document = document(call.context.api).await?;
    Ok(ApiResponse::from_static(JSON, &document.json))
}

async fn document(api: Api) -> Result<&'static Document, ApiError> {
    if let Some(document) = openapi::parsed_document(api) {
        return Ok(document);
    }
    let found = move || openapi::document(api).ok_or_else(|| ApiError::new(Code::NotFound));
    run_blocking(found).await
}

/// Returns the API that the path names.
fn find_api(context: &RequestContext) -> Result<Api, ApiError> {
    let found = Api::DESCRIBED
        .into_iter()
        .find(|api| api.binding() == context.id());
    found.ok_or_else(|| ApiError::new(Code::NotFound))
}

fn spec_detail(state: &AppState, api: Api) -> SpecDetail {
    SpecDetail::new(api.binding(), state.app.store_created_at())
}
