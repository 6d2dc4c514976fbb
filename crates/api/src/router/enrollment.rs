//! Pending enrollment of a router.

use crate::describe::JsonSchema;
use crate::secret;
use crate::time::WireTime;
use portcullis_domain::enrollment::{Enrollment, EnrollmentSecrets};
use secrecy::SecretString;
use serde::{Deserialize, Serialize};

/// The pending enrollment of a router; without members if there is none.
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct PendingRouterEnrollment {
    /// When it was created.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub enrollment_created_at: Option<WireTime>,
    /// When it expires.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub enrollment_expires_at: Option<WireTime>,
    /// Enrollment JWT, which is handed to the operator of the router; absent for callers that may not
    /// update routers.
    #[serde(
        default,
        skip_serializing_if = "Option::is_none",
        serialize_with = "secret::serialize_option"
    )]
    #[schemars(with = "Option<String>")]
    pub enrollment_jwt: Option<SecretString>,
    /// Enrollment token; absent for callers that may not update routers.
    #[serde(
        default,
        skip_serializing_if = "Option::is_none",
        serialize_with = "secret::serialize_option"
    )]
    #[schemars(with = "Option<String>")]
    pub enrollment_token: Option<SecretString>,
}

impl From<Option<(Enrollment, Option<EnrollmentSecrets>)>> for PendingRouterEnrollment {
    fn from(enrollment: Option<(Enrollment, Option<EnrollmentSecrets>)>) -> Self {
        let Some((enrollment, secrets)) = enrollment else {
            return Self::default();
        };
        let secrets = secrets.map(|secrets| (secrets.token, secrets.jwt));
        let (enrollment_token, enrollment_jwt) = secrets.unzip();
        Self {
            enrollment_created_at: Some(enrollment.created_at.into()),
            enrollment_expires_at: Some(enrollment.expires_at.into()),
            enrollment_jwt,
            enrollment_token,
        }
    }
}
