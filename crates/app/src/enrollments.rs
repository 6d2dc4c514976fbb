//! Enrollments: create, read, list, refresh, delete, redeem.

mod automatic;
mod fault;
mod holder;
mod list;
mod redeem;
mod with_token;

pub use automatic::{Newcomer, enroll_newcomer};
pub use fault::CertificateFault;
pub(crate) use holder::Holder;
pub use list::{list, list_of};
pub use redeem::{Proof, Redeemed, Redemption, RouterProof, redeem};
pub use with_token::{TokenEnrolled, TokenEnrollment, with_token};

use crate::action::actions;
use crate::app::App;
use crate::audit;
use crate::authenticators;
use crate::cas;
use crate::error::AppError;
use crate::identities;
use portcullis_domain::FieldError;
use portcullis_domain::access::{Access, Caller, Permit};
use portcullis_domain::api_session::TokenHash;
use portcullis_domain::clock::Timestamp;
use portcullis_domain::enrollment::{
    Enrollment, EnrollmentSecrets, Method, MethodKind, Purpose, RedemptionError,
};
use portcullis_domain::entropy;
use portcullis_domain::identity::{Identity, IdentityType};
use portcullis_domain::ids::{EnrollmentId, IdentityId, Number};
use portcullis_domain::permission::{Subject, Verb};
use portcullis_domain::tags::Tags;
use portcullis_domain::view::{EnrollmentHolder, EnrollmentView};
use portcullis_pki::EnrollmentClaims;
use portcullis_storage::key::RecordKey;
use portcullis_storage::tables::{
    ENROLLMENT, Found, Index, Rows, RowsMut, StoredEnrollment, UniqueValue, identity_key,
};

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

/// Whose token, under the keyed hash: tokens of different kinds never meet.
const TOKEN_DOMAIN: &str = "enrollment token";

/// An enrollment made ready for the store: signed and sealed before any transaction.
#[derive(Debug, Clone)]
pub(crate) struct Draft {
    key: RecordKey,
    stored: StoredEnrollment,
}

impl Draft {
    /// Makes an enrollment of an identity.
    pub(crate) fn new(
        app: &App,
        (identity_number, identity): (Number, &IdentityId),
        method: Method,
        expires_at: Timestamp,
    ) -> Result<Self, AppError> {
        let purpose = Purpose::Identity {
            identity: identity.clone(),
            method,
        };
        Self::under(app, &identity_key(identity_number), purpose, expires_at)
    }

    /// Makes an enrollment of whoever has the record `holder`.
    pub(crate) fn under(
        app: &App,
        holder: &RecordKey,
        purpose: Purpose,
        expires_at: Timestamp,
    ) -> Result<Self, AppError> {
        let now = app.env().now();
        let enrollment = Enrollment {
            id: EnrollmentId::generate(&*app.env().entropy)?,
            created_at: now,
            updated_at: now,
            tags: Tags::default(),
            purpose,
            expires_at: whole_seconds(expires_at)?,
            is_outgrown: false,
        };
        let number = app.number(ENROLLMENT);
        let key = holder.dependent(ENROLLMENT, number.0);
        Self::seal(app, key, enrollment)
    }

    /// Who is to obtain a credential, and how.
    pub(crate) fn purpose(&self) -> &Purpose {
        &self.stored.enrollment.purpose
    }

    /// Id of the enrollment.
    pub(crate) fn id(&self) -> &EnrollmentId {
        &self.stored.enrollment.id
    }

    /// The same enrollment, redeemed in another way of the same kind: what is signed names the kind
    /// alone.
    pub(crate) fn redeemed_by(mut self, new: Method) -> Self {
        if let Purpose::Identity { method, .. } = &mut self.stored.enrollment.purpose {
            *method = new;
        }
        self
    }

    /// Draws a token for `enrollment`, signs it and seals both.
    fn seal(app: &App, key: RecordKey, enrollment: Enrollment) -> Result<Self, AppError> {
        let token = entropy::uuid(&*app.env().entropy)?;
        let claims = EnrollmentClaims::enrollment(
            app.network().issuer(),
            enrollment.purpose.holder(),
            enrollment.purpose.name(),
            token.as_str(),
            enrollment.expires_at,
            app.network().control_addresses().to_vec(),
        );
        let jwt = app
            .network()
            .served()
            .jwt_signer
            .sign(&claims)
            .map_err(AppError::internal)?;
        let stored = StoredEnrollment {
            enrollment,
            token_hash: hash(app, &token),
            token: app.vault.seal(&key, "token", token.as_bytes())?,
            jwt: app.vault.seal(&key, "jwt", jwt.as_bytes())?,
        };
        Ok(Self { key, stored })
    }
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
    Ok((!is_known).then(|| FieldError::new("caId", "ca not found", ca.as_str())))
}

