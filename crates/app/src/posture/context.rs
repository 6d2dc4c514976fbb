//! Context for the evaluation of posture checks.

use crate::app::App;
use crate::error::AppError;
use crate::records::own_session_key;
use crate::state::posture_store::SessionNumbers;
use portcullis_domain::access::{AccessDeniedError, Caller};
use portcullis_domain::api_session::ApiSession;
use portcullis_domain::clock::Timestamp;
use portcullis_domain::identity::{Identity, TotpState};
use portcullis_domain::ids::RecordNumber;
use portcullis_posture::{Client, MachineJudge, Posture, valid_totp_pass};
use portcullis_storage::engine::StoreError;
use portcullis_storage::tables::{Rows, StoredMfa, identity_key};
use std::sync::Arc;

/// Everything that posture checks evaluate about a session.
#[derive(Debug)]
pub(crate) struct PostureContext {
    posture: Arc<Posture>,
    totp_passed_at: Option<Timestamp>,
    identity: Arc<Identity>,
    machine_judge: MachineJudge,
}

impl PostureContext {
    pub(crate) fn for_caller(
        app: &App,
        rows: Rows<'_>,
        caller: &Caller,
        machine_judge: MachineJudge,
    ) -> Result<Self, AppError> {
        let session: Arc<ApiSession> = rows
            .get_shared(&own_session_key(caller))?
            .ok_or(AccessDeniedError)?;
        let numbers = (caller.identity_number, caller.session_number);
        Self::for_session(app, rows, numbers, &session, machine_judge)
    }

    /// Checks about the machine are left to `machine_judge` if they may be: those of a session of OIDC
    /// that has reported nothing about its machine here. It may report to routers alone.
    pub(crate) fn for_session(
        app: &App,
        rows: Rows<'_>,
        numbers: SessionNumbers,
        session: &ApiSession,
        machine_judge: MachineJudge,
    ) -> Result<Self, AppError> {
        let (number, _) = numbers;
        let identity: Arc<Identity> = rows
            .get_shared(&identity_key(number))?
            .ok_or(AccessDeniedError)?;
        let enrolled_at = enrolled_at(rows, number, &identity)?;
        let posture = app.posture.get(numbers);
        let may_be_left = session.oidc.is_some() && !posture.tells_of_machine();
        Ok(Self {
            machine_judge: if may_be_left {
                machine_judge
            } else {
                MachineJudge::Here
            },
            posture,
            totp_passed_at: valid_totp_pass(session.totp.passed_at, enrolled_at),
            identity,
        })
    }

    /// The input of the evaluation.
    pub(crate) fn client(&self) -> Client<'_> {
        Client {
            posture: &self.posture,
            totp_passed_at: self.totp_passed_at,
            sdk: &self.identity.sdk_info,
            machine_judge: self.machine_judge,
        }
    }
}

/// When the current TOTP enrollment of an identity began, if it is verified.
pub(super) fn enrolled_at(
    rows: Rows<'_>,
    number: RecordNumber,
    identity: &Identity,
) -> Result<Option<Timestamp>, StoreError> {
    if identity.attached.totp != TotpState::Verified {
        return Ok(None);
    }
    let present = rows.dependents::<StoredMfa>(&identity_key(number))?;
    Ok(present.first().map(|found| found.entity.mfa.created_at))
}
