//! Identities to create.

use super::mistake::Mistake;
use portcullis_api::decode::{Decode as _, DecodeError};
use portcullis_api::identity::IdentityCreateRequest;
use portcullis_domain::enrollment::EnrollmentMethod;
use serde_json::{Map, Value};
use std::collections::HashMap;

/// An identity to create.
#[derive(Debug)]
pub(super) struct Row {
    /// Line of the file in which it begins, from 1.
    pub(super) line: u64,
    /// Body of the request.
    pub(super) body: Map<String, Value>,
    /// The body as the controller understands it.
    pub(super) request: IdentityCreateRequest,
}

impl Row {
    /// Judges a body as the controller does. `field_name` translates the name of a member into that of
    /// the field in the file.
    pub(super) fn judge(
        line: u64,
        body: Map<String, Value>,
        field_name: impl Fn(&str) -> String,
    ) -> Result<Self, Mistake> {
        // A map with string keys can always be written.
        let bytes = serde_json::to_vec(&body).unwrap_or_default();
        match IdentityCreateRequest::from_body(&bytes) {
            Ok(request) => Ok(Self {
                line,
                body,
                request,
            }),
            Err(DecodeError::Field(error)) => Err(Mistake::in_field(
                line,
                &field_name(&error.field),
                error.reason,
            )),
            Err(DecodeError::Parse(reason)) => Err(Mistake::in_line(line, reason)),
        }
    }

    pub(super) fn name(&self) -> &str {
        self.request.spec.name.as_str()
    }

    /// Whether the identity gets an enrollment, and so a token.
    pub(super) fn has_token(&self) -> bool {
        self.request.enrollment.is_some()
    }

    /// Reference to its authentication policy, if it names one.
    pub(super) fn auth_policy(&self) -> Option<&str> {
        self.body.get("authPolicyId")?.as_str()
    }

    /// Reference to the third-party CA with whose certificate it enrolls.
    pub(super) fn third_party_ca(&self) -> Option<&str> {
        self.body.get("enrollment")?.get("ottca")?.as_str()
    }

    pub(super) fn set_auth_policy(&mut self, id: &str) {
        self.body.insert("authPolicyId".to_owned(), id.into());
    }

    pub(super) fn set_third_party_ca(&mut self, id: &str) {
        let enrollment = serde_json::json!({"ottca": id});
        self.body.insert("enrollment".to_owned(), enrollment);
    }
}

/// Finds what has to be unique and occurs twice in the file.
pub(super) fn find_duplicates(rows: &[Row]) -> Vec<Mistake> {
    let mut first_lines = HashMap::new();
    let mut mistakes = Vec::new();
    for row in rows {
        let spec = &row.request.spec;
        let username = match &row.request.enrollment {
            Some(EnrollmentMethod::Updb { username }) => Some(username.as_str()),
            _ => None,
        };
        let values = [
            ("name", Some(row.name())),
            ("external id", spec.external_id.as_deref()),
            ("username", username),
        ];
        for (field, value) in values {
            let Some(value) = value else { continue };
            let first = *first_lines.entry((field, value)).or_insert(row.line);
            if first != row.line {
                let message = format!("`{value}` is already in line {first}");
                mistakes.push(Mistake::in_field(row.line, field, message));
            }
        }
    }
    mistakes
}
