//! Enrollments: create, read, list, refresh, delete, redeem.

mod automatic;
mod draft;
mod fault;
mod holder;
mod list;
mod redeem;
pub(crate) mod secrets;
mod with_token;

pub use automatic::{Newcomer, enroll_newcomer};
pub(crate) use draft::{Draft, insert};
pub use fault::CertificateFault;
pub(crate) use holder::Holder;
pub use list::{list, list_of};
pub use redeem::{Proof, Redeemed, Redemption, RouterProof, redeem};
pub use with_token::{TokenEnrolled, TokenEnrollment, with_token};

use crate::action::actions;
use crate::app::App;
use crate::authenticators;
use crate::cas;
use crate::error::AppError;
use crate::identities;
use crate::rank::WaysIn;
use draft::hash;
use portcullis_domain::FieldError;
use portcullis_domain::access::{Access, Caller, Permit};
use portcullis_domain::clock::{self, Timestamp};
use portcullis_domain::enrollment::{Method, MethodKind, Purpose, RedemptionError};
use portcullis_domain::identity::{Identity, IdentityType};
use portcullis_domain::ids::{EnrollmentId, IdentityId, Number};
use portcullis_domain::permission::{Subject, Verb};
use portcullis_domain::view::{EnrollmentHolder, EnrollmentView};
use portcullis_storage::key::RecordKey;
use portcullis_storage::tables::{Found, Index, Rows, StoredEnrollment, UniqueValue};

actions! {
    /// Reads one enrollment or a list.
    Read = Access::Granted(Subject::Enrollment, Verb::Read);
    /// Creates an enrollment for an identity that exists.
    Create = Access::Granted(Subject::Enrollment, Verb::Create);
    /// Refreshes an enrollment.
    Update = Access::Granted(Subject::Enrollment, Verb::Update);
    /// Deletes an enrollment.
    Delete = Access::Granted(Subject::Enrollment, Verb::Delete);
}

/// The fault of a method that names an authority that does not exist.
pub(crate) fn unknown_authority(
    rows: Rows<'_>,
    purpose: &Purpose,
) -> Result<Option<FieldError>, AppError> {
    let Some(ca) = purpose.ca() else {
        return Ok(None);
    };
    let is_known = cas::find_if_any(rows, ca)?.is_some();
    Ok((!is_known).then(|| FieldError::new("caId", "no CA with this id exists", ca.as_str())))
}

/// Reads one enrollment.
pub fn read(
    app: &App,
    permit: &Permit<Read>,
    id: &EnrollmentId,
) -> Result<EnrollmentView, AppError> {
    let view = app.snapshot()?;
    let found = find(view.rows(), id)?;
    let holder = Holder::of(view.rows(), &found)?;
    holder.check_rank(permit.caller())?;
    look(app, permit.caller(), found, &holder)
}

/// Puts an enrollment together with whose it is.
fn look(
    app: &App,
    caller: &Caller,
    found: Found<StoredEnrollment>,
    holder: &Holder,
) -> Result<EnrollmentView, AppError> {
    let shown = secrets::are_shown_of(WaysIn::of(app), caller, holder);
    let (enrollment, secrets) = secrets::unseal_if(app, found, shown)?;
    Ok(EnrollmentView {
        enrollment,
        secrets,
        holder: match holder {
            Holder::Identity(identity) => EnrollmentHolder::Identity(identity.as_ref().into()),
            Holder::Router(router) => EnrollmentHolder::Router(router.as_ref().into()),
        },
    })
}

/// An enrollment to create for an identity that exists.
#[derive(Debug, Clone)]
pub struct CreateEnrollment {
    /// The identity.
    pub identity: IdentityId,
    /// How it is to be redeemed, or what is missing to know that; an identity that does not exist
    /// is reported before.
    pub method: Result<Method, FieldError>,
    /// When it is to end.
    pub expires_at: Timestamp,
}

