//! Who judges posture checks where a service is used through a router.

use portcullis_domain::ids::RouterId;
use portcullis_domain::router::Router;
use portcullis_posture::MachineJudge;
use portcullis_storage::engine::StoreError;
use portcullis_storage::tables::{Found, Rows, reference};
use std::sync::Arc;

/// Who judges checks about machines for clients of a router: the router itself, if it said so when it
/// connected.
pub(crate) fn machine_judge(rows: Rows<'_>, router: &RouterId) -> Result<MachineJudge, StoreError> {
    let router: Option<Found<Arc<Router>>> = rows.find_shared(&reference(router))?;
    let judges = router.is_some_and(|found| found.entity.spec.reported.judges_posture());
    Ok(if judges {
        MachineJudge::Router
    } else {
        MachineJudge::Here
    })
}
