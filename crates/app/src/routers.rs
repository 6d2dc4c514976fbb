//! Edge routers and transit routers.
//!
//! Both are one kind of record with a common namespace. The operations on edge routers ignore
//! transit routers; those on transit routers show all routers and only change transit routers.

mod certificates;
mod companion;
mod connected;
mod decommission;
mod extend;
mod extend_connected;
mod management;
mod peers;
mod re_enroll;
mod report;
mod tunneler;
mod usable;

pub use certificates::{RouterCertificates, RouterCsrs};
pub(crate) use certificates::{check_enabled, issue};
pub use companion::{CompanionEnrollment, prepare_companion};
pub(crate) use connected::find_connected;
pub use connected::{ConnectedRouter, RouterRefusal, admit, recheck};
pub use decommission::decommission;
pub use extend::extend;
pub use extend_connected::{ExtensionError, confirm_extension, extend_connected};
pub use management::{
    FingerprintChange, RouterSet, create, delete, list, patch, read, register, replace,
};
pub use peers::{PeerRefusal, verify_peer};
pub use re_enroll::re_enroll;
pub use report::{RouterHello, report_hello, report_interfaces};
pub(crate) use tunneler::is_owned_by_router;
pub use usable::{list_usable, list_usable_for_service};

use crate::action::actions;
use crate::app::App;
use crate::configs;
use crate::enrollment_records::{EnrollmentDraft, secrets};
use crate::error::AppError;
use crate::managed::{ReservedNumbers, Resource, Update, ViewContext};
use portcullis_domain::access::{Access, Action as _, Caller};
use portcullis_domain::clock;
use portcullis_domain::config::ConfigTarget;
use portcullis_domain::enrollment::{Enrollment, EnrollmentPurpose, EnrollmentSecrets};
use portcullis_domain::ids::RouterId;
use portcullis_domain::permission::Subject;
use portcullis_domain::router::{Router, RouterSpec};
use portcullis_domain::view::ManagedRouterView;
use portcullis_storage::key::{Kind, RecordKey};
use portcullis_storage::tables::{
    EDGE_ROUTER_POLICY, Found, IDENTITY, Rows, RowsMut, StoredEnrollment,
};

actions! {
    /// Reads the edge routers that the caller may use.
    ReadOwnRouters = Access::Full;
}

impl Resource for RouterSpec {
    const SUBJECT: Subject = Subject::Router;
    type View = ManagedRouterView;

    fn build_view(
        context: ViewContext<'_>,
        found: Found<Router>,
    ) -> Result<ManagedRouterView, AppError> {
        Ok(ManagedRouterView {
            enrollment: find_pending_enrollment(&context, &found.key)?,
            connection: context.app.live_network().router(&found.entity.id),
            router: found.entity,
        })
    }

    fn validate(rows: Rows<'_>, before: Option<&Router>, after: &Router) -> Result<(), AppError> {
        // Existing configurations may be of a type that was changed since.
        if before.is_none_or(|before| before.spec.configs != after.spec.configs) {
            configs::validate_configs(rows, &after.spec.configs, ConfigTarget::Router)?;
        }
        Ok(())
    }

    const RESERVED_KINDS: &'static [Kind] = &[IDENTITY, EDGE_ROUTER_POLICY];

    fn after_write(
        rows: &mut RowsMut<'_>,
        before: Option<&Router>,
        after: &Found<Router>,
        reserved: &ReservedNumbers,
        caller: &Caller,
    ) -> Result<(), AppError> {
        tunneler::after_write(rows, before, &after.entity, reserved, caller)
    }

    fn remove(
        rows: &mut RowsMut<'_>,
        found: &Found<Router>,
        caller: &Caller,
    ) -> Result<(), AppError> {
        tunneler::remove(rows, &found.entity, caller)?;
        Ok(rows.remove_router(found)?)
    }
}

/// The pending enrollment of a router.
fn find_pending_enrollment(
    context: &ViewContext<'_>,
    router: &RecordKey,
) -> Result<Option<(Enrollment, Option<EnrollmentSecrets>)>, AppError> {
    let pending: Vec<Found<StoredEnrollment>> = context.rows.dependents(router)?;
    let newest = pending.into_iter().next_back();
    let shown = can_read_enrollment_secrets(context.caller);
    newest
        .map(|found| secrets::unseal_if(context.app, found, shown))
        .transpose()
}

/// Whether a caller may read the secrets of router enrollments, which are as good as a router's
/// certificate: only callers who may re-enroll routers.
pub(crate) fn can_read_enrollment_secrets(caller: &Caller) -> bool {
    caller.has_access(Update::<RouterSpec>::ACCESS)
}

/// Drafts an enrollment of a router.
fn draft_enrollment(
    app: &App,
    key: &RecordKey,
    id: &RouterId,
    is_edge: bool,
) -> Result<EnrollmentDraft, AppError> {
    let purpose = EnrollmentPurpose::Router {
        router: id.clone(),
        is_edge,
    };
    let duration = app.settings().router_enrollment_duration;
    EnrollmentDraft::for_holder(
        app,
        key,
        purpose,
        clock::saturating_add(app.env().now(), duration),
    )
}