/// Creates an enrollment for an identity that exists.
pub async fn create(
    app: &App,
    permit: &Permit<Create>,
    input: CreateEnrollment,
) -> Result<EnrollmentId, AppError> {
    let CreateEnrollment {
        identity: id,
        method,
        expires_at,
    } = input;
    let expires_at = clock::to_millisecond(expires_at);
    if expires_at <= app.env().now() {
        return Err(identities::unknown(
            "expiresAt",
            IN_THE_FUTURE,
            &expires_at.to_string(),
        ));
    }
    let unknown =
        || identities::unknown("identityId", "no identity with this id exists", id.as_str());
    let key = match identities::find(app.snapshot()?.rows(), &id) {
        Ok(identity) => identity.key,
        Err(AppError::NotFound { .. }) => return Err(unknown()),
        Err(error) => return Err(error),
    };
    let method = method.map_err(AppError::InvalidField)?;
    let draft = Draft::new(app, (Number(key.id().1), &id), method, expires_at)?;
    let enrollment = draft.id().clone();
    let ways_in = WaysIn::of(app);
    app.commit_for(permit, move |rows, caller| {
        let gone =
            || identities::unknown("identityId", "no identity with this id exists", id.as_str());
        let identity: Identity = rows.rows().get(&key)?.ok_or_else(gone)?;
        ways_in.check(caller, &identity)?;
        if identity.kind == IdentityType::Router {
            let reason = "router identities authenticate with their router's certificate and \
                          cannot have other credentials";
            return Err(FieldError::new("identityId", reason, id.as_str()).into());
        }
        if let Some(unknown) = unknown_authority(rows.rows(), draft.purpose())? {
            return Err(AppError::InvalidField(unknown));
        }
        check_room(rows.rows(), &key, draft.purpose())?;
        insert(rows, &draft)
    })
    .await?;
    Ok(enrollment)
}

/// Checks that an identity has neither an enrollment of this kind nor a password that a second one
/// would stand beside.
pub(crate) fn check_room(
    rows: Rows<'_>,
    identity: &RecordKey,
    purpose: &Purpose,
) -> Result<(), AppError> {
    let Some(kind) = purpose.method().map(Method::kind) else {
        return Ok(());
    };
    let present = rows.dependents::<StoredEnrollment>(identity)?;
    if present
        .iter()
        .filter_map(|other| other.entity.enrollment.purpose.method())
        .any(|method| method.kind() == kind)
    {
        return Err(AppError::EnrollmentExists(kind));
    }
    if kind == MethodKind::Updb {
        authenticators::check_free(rows, identity, kind.name())
    } else {
        Ok(())
    }
}

const IN_THE_FUTURE: &str = "must be in the future";

/// The end of an enrollment, if it lies in the future.
pub(crate) fn end_after(now: Timestamp, end: Timestamp) -> Result<Timestamp, AppError> {
    let end = clock::to_millisecond(end);
    if end > now {
        Ok(end)
    } else {
        Err(FieldError::new("expiresAt", IN_THE_FUTURE, end.to_string()).into())
    }
}

/// Gives an enrollment a new token and time. The old token opens nothing from then on.
pub async fn refresh(
    app: &App,
    permit: &Permit<Update>,
    id: &EnrollmentId,
    expires_at: Timestamp,
) -> Result<(), AppError> {
    let now = app.env().now();
    let expires_at = end_after(now, expires_at)?;
    let found = find(app.snapshot()?.rows(), id)?;
    let mut enrollment = found.entity.enrollment.clone();
    if enrollment.purpose.method().is_none() {
        // Routers are enrolled again by an operation of their own.
        return Err(RedemptionError::WrongMethod.into());
    }
    enrollment.updated_at = now;
    enrollment.expires_at = expires_at;
    enrollment.is_outgrown = false;
    let draft = Draft::seal(app, found.key, enrollment)?;
    let (wanted, ways_in) = (id.clone(), WaysIn::of(app));
    app.commit_for(permit, move |rows, caller| {
        rows.operation("enrollment.refresh", wanted.as_str());
        // It may have been redeemed or refreshed since it was read; what is there now counts.
        let found = find(rows.rows(), &wanted)?;
        if let Holder::Identity(identity) = Holder::of(rows.rows(), &found)? {
            ways_in.check(caller, &identity)?;
        }
        Ok(rows.replace(&found.key, &found.entity, &draft.stored)?)
    })
    .await?;
    Ok(())
}

/// Deletes an enrollment. Its token opens nothing from then on.
pub async fn delete(app: &App, permit: &Permit<Delete>, id: &EnrollmentId) -> Result<(), AppError> {
    let wanted = id.clone();
    app.commit_for(permit, move |rows, caller| {
        let found = find(rows.rows(), &wanted)?;
        Holder::of(rows.rows(), &found)?.check_rank(caller)?;
        Ok(rows.remove(&found.key, &found.entity)?)
    })
    .await?;
    Ok(())
}

fn find(rows: Rows<'_>, id: &EnrollmentId) -> Result<Found<StoredEnrollment>, AppError> {
    rows.find(&UniqueValue::new(Index::EnrollmentId, id.as_str()))?
        .ok_or_else(|| AppError::not_found("enrollment", id.as_str()))
}
