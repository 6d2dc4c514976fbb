//! Failed posture checks as the cause of an error.

use super::Cause;
use portcullis_domain::posture::PolicyFailure;
use serde_json::{Map, Value, json};

impl Cause {
    /// The failed policies, each with its failed checks. Clients use them to decide what to report, or
    /// whether to prompt for an MFA code.
    pub fn posture(failures: &[PolicyFailure]) -> Self {
        let ids: Vec<&str> = failures.iter().map(|failure| failure.id.as_str()).collect();
        let message = format!(
            "the device does not pass the posture checks of these policies: {}",
            ids.join(", ")
        );
        let data: Map<String, Value> = failures
            .iter()
            .map(|failure| (failure.id.to_string(), checks(failure)))
            .collect();
        Self::data(data.into(), Some(message))
    }
}

fn checks(failure: &PolicyFailure) -> Value {
    let checks = failure.checks.iter().map(|failure| {
        let check = &failure.check;
        let kind = check.spec.check.check_type().name();
        json!({"id": check.id.as_str(), "isPassing": false, "typeId": kind})
    });
    checks.collect()
}
