//! Public information about the network.

use crate::body::Body;
use crate::client::Client;
use crate::endpoint::{Api, Endpoint};
use crate::error::ClientError;
use http::Method;
use portcullis_api::network_jwt::NetworkJwt;
use portcullis_api::version::Version;

impl Client {
    /// Version of the controller and the APIs that it offers.
    pub async fn version(&self) -> Result<Version, ClientError> {
        self.get(&Endpoint::new(Api::Client, "version")).await
    }

    /// The tokens that identify the network, with which holders of JWTs enroll.
    pub async fn network_jwts(&self) -> Result<Vec<NetworkJwt>, ClientError> {
        self.get(&Endpoint::new(Api::Client, "network-jwts")).await
    }

    /// CA certificates of the network: PKCS#7 in base64 (RFC 7030 section 4.1.3).
    pub async fn ca_bundle(&self) -> Result<String, ClientError> {
        let endpoint = Endpoint::new(Api::Client, ".well-known")
            .join("est")
            .join("cacerts");
        let reply = self.send(Method::GET, &endpoint, Body::empty()).await?;
        let reply = reply.into_success().map_err(ClientError::Refused)?;
        String::from_utf8(reply.body.into())
            .map_err(|_bytes| self.unexpected(&Method::GET, &endpoint, "it is not text"))
    }
}
