//! What tests of several modules need.

use crate::authorization::AuthorizationRequest;
use crate::login::{ClientDetails, PrimaryFactor};
use crate::method::LoginMethod;
use crate::parameters::Parameters;
use crate::redirect::RedirectUris;
use portcullis_domain::api_session::OpenedBy;
use portcullis_domain::client_info::{EnvInfo, SdkInfo};
use portcullis_domain::clock::Timestamp;
use portcullis_domain::entropy::{Entropy, EntropyError};
use portcullis_domain::ids::{ApiSessionId, AuthenticatorId, IdentityId};
use sha2::{Digest as _, Sha256};
use std::net::{Ipv4Addr, SocketAddr};
use std::sync::atomic::{AtomicU64, Ordering};

/// Bytes that differ with every call, and are the same in every run.
#[derive(Default)]
pub(crate) struct SeededEntropy(AtomicU64);

impl Entropy for SeededEntropy {
    fn fill(&self, bytes: &mut [u8]) -> Result<(), EntropyError> {
        for chunk in bytes.chunks_mut(32) {
            let number = self.0.fetch_add(1, Ordering::Relaxed);
            let block = Sha256::digest(number.to_be_bytes());
            chunk.copy_from_slice(&block[..chunk.len()]);
        }
        Ok(())
    }
}

// RFC 7636 appendix B.
pub(crate) const VERIFIER: &str = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk";

pub(crate) const REDIRECT: &str = "http://localhost:8080/auth/callback";

/// A request of a Go SDK, to be redeemed by [`VERIFIER`].
pub(crate) fn request() -> AuthorizationRequest {
    let parameters = Parameters::parse(
        "client_id=native&response_type=code&scope=openid%20offline_access&state=st&nonce=no\
         &code_challenge=E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM&code_challenge_method=S256\
         &redirect_uri=http%3A%2F%2Flocalhost%3A8080%2Fauth%2Fcallback",
    );
    AuthorizationRequest::parse(&parameters.unwrap(), &RedirectUris::for_login([])).unwrap()
}

pub(crate) fn at(second: i64) -> Timestamp {
    Timestamp::from_second(1_800_000_000 + second).unwrap()
}

/// A password of this identity.
pub(crate) fn password_of(identity: &str) -> PrimaryFactor {
    PrimaryFactor {
        identity: IdentityId::from_wire(identity),
        session: ApiSessionId::from_wire(format!("session of {identity}")),
        method: LoginMethod::Password,
        opened_by: OpenedBy::Authenticator(AuthenticatorId::from_wire("updb")),
        authenticated_at: at(0),
        certificate: None,
    }
}

pub(crate) fn client_details() -> ClientDetails {
    ClientDetails {
        remote_address: SocketAddr::from((Ipv4Addr::LOCALHOST, 50_000)),
        config_types: Vec::new(),
        env_info: EnvInfo::default(),
        sdk_info: SdkInfo::default(),
        csr: None,
    }
}
