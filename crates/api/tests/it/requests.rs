//! Recorded requests are taken and refused as recorded, with the departures that were decided.

use crate::recorded::{Step, steps};
use portcullis_api::authenticate::Authenticate;
use portcullis_api::decode::{Decode, DecodeError};
use portcullis_api::enroll::GenericEnroll;
use portcullis_api::enrollment::{EnrollmentCreate, EnrollmentRefresh};
use portcullis_api::identity::{
    DisableParams, IdentityCreateRequest, IdentityPatchRequest, IdentityUpdateRequest,
};
use serde_json::Value;

/// Requests that the reference takes and that are refused here, because they lose or hide
/// something there.
const REFUSED_HERE: &[&str] = &[
    "identities-create: several enrollment members",
    "identities-create: updb and ottca",
    "identities-create: type Router",
    "identities-create-errors: nested tag value",
    "identities-create-errors: name empty",
    "identities-update: merge with empty name",
];

#[test]
fn requests_are_judged_as_recorded() {
    let steps = steps();
    let mut judged = 0;
    for step in &steps {
        let Some(result) = judge(step) else { continue };
        judged += 1;
        let was_refused = is_refused_body(step);
        let is_refusal_due = was_refused || REFUSED_HERE.contains(&step.name.as_str());
        assert_eq!(result.is_err(), is_refusal_due, "{}: {result:?}", step.name);
        if let (Err(error), true) = (&result, was_refused) {
            let recorded = step.answer["error"]["code"].as_str().unwrap();
            assert_eq!(error.code().name(), recorded, "{}: {error}", step.name);
        }
    }
    println!("{judged} recorded requests were judged");
    assert!(steps.is_empty() || judged > 100, "{judged}");
}

/// Reads the body of the request, if it is of a kind that is known here.
fn judge(step: &Step) -> Option<Result<(), DecodeError>> {
    // The reference looks at the session before the body.
    if step.status == 401 && !step.path.starts_with("/authenticate") {
        return None;
    }
    let path = step.path.split('?').next()?;
    let (collection, rest) = path
        .strip_prefix('/')?
        .split_once('/')
        .unwrap_or((&path[1..], ""));
    let body = step.request.as_ref()?;
    let read = match (step.method.as_str(), collection, rest) {
        ("POST", "identities", "") => read::<IdentityCreateRequest>(body),
        ("PUT", "identities", rest) if !rest.contains('/') => read::<IdentityUpdateRequest>(body),
        ("PATCH", "identities", rest) if !rest.contains('/') => read::<IdentityPatchRequest>(body),
        ("POST", "identities", rest) if rest.ends_with("/disable") => read::<DisableParams>(body),
        ("POST", "enrollments", "") => read::<EnrollmentCreate>(body),
        ("POST", "enrollments", rest) if rest.ends_with("/refresh") => {
            read::<EnrollmentRefresh>(body)
        },
        ("POST", "authenticate", "") => read::<Authenticate>(body),
        ("POST", "enroll", "") => read::<GenericEnroll>(body),
        _ => return None,
    };
    Some(read)
}

fn read<T: Decode>(body: &Value) -> Result<(), DecodeError> {
    T::from_body(body.to_string().as_bytes()).map(drop)
}

/// Whether the reference refused the request for what the body alone says.
fn is_refused_body(step: &Step) -> bool {
    let error = &step.answer["error"];
    let reason = error["cause"]["reason"].as_str().unwrap_or_default();
    match error["code"].as_str() {
        Some("COULD_NOT_PARSE_BODY") => true,
        Some("COULD_NOT_VALIDATE") => {
            reason.contains(" in body ") || reason.contains("may not be prefixed")
        },
        _ => false,
    }
}
