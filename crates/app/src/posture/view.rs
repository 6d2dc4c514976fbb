//! Posture data for administrators.

use super::ReadData;
use super::context::{PostureContext, enrolled_at};
use crate::app::App;
use crate::error::AppError;
use crate::state::posture_store::SessionNumbers;
use portcullis_domain::access::Permit;
use portcullis_domain::api_session::ApiSession;
use portcullis_domain::identity::Identity;
use portcullis_domain::ids::{IdentityId, RecordNumber};
use portcullis_domain::posture::FailedRequest;
use portcullis_domain::view::PostureView;
use portcullis_posture::{MachineJudge, Posture, valid_totp_pass};
use portcullis_storage::engine::StoreError;
use portcullis_storage::key::RecordKey;
use portcullis_storage::tables::{Found, Rows, reference};
use std::collections::BTreeMap;
use std::sync::Arc;

/// Reads the newest posture data of an identity's sessions; empty for an identity that does not
/// exist.
pub fn read_data(
    app: &App,
    _permit: &Permit<ReadData>,
    id: &IdentityId,
) -> Result<PostureView, AppError> {
    let view = app.snapshot()?;
    let rows = view.rows();
    let Some(identity): Option<Found<Identity>> = rows.find(&reference(id))? else {
        return Ok(PostureView::default());
    };
    let number = identity.number();
    let reported: BTreeMap<_, _> = app.posture.list_by_identity(number).into_iter().collect();
    let mut live_postures: Vec<&Arc<Posture>> = Vec::new();
    let mut sessions = Vec::new();
    for found in relevant_sessions(rows, &identity, &reported)? {
        live_postures.extend(reported.get(&found.number()));
        let numbers: SessionNumbers = (number, found.number());
        let context =
            PostureContext::for_session(app, rows, numbers, &found.entity, MachineJudge::Here)?;
        sessions.push(context.client().view(found.entity.id));
    }
    let newest = Posture::newest(live_postures.into_iter().map(|posture| &**posture));
    Ok(newest.view(sessions))
}

/// The sessions of an identity that reported posture data or passed TOTP.
fn relevant_sessions(
    rows: Rows<'_>,
    identity: &Found<Identity>,
    reported: &BTreeMap<RecordNumber, Arc<Posture>>,
) -> Result<Vec<Found<ApiSession>>, StoreError> {
    let enrolled_at = enrolled_at(rows, identity.number(), &identity.entity)?;
    let mut sessions = rows.dependents::<ApiSession>(&identity.key)?;
    sessions.retain(|found| {
        reported.contains_key(&found.number())
            || valid_totp_pass(found.entity.totp.passed_at, enrolled_at).is_some()
    });
    Ok(sessions)
}

/// Reads the last requests of an identity that failed posture checks, oldest first.
pub fn read_refusals(
    app: &App,
    _permit: &Permit<ReadData>,
    id: &IdentityId,
) -> Result<Vec<Arc<FailedRequest>>, AppError> {
    let key: Option<RecordKey> = app.snapshot()?.rows().locate(&reference(id))?;
    let number = key.map(|key| RecordNumber(key.id().1));
    Ok(number
        .map(|number| app.posture.refusals(number))
        .unwrap_or_default())
}
