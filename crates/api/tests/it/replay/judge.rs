//! Whether requests are taken and refused as recorded.

use crate::recorded::Step;
use portcullis_api::decode::DecodeError;
use portcullis_api::service::UnknownStrategyError;
use portcullis_domain::FieldError;

/// Requests that the reference takes without doing what they say, and that are refused here.
const REFUSED_HERE: &[&str] = &["update-names: merge service empty name"];

/// What the reference says of a member that the body alone cannot tell.
const BEYOND_THE_BODY: &[&str] = &[
    "must be unique",
    "found with the given ids",
    "invalid config type",
    "is invalid: ",
    "invalid schema",
];

/// Why a request is refused.
#[derive(Debug)]
pub(super) struct Refusal {
    code: &'static str,
    /// The member at fault and what was given.
    member: Option<(String, String)>,
}

impl From<DecodeError> for Refusal {
    fn from(error: DecodeError) -> Self {
        let code = error.code().name();
        let member = match error {
            DecodeError::Field(error) => Some((error.field, error.value)),
            DecodeError::Parse(_) => None,
        };
        Self { code, member }
    }
}

impl From<FieldError> for Refusal {
    fn from(error: FieldError) -> Self {
        DecodeError::from(error).into()
    }
}

impl From<UnknownStrategyError> for Refusal {
    fn from(_: UnknownStrategyError) -> Self {
        Self {
            code: "NOT_FOUND",
            member: None,
        }
    }
}

/// Compares what became of a request with what became of it then.
pub(super) fn check(step: &Step, result: &Result<(), Refusal>) {
    let refusal = result.as_ref().err().map(|refusal| {
        let member = refusal.member.as_ref();
        let member = member.map(|(field, value)| (&**field, &**value));
        (refusal.code, member)
    });
    assert_eq!(refusal, expected(step), "{}", step.name);
}

/// The code, the member at fault and what was given, if the body tells that it is to be refused.
fn expected(step: &Step) -> Option<(&str, Option<(&str, &str)>)> {
    if REFUSED_HERE.contains(&step.name.as_str()) {
        return Some(("COULD_NOT_VALIDATE", Some(("name", ""))));
    }
    let error = &step.answer["error"];
    let cause = &error["cause"];
    let text = |name: &str| cause[name].as_str().unwrap_or_default();
    match error["code"].as_str()? {
        code @ "COULD_NOT_VALIDATE" => {
            let reason = text("reason");
            let is_told = !BEYOND_THE_BODY.iter().any(|words| reason.contains(words));
            is_told.then(|| (code, cause["field"].as_str().zip(cause["value"].as_str())))
        },
        code @ "COULD_NOT_PARSE_BODY" => Some((code, None)),
        code @ "NOT_FOUND" => text("message")
            .starts_with("terminatorStrategy")
            .then_some((code, None)),
        _ => None,
    }
}
