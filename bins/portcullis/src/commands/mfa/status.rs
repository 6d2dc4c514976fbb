//! `portcullis mfa status`.

use super::own_enrollment;
use crate::auth_queries;
use crate::context::{Context, Session};
use crate::error::CliError;
use crate::moment;
use crate::table::Table;
use portcullis_api::api_session::ApiSessionDetail;
use portcullis_api::mfa::MfaDetail;
use portcullis_api::time::WireTime;
use portcullis_client::Api;
use portcullis_domain::clock::Timestamp;
use portcullis_domain::ids::MfaId;
use serde::Serialize;

/// Help footer of `mfa status`.
pub(super) const EXAMPLES: &str = "\
States of an enrollment:
  not enrolled  logins need no code; enroll with `portcullis mfa enroll`
  started       logins need no code yet; finish with `portcullis mfa verify` and the first code
  enrolled      every login needs a code

Examples:
  portcullis mfa status
  portcullis mfa status --output json | jq -r .state";

/// State of a TOTP enrollment.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) enum EnrollmentState {
    NotEnrolled,
    Started,
    Enrolled,
}

/// Machine-readable result.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct Status {
    state: EnrollmentState,
    #[serde(skip_serializing_if = "Option::is_none")]
    id: Option<MfaId>,
    #[serde(skip_serializing_if = "Option::is_none")]
    created_at: Option<WireTime>,
    #[serde(skip_serializing_if = "Option::is_none")]
    updated_at: Option<WireTime>,
    session: SessionStatus,
}

/// TOTP status of the session.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct SessionStatus {
    /// Whether its identity is or was enrolled.
    is_mfa_required: bool,
    /// Whether a code was accepted.
    is_mfa_complete: bool,
    /// Whether it is limited until a code is accepted.
    is_code_missing: bool,
}

pub(super) async fn run(context: &Context, session: &Session) -> Result<(), CliError> {
    let current = session.client.current_session(Api::Client).await?;
    let status = Status::new(own_enrollment::find(&session.client).await?, &current);
    context
        .output
        .write_result(&status, || table(&status, context.now()))
}

impl Status {
    fn new(found: Option<MfaDetail>, session: &ApiSessionDetail) -> Self {
        let state = match &found {
            None => EnrollmentState::NotEnrolled,
            Some(found) if found.is_verified => EnrollmentState::Enrolled,
            Some(_) => EnrollmentState::Started,
        };
        let base = found.map(|found| found.base);
        Self {
            state,
            created_at: base.as_ref().map(|base| base.created_at),
            updated_at: base.as_ref().map(|base| base.updated_at),
            id: base.map(|base| base.id),
            session: SessionStatus {
                is_mfa_required: session.is_mfa_required,
                is_mfa_complete: session.is_mfa_complete,
                is_code_missing: session.auth_queries.iter().any(auth_queries::is_totp),
            },
        }
    }

    /// Suggested next command.
    fn next(&self) -> Option<&'static str> {
        match (self.state, self.session.is_code_missing) {
            (EnrollmentState::NotEnrolled, true) => Some("portcullis mfa enroll"),
            (EnrollmentState::Started, _) => Some("portcullis mfa verify"),
            (EnrollmentState::Enrolled, true) => Some("portcullis login"),
            (EnrollmentState::NotEnrolled | EnrollmentState::Enrolled, false) => None,
        }
    }
}

fn table(status: &Status, now: Timestamp) -> Table {
    let state = match status.state {
        EnrollmentState::NotEnrolled => "not enrolled",
        EnrollmentState::Started => "started, awaiting the first code",
        EnrollmentState::Enrolled => "enrolled",
    };
    let held = &status.session;
    let session = match status.state {
        _ if held.is_mfa_complete => "a code was accepted",
        EnrollmentState::Enrolled if held.is_code_missing => "awaiting a code",
        _ if held.is_code_missing => "awaiting your enrollment: your auth policy requires it",
        _ => "needs no code",
    };
    let time = |time: Option<WireTime>| {
        let time = time.map(|time| moment::full(time, now));
        time.unwrap_or_default()
    };
    Table::with_properties()
        .property("state", state)
        .property("id", status.id.as_ref().map_or("", MfaId::as_str))
        .property("started", time(status.created_at))
        .property("updated", time(status.updated_at))
        .property("session", session)
        .next(status.next())
}
