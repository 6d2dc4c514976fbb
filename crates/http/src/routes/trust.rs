//! Trust anchors for clients: the CA bundle and the network's token.

use crate::error::ApiError;
use crate::response::ApiResponse;
use crate::route::{Call, NoBody, ResponseSpec, Route, public};
use http::{HeaderName, HeaderValue, Method};
use portcullis_api::network_jwt::NetworkJwt;

/// RFC 7030 section 4.1.3.
const PKCS7: &str = "application/pkcs7-mime";

const TRANSFER_ENCODING: HeaderName = HeaderName::from_static("content-transfer-encoding");

pub(super) fn routes() -> Vec<Route> {
    vec![
        public::<NoBody, _, _>(Method::GET, "/.well-known/est/cacerts", bundle)
            .responds(ResponseSpec::raw())
            .producing(PKCS7),
        public::<NoBody, _, _>(Method::GET, "/network-jwts", network_jwts)
            .responds(ResponseSpec::detail::<Vec<NetworkJwt>>()),
    ]
}

/// RFC 7030 section 4.1.3: base64 of a certificates-only PKCS#7.
async fn bundle(call: Call<(), NoBody>) -> Result<ApiResponse, ApiError> {
    let bundle = call.context.state.app.network().bundle().to_owned();
    Ok(ApiResponse::raw(PKCS7, bundle)
        .with_header(TRANSFER_ENCODING, HeaderValue::from_static("base64")))
}

async fn network_jwts(call: Call<(), NoBody>) -> Result<ApiResponse, ApiError> {
    let token = call
        .context
        .state
        .app
        .network()
        .serving_state()
        .network_jwt
        .clone();
    Ok(ApiResponse::detail(&[NetworkJwt::default_network(
        token.into(),
    )]))
}
