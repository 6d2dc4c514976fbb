//! `portcullis mfa status`.

use super::own;
use crate::commands::login::missing;
use crate::context::{Context, Session};
use crate::error::CliError;
use crate::table::Table;
use portcullis_api::api_session::ApiSessionDetail;
use portcullis_api::mfa::MfaDetail;
use portcullis_api::time::WireTime;
use portcullis_client::Api;
use portcullis_domain::ids::MfaId;
use serde::Serialize;

/// Shown below the help of `mfa status`.
pub(super) const EXAMPLES: &str = "\
States of an enrollment:
  not enrolled  logins ask for no code; `portcullis mfa enroll` changes that
  started       the first code is missing, and logins ask for none; `portcullis mfa verify` finishes
  enrolled      every login asks for a code

Examples:
  portcullis mfa status
  portcullis mfa status --output json | jq -r .state";

/// How far an enrollment has come.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) enum State {
    NotEnrolled,
    Started,
    Enrolled,
}

/// The result for programs.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct Status {
    state: State,
    #[serde(skip_serializing_if = "Option::is_none")]
    id: Option<MfaId>,
    #[serde(skip_serializing_if = "Option::is_none")]
    created_at: Option<WireTime>,
    #[serde(skip_serializing_if = "Option::is_none")]
    updated_at: Option<WireTime>,
    session: Held,
}

/// What is told of the session.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct Held {
    /// Whether it was opened, or is, by somebody who is enrolled.
    is_mfa_required: bool,
    /// Whether a code was accepted on it.
    is_mfa_complete: bool,
    /// Whether it can do little else before a code was accepted.
    is_code_missing: bool,
}

pub(super) async fn run(context: &Context, session: &Session) -> Result<(), CliError> {
    let held = session.client.current_session(Api::Client).await?;
    let status = Status::new(own::find(&session.client).await?, &held);
    context.output.result(&status, || table(&status))
}

impl Status {
    fn new(found: Option<MfaDetail>, session: &ApiSessionDetail) -> Self {
        let state = match &found {
            None => State::NotEnrolled,
            Some(found) if found.is_verified => State::Enrolled,
            Some(_) => State::Started,
        };
        let base = found.map(|found| found.base);
        Self {
            state,
            created_at: base.as_ref().map(|base| base.created_at),
            updated_at: base.as_ref().map(|base| base.updated_at),
            id: base.map(|base| base.id),
            session: Held {
                is_mfa_required: session.is_mfa_required,
                is_mfa_complete: session.is_mfa_complete,
                is_code_missing: session.auth_queries.iter().any(missing::is_code),
            },
        }
    }

    /// What is to be done, if something is.
    fn next(&self) -> Option<&'static str> {
        match (self.state, self.session.is_code_missing) {
            (State::NotEnrolled, true) => Some("portcullis mfa enroll"),
            (State::Started, _) => Some("portcullis mfa verify"),
            (State::Enrolled, true) => Some("portcullis login"),
            (State::NotEnrolled | State::Enrolled, false) => None,
        }
    }
}

fn table(status: &Status) -> Table {
    let state = match status.state {
        State::NotEnrolled => "not enrolled",
        State::Started => "started, awaiting the first code",
        State::Enrolled => "enrolled",
    };
    let held = &status.session;
    let session = match status.state {
        _ if held.is_mfa_complete => "a code was accepted",
        State::Enrolled if held.is_code_missing => "awaiting a code",
        _ if held.is_code_missing => "awaiting your enrollment: your auth policy requires it",
        _ => "needs no code",
    };
    let time = |time: Option<WireTime>| time.map_or_else(String::new, |time| time.to_string());
    let table = Table::of_properties()
        .property("state", state)
        .property("id", status.id.as_ref().map_or("", MfaId::as_str))
        .property("started", time(status.created_at))
        .property("changed", time(status.updated_at))
        .property("session", session);
    match status.next() {
        Some(next) => table.footer(format!("next: {next}")),
        None => table,
    }
}
