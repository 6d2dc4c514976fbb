//! What clients trust: the bundle of authorities and the network's token.

use crate::answer::Answer;
use crate::error::ApiError;
use crate::route::{Answers, Call, Ignored, Route, open};
use http::{HeaderName, HeaderValue, Method};
use portcullis_api::network_jwt::NetworkJwt;

/// RFC 7030 section 4.1.3.
const PKCS7: &str = "application/pkcs7-mime";

const TRANSFER_ENCODING: HeaderName = HeaderName::from_static("content-transfer-encoding");

pub(super) fn routes() -> Vec<Route> {
    vec![
        open::<Ignored, _, _>(Method::GET, "/.well-known/est/cacerts", bundle)
            .answers(Answers::raw())
            .producing(PKCS7),
        open::<Ignored, _, _>(Method::GET, "/network-jwts", network_jwts)
            .answers(Answers::detail::<Vec<NetworkJwt>>()),
    ]
}

/// RFC 7030 section 4.1.3: base64 of a certificates-only PKCS#7.
async fn bundle(call: Call<(), Ignored>) -> Result<Answer, ApiError> {
    let bundle = call.context.state.app.network().bundle().to_owned();
    Ok(Answer::raw(PKCS7, bundle).with(TRANSFER_ENCODING, HeaderValue::from_static("base64")))
}

async fn network_jwts(call: Call<(), Ignored>) -> Result<Answer, ApiError> {
    let token = call
        .context
        .state
        .app
        .network()
        .served()
        .network_jwt
        .clone();
    Ok(Answer::detail(&[NetworkJwt::default_network(token.into())]))
}
