//! Bodies of requests: every type that is read from one.

use crate::driver::{corpus, fuzz, place};
use portcullis_api::auth_policy::{AuthPolicyBody, MergeAuthPolicy};
use portcullis_api::authenticate::Authenticate;
use portcullis_api::authenticator::{
    AuthenticatorCreate, AuthenticatorPatch, AuthenticatorReplace, Extend, ExtendVerify,
};
use portcullis_api::ca::{CaCreate, CaMerge};
use portcullis_api::config::{ConfigCreate, ConfigMerge};
use portcullis_api::config_type::{ConfigTypeCreate, ConfigTypeMerge};
use portcullis_api::decode::{Decode, DecodeError};
use portcullis_api::edge_router::{EdgeRouterBody, EdgeRouterMerge};
use portcullis_api::edge_router_policy::{EdgeRouterPolicyBody, EdgeRouterPolicyMerge};
use portcullis_api::enroll::{Enroll, EnrollErott, EnrollOtt};
use portcullis_api::enrollment::{EnrollmentCreate, EnrollmentRefresh};
use portcullis_api::error::ErrorBody;
use portcullis_api::identity::{CreateIdentity, DisableIdentity, PatchIdentity, ReplaceIdentity};
use portcullis_api::mfa::{MfaAnswer, MfaCode};
use portcullis_api::posture_check::{PostureCheckBody, PostureCheckMerge};
use portcullis_api::posture_response::{PostureResponseBulk, PostureResponseCreate};
use portcullis_api::revocation::RevocationCreate;
use portcullis_api::service::{ServiceCreate, ServiceMerge};
use portcullis_api::service_config::ServiceConfigAssignments;
use portcullis_api::service_policy::{ServicePolicyBody, ServicePolicyMerge};
use portcullis_api::session::SessionCreate;
use portcullis_api::session_certificate::SessionCertificateCreate;
use portcullis_api::signer::{SignerCreate, SignerUpdate};
use portcullis_api::terminator::{TerminatorCreate, TerminatorMerge};
use portcullis_domain::ids::RequestId;

type Reader = fn(&[u8]) -> Result<String, String>;

const READERS: &[Reader] = &[
    read::<AuthPolicyBody>,
    read::<MergeAuthPolicy>,
    read::<Authenticate>,
    read::<AuthenticatorCreate>,
    read::<AuthenticatorPatch>,
    read::<AuthenticatorReplace>,
    read::<Extend>,
    read::<ExtendVerify>,
    read::<CaCreate>,
    read::<CaMerge>,
    read::<ConfigCreate>,
    read::<ConfigMerge>,
    read::<ConfigTypeCreate>,
    read::<ConfigTypeMerge>,
    read::<EdgeRouterBody>,
    read::<EdgeRouterMerge>,
    read::<EdgeRouterPolicyBody>,
    read::<EdgeRouterPolicyMerge>,
    read::<Enroll>,
    read::<EnrollErott>,
    read::<EnrollOtt>,
    read::<EnrollmentCreate>,
    read::<EnrollmentRefresh>,
    read::<CreateIdentity>,
    read::<DisableIdentity>,
    read::<PatchIdentity>,
    read::<ReplaceIdentity>,
    read::<MfaAnswer>,
    read::<MfaCode>,
    read::<PostureCheckBody>,
    read::<PostureCheckMerge>,
    read::<PostureResponseBulk>,
    read::<PostureResponseCreate>,
    read::<RevocationCreate>,
    read::<ServiceCreate>,
    read::<ServiceMerge>,
    read::<ServiceConfigAssignments>,
    read::<ServicePolicyBody>,
    read::<ServicePolicyMerge>,
    read::<SessionCreate>,
    read::<SessionCertificateCreate>,
    read::<SignerCreate>,
    read::<SignerUpdate>,
    read::<TerminatorCreate>,
    read::<TerminatorMerge>,
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
    let written = portcullis_api::json::to_bytes(&body.because(error.into_cause()));
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
