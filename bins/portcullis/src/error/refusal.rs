//! Error responses of controllers in plain words.

use crate::error::CliError;
use portcullis_api::code::Code;
use portcullis_api::error::{Cause, FieldCause};
use portcullis_client::RefusalError;

/// Describes a refusal. What is wrong with a field, or refers to the entity, needs no introduction.
pub(super) fn describe(refusal: &RefusalError) -> String {
    match (refusal.code(), field(refusal)) {
        (Some(Code::CouldNotValidate), Some(FieldCause { field, reason, .. })) => {
            format!("`{field}`: {reason}")
        },
        (
            Some(Code::CanNotDeleteReferencedEntity | Code::EnrollmentExists),
            Some(FieldCause { reason, .. }),
        ) => reason.clone(),
        _ => refusal.to_string(),
    }
}

/// The field that the controller refused.
pub(crate) fn field(refusal: &RefusalError) -> Option<&FieldCause> {
    match &refusal.body.as_ref()?.error.cause {
        Some(Cause::Field(field)) => Some(field),
        _ => None,
    }
}

/// The name that the controller refused because another entity has it. OpenZiti's controllers speak
/// of a duplicate.
pub(crate) fn taken_name(refusal: &RefusalError) -> Option<&str> {
    let FieldCause {
        field,
        reason,
        value,
    } = field(refusal)?;
    let is_taken = reason.starts_with("is already in use") || reason.starts_with("duplicate value");
    (field == "name" && is_taken && !value.is_empty()).then_some(value)
}

/// Whether an answer is not in the form that controllers use. Faults may come from a proxy.
pub(crate) fn is_foreign(refusal: &RefusalError) -> bool {
    refusal.body.is_none() && refusal.status < 500
}

/// Adds hints on what to do about a refusal.
pub(super) fn with_hints(error: CliError, refusal: &RefusalError) -> CliError {
    let error = match (refusal.retry_after, hint(refusal)) {
        (Some(seconds), _) => error.hint(format!("try again in {seconds} s")),
        (None, Some(hint)) => error.hint(hint),
        (None, None) => error,
    };
    if refusal.status >= 500 && refusal.request_id().is_some() {
        error.hint("the log of the controller says more about this request")
    } else {
        error
    }
}

fn hint(refusal: &RefusalError) -> Option<&'static str> {
    if is_foreign(refusal) {
        return Some("check that this is the address of a controller");
    }
    Some(match refusal.code()? {
        Code::InvalidSortIdentifier => "sort orders look like `name` or `createdAt desc, name`",
        Code::InvalidFilter => "filters look like `name contains \"lap\" and isAdmin = false`",
        Code::EnrollmentExpired => {
            "ask the administrator for a new token (`portcullis enrollment refresh`)"
        },
        Code::InvalidEnrollmentToken => {
            "the token may already have been used; ask the administrator for a new one"
        },
        Code::ServerTooManyRequests | Code::RateLimited | Code::Timeout => "try again later",
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use portcullis_api::error::ErrorBody;
    use portcullis_domain::FieldError;
    use portcullis_domain::ids::RequestId;

    fn refusal(code: Code, field: FieldError) -> RefusalError {
        let body = ErrorBody::new(code, RequestId::from_wire("r1"));
        RefusalError {
            status: 400,
            body: Some(body.with_cause(field.into())),
            retry_after: None,
        }
    }

    #[test]
    fn wrong_fields_are_told_without_an_introduction() {
        let wrong = FieldError::new("name", "must not be blank", "");
        let wrong = refusal(Code::CouldNotValidate, wrong);
        assert_eq!(describe(&wrong), "`name`: must not be blank");
        assert_eq!(taken_name(&wrong), None);
        let used = FieldError::new("config", "the type is used by the config c", "[c]");
        let used = refusal(Code::CanNotDeleteReferencedEntity, used);
        assert_eq!(describe(&used), "the type is used by the config c");
    }

    #[test]
    fn taken_names_are_told_by_each_controller_in_its_words() {
        for reason in [
            "is already in use; choose another name",
            "duplicate value 'anna' in unique index on identities store",
        ] {
            let taken = FieldError::new("name", reason, "anna");
            assert_eq!(
                taken_name(&refusal(Code::CouldNotValidate, taken)),
                Some("anna")
            );
        }
    }

    #[test]
    fn faults_of_the_controller_lead_to_its_log() {
        let body = ErrorBody::new(Code::Unhandled, RequestId::from_wire("r1"));
        let fault = RefusalError {
            status: 503,
            body: Some(body),
            retry_after: Some(5),
        };
        let error = with_hints(CliError::failed("x"), &fault);
        assert_eq!(
            error.hints,
            [
                "try again in 5 s",
                "the log of the controller says more about this request"
            ]
        );
    }
}
