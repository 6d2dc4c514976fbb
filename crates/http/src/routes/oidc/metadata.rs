//! What anybody may read about the provider.

use super::{browser, reply};
use crate::error::ApiError;
use crate::response::ApiResponse;
use crate::route::{Call, NoBody, Route, public};
use http::Method;
use portcullis_app::oidc;
use portcullis_oidc::discovery::{self, Discovery, endpoint};
use portcullis_oidc::jwks::Jwk;

pub(super) fn routes() -> Vec<Route> {
    vec![
        public::<NoBody, _, _>(Method::GET, discovery::PATH, document),
        public::<NoBody, _, _>(Method::GET, endpoint::KEYS, keys),
    ]
}

async fn document(call: Call<(), NoBody>) -> Result<ApiResponse, ApiError> {
    let issuer = browser::issuer(&call.context)?;
    let keys = oidc::key_set(&call.context.state.app).keys;
    let mut algorithms: Vec<_> = keys.iter().map(Jwk::algorithm).collect();
    algorithms.sort_unstable();
    algorithms.dedup();
    Ok(reply::public_json(&Discovery::new(&issuer, algorithms)))
}

async fn keys(call: Call<(), NoBody>) -> Result<ApiResponse, ApiError> {
    Ok(reply::public_json(&oidc::key_set(&call.context.state.app)))
}