/// Adds an enrollment to the store.
pub(crate) fn insert(rows: &mut RowsMut<'_>, draft: &Draft) -> Result<(), AppError> {
    Ok(rows.insert(&draft.key, &draft.stored)?)
}

/// Opens what redeems a stored enrollment.
pub(crate) fn unseal(
    app: &App,
    found: Found<StoredEnrollment>,
) -> Result<(Enrollment, EnrollmentSecrets), AppError> {
    let secrets = EnrollmentSecrets {
        token: app
            .vault
            .open_text(&found.key, "token", &found.entity.token)?,
        jwt: app.vault.open_text(&found.key, "jwt", &found.entity.jwt)?,
    };
    Ok((found.entity.enrollment, secrets))
}

/// The hash under which a token is found.
fn hash(app: &App, token: &str) -> TokenHash {
    TokenHash(app.vault.lookup_hash(TOKEN_DOMAIN, token.as_bytes()))
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
    look(app, found, &holder)
}

/// Puts an enrollment together with whose it is.
fn look(
    app: &App,
    found: Found<StoredEnrollment>,
    holder: &Holder,
) -> Result<EnrollmentView, AppError> {
    let (enrollment, secrets) = unseal(app, found)?;
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
    let expires_at = whole_seconds(expires_at)?;
    if expires_at <= app.env().now() {
        return Err(identities::unknown(
            "expiresAt",
            IN_THE_FUTURE,
            &expires_at.to_string(),
        ));
    }
    let unknown = || identities::unknown("identityId", "identity not found", id.as_str());
    let key = match identities::find(app.snapshot()?.rows(), &id) {
        Ok(identity) => identity.key,
        Err(AppError::NotFound { .. }) => return Err(unknown()),
        Err(error) => return Err(error),
    };
    let method = method.map_err(AppError::InvalidField)?;
    let draft = Draft::new(app, (Number(key.id().1), &id), method, expires_at)?;
    let enrollment = draft.id().clone();
    app.commit_for(permit, move |rows, caller| {
        let gone = || identities::unknown("identityId", "identity not found", id.as_str());
        let identity: Identity = rows.rows().get(&key)?.ok_or_else(gone)?;
        check_rank(caller, &identity)?;
        if identity.kind == IdentityType::Router {
            let reason = "the identity of a router authenticates as its router does";
            return Err(FieldError::new("identityId", reason, id.as_str()).into());
        }
        if let Some(unknown) = unknown_authority(rows.rows(), draft.purpose())? {
            return Err(AppError::InvalidField(unknown));
        }
        check_room(rows.rows(), &key, draft.purpose())?;
        insert(rows, &draft)
    })
    .await?;
    audit::changed(permit.caller(), "enrollment.create", enrollment.as_str());
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

const IN_THE_FUTURE: &str = "must be after the current date and time";

/// The end of an enrollment, if it lies in the future.
pub(crate) fn end_after(now: Timestamp, end: Timestamp) -> Result<Timestamp, AppError> {
    let end = whole_seconds(end)?;
    if end > now {
        Ok(end)
    } else {
        Err(FieldError::new("expiresAt", IN_THE_FUTURE, end.to_string()).into())
    }
}

/// Tokens name whole seconds; the store does not promise more than they do.
fn whole_seconds(instant: Timestamp) -> Result<Timestamp, AppError> {
    Timestamp::from_second(instant.as_second()).map_err(AppError::internal)
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
    let wanted = id.clone();
    app.commit_for(permit, move |rows, caller| {
        // It may have been redeemed or refreshed since it was read; what is there now counts.
        let found = find(rows.rows(), &wanted)?;
        Holder::of(rows.rows(), &found)?.check_rank(caller)?;
        Ok(rows.replace(&found.key, &found.entity, &draft.stored)?)
    })
    .await?;
    audit::changed(permit.caller(), "enrollment.refresh", id.as_str());
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
    audit::changed(permit.caller(), "enrollment.delete", id.as_str());
    Ok(())
}

/// Whether a caller may hold the means to become `identity`: it must not gain by it.
pub(crate) fn outranks(caller: &Caller, identity: &Identity) -> bool {
    caller.is_admin
        || (!identity.has_admin_rights()
            && identity
                .spec
                .permissions
                .as_ref()
                .is_none_or(|held| caller.permissions.covers(held)))
}

/// Checks that a caller may hold the means to become `identity`.
fn check_rank(caller: &Caller, identity: &Identity) -> Result<(), AppError> {
    if outranks(caller, identity) {
        Ok(())
    } else {
        Err(AppError::Denied {
            rule: Some(
                "the identity may do more than the caller; only an administrator may enroll it",
            ),
        })
    }
}

fn find(rows: Rows<'_>, id: &EnrollmentId) -> Result<Found<StoredEnrollment>, AppError> {
    rows.find(&UniqueValue::new(Index::EnrollmentId, id.as_str()))?
        .ok_or_else(|| AppError::not_found("enrollment", id.as_str()))
}
