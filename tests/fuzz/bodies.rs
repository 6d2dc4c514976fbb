//! Bodies of requests: every type that is read from one.

use crate::driver::{corpus, fuzz, place};
use portcullis_api::auth_policy::{AuthPolicyCreate, AuthPolicyPatch};
use portcullis_api::authenticate::Authenticate;
use portcullis_api::authenticator::{
    AuthenticatorCreate, AuthenticatorPatch, AuthenticatorUpdate, IdentityExtendEnrollmentRequest,
    IdentityExtendValidateEnrollmentRequest,
};
use portcullis_api::ca::{CaCreate, CaPatch};
use portcullis_api::config::{ConfigCreate, ConfigPatch};
use portcullis_api::config_type::{ConfigTypeCreate, ConfigTypePatch};
use portcullis_api::decode::{Decode, DecodeError};
use portcullis_api::edge_router::{EdgeRouterCreate, EdgeRouterPatch};
use portcullis_api::edge_router_policy::{EdgeRouterPolicyCreate, EdgeRouterPolicyPatch};
use portcullis_api::enroll::{ErOttEnrollmentRequest, GenericEnroll, OttEnrollmentRequest};
use portcullis_api::enrollment::{EnrollmentCreate, EnrollmentRefresh};
use portcullis_api::error::ErrorBody;
use portcullis_api::external_jwt_signer::{ExternalJwtSignerCreate, ExternalJwtSignerPatch};
use portcullis_api::identity::{
    DisableParams, IdentityCreateRequest, IdentityPatchRequest, IdentityUpdateRequest,
};
use portcullis_api::mfa::{MfaAuthCode, MfaCode};
use portcullis_api::posture_check::{PostureCheckCreate, PostureCheckPatch};
use portcullis_api::posture_response::{PostureResponseBulk, PostureResponseCreate};
use portcullis_api::revocation::RevocationCreate;
use portcullis_api::service::{ServiceCreate, ServicePatch};
use portcullis_api::service_config::ServiceConfigAssignments;
use portcullis_api::service_policy::{ServicePolicyCreate, ServicePolicyPatch};
use portcullis_api::session::SessionCreate;
use portcullis_api::session_certificate::SessionCertificateCreate;
use portcullis_api::terminator::{TerminatorCreate, TerminatorPatch};
use portcullis_domain::ids::RequestId;

type Reader = fn(&[u8]) -> Result<String, String>;

const READERS: &[Reader] = &[
    read::<AuthPolicyCreate>,
    read::<AuthPolicyPatch>,
    read::<Authenticate>,
    read::<AuthenticatorCreate>,
    read::<AuthenticatorPatch>,
    read::<AuthenticatorUpdate>,
    read::<IdentityExtendEnrollmentRequest>,
    read::<IdentityExtendValidateEnrollmentRequest>,
    read::<CaCreate>,
    read::<CaPatch>,
    read::<ConfigCreate>,
    read::<ConfigPatch>,
    read::<ConfigTypeCreate>,
    read::<ConfigTypePatch>,
    read::<EdgeRouterCreate>,
    read::<EdgeRouterPatch>,
    read::<EdgeRouterPolicyCreate>,
    read::<EdgeRouterPolicyPatch>,
    read::<GenericEnroll>,
    read::<ErOttEnrollmentRequest>,
    read::<OttEnrollmentRequest>,
    read::<EnrollmentCreate>,
    read::<EnrollmentRefresh>,
    read::<IdentityCreateRequest>,
    read::<DisableParams>,
    read::<IdentityPatchRequest>,
    read::<IdentityUpdateRequest>,
    read::<MfaAuthCode>,
    read::<MfaCode>,
    read::<PostureCheckCreate>,
    read::<PostureCheckPatch>,
    read::<PostureResponseBulk>,
    read::<PostureResponseCreate>,
    read::<RevocationCreate>,
    read::<ServiceCreate>,
    read::<ServicePatch>,
    read::<ServiceConfigAssignments>,
    read::<ServicePolicyCreate>,
    read::<ServicePolicyPatch>,
    read::<SessionCreate>,
    read::<SessionCertificateCreate>,
    read::<ExternalJwtSignerCreate>,
    read::<ExternalJwtSignerPatch>,
    read::<TerminatorCreate>,
    read::<TerminatorPatch>,
];

/// Types that one input is read as: all of them would take long, and tell hardly more.
const AT_A_TIME: usize = 6;

/// Roles in policies, names, tags and all the rest of a body are read or refused in words that can be
/// sent.
#[test]
fn fuzzed_bodies_are_read_or_refused_in_words() {
    fuzz("bodies", corpus("bodies"), |input| {
        let mut places = String::new();
        let sum: usize = input.iter().copied().map(usize::from).sum();
        let first = (sum + input.len()) % READERS.len();
        for reader in READERS.iter().cycle().skip(first).take(AT_A_TIME) {
            places += &reader(input)?;
        }
        Ok(places)
    });
}

fn read<T: Decode>(bytes: &[u8]) -> Result<String, String> {
    let Err(error) = T::from_body(bytes) else {
        return Ok("+".to_owned());
    };
    let mut led_to = place(&error.code());
    if let DecodeError::Field(field) = &error {
        if field.field.is_empty() || field.reason.is_empty() {
            return Err(format!(
                "{} is refused without a word: {field:?}",
                T::name()
            ));
        }
        led_to = field.field.chars().take(20).collect();
    }
    let body = ErrorBody::new(error.code(), RequestId::from_wire("r"));
    let written = portcullis_api::json::to_bytes(&body.with_cause(error.into_cause()));
    let read: ErrorBody = serde_json::from_slice(&written)
        .map_err(|error| format!("the refusal by {} is no JSON: {error}", T::name()))?;
    // No refusal is much larger than what is refused.
    if written.len() > 2 * bytes.len() + 2048 {
        return Err(format!(
            "the refusal by {} is {} bytes",
            T::name(),
            written.len()
        ));
    }
    read.code().map_or_else(
        || Err(format!("the refusal by {} has no code", T::name())),
        |_| Ok(led_to),
    )
}
