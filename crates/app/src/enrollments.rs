//! Enrollments: create, read, list, refresh, delete, redeem.

mod list;
mod redeem;

pub use list::{list, list_of};
pub use redeem::{Proof, Redeemed, Redemption, redeem};

use crate::action::actions;
use crate::app::App;
use crate::audit;
use crate::error::AppError;
use crate::identities;
use portcullis_domain::FieldError;
use portcullis_domain::access::{Access, Caller, Permit};
use portcullis_domain::api_session::TokenHash;
use portcullis_domain::clock::Timestamp;
use portcullis_domain::enrollment::{Enrollment, EnrollmentSecrets, Method};
use portcullis_domain::entropy;
use portcullis_domain::identity::Identity;
use portcullis_domain::ids::{EnrollmentId, IdentityId, Number};
use portcullis_domain::permission::{Subject, Verb};
use portcullis_domain::tags::Tags;
use portcullis_domain::view::{EnrollmentView, IdentityRef};
use portcullis_pki::EnrollmentClaims;
use portcullis_storage::engine::StoreError;
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
        identity_number: Number,
        identity: &IdentityId,
        method: Method,
        expires_at: Timestamp,
    ) -> Result<Self, AppError> {
        let now = app.env().now();
        let enrollment = Enrollment {
            id: EnrollmentId::generate(&*app.env().entropy)?,
            created_at: now,
            updated_at: now,
            tags: Tags::default(),
            identity: identity.clone(),
            method,
            // Tokens name whole seconds; the store does not promise more than they do.
            expires_at: Timestamp::from_second(expires_at.as_second())
                .map_err(AppError::internal)?,
        };
        let number = app.number(ENROLLMENT);
        let key = identity_key(identity_number).dependent(ENROLLMENT, number.0);
        Self::seal(app, key, enrollment)
    }

    /// Draws a token for `enrollment`, signs it and seals both.
    fn seal(app: &App, key: RecordKey, enrollment: Enrollment) -> Result<Self, AppError> {
        let token = entropy::uuid(&*app.env().entropy)?;
        let claims = EnrollmentClaims::enrollment(
            app.network().issuer(),
            enrollment.identity.as_str(),
            enrollment.method.kind().name(),
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
    let identity = owner(view.rows(), &found)?;
    check_rank(permit.caller(), &identity.entity)?;
    look(app, found, &identity.entity)
}

/// Puts an enrollment together with whose it is.
fn look(
    app: &App,
    found: Found<StoredEnrollment>,
    identity: &Identity,
) -> Result<EnrollmentView, AppError> {
    let (enrollment, secrets) = unseal(app, found)?;
    Ok(EnrollmentView {
        enrollment,
        secrets,
        identity: IdentityRef::from(identity),
    })
}

/// An enrollment to create for an identity that exists.
#[derive(Debug, Clone)]
pub struct CreateEnrollment {
    /// The identity.
    pub identity: IdentityId,
    /// How it is to be redeemed.
    pub method: Method,
    /// When it is to end.
    pub expires_at: Timestamp,
}

/// Creates an enrollment for an identity that exists.
pub async fn create(
    app: &App,
    permit: &Permit<Create>,
    input: CreateEnrollment,
) -> Result<EnrollmentId, AppError> {
    let unknown_identity =
        || identities::unknown("identityId", "identity not found", input.identity.as_str());
    if input.expires_at <= app.env().now() {
        return Err(identities::unknown(
            "expiresAt",
            "must be after the current date and time",
            &input.expires_at.to_string(),
        ));
    }
    let identity = match identities::find(app.snapshot()?.rows(), &input.identity) {
        Ok(identity) => identity,
        Err(AppError::NotFound { .. }) => return Err(unknown_identity()),
        Err(error) => return Err(error),
    };
    check_rank(permit.caller(), &identity.entity)?;
    if let Method::OttCa { ca } = &input.method {
        // Third-party authorities are a kind that has no members yet: none can be referred to.
        return Err(identities::unknown("caId", "ca not found", ca.as_str()));
    }
    let CreateEnrollment {
        identity: identity_id,
        method,
        expires_at,
    } = input;
    let draft = Draft::new(app, identity.number(), &identity_id, method, expires_at)?;
    let id = draft.stored.enrollment.id.clone();
    let identity_key = identity.key;
    app.commit(move |rows| {
        if rows.rows().get::<Identity>(&identity_key)?.is_none() {
            return Err(AppError::not_found("identity", identity_key.to_string()));
        }
        let kind = draft.stored.enrollment.method.kind();
        let present = rows.rows().dependents::<StoredEnrollment>(&identity_key)?;
        if present
            .iter()
            .any(|other| other.entity.enrollment.method.kind() == kind)
        {
            return Err(AppError::EnrollmentExists);
        }
        insert(rows, &draft)
    })
    .await?;
    audit::changed(permit.caller(), "enrollment.create", id.as_str());
    Ok(id)
}

/// Gives an enrollment a new token and time. The old token opens nothing from then on.
pub async fn refresh(
    app: &App,
    permit: &Permit<Update>,
    id: &EnrollmentId,
    expires_at: Timestamp,
) -> Result<(), AppError> {
    let now = app.env().now();
    if expires_at <= now {
        let reason = "must be after the current date and time";
        return Err(FieldError::new("expiresAt", reason, expires_at.to_string()).into());
    }
    let found = {
        let view = app.snapshot()?;
        let found = find(view.rows(), id)?;
        check_rank(permit.caller(), &owner(view.rows(), &found)?.entity)?;
        found
    };
    let mut enrollment = found.entity.enrollment.clone();
    enrollment.updated_at = now;
    enrollment.expires_at =
        Timestamp::from_second(expires_at.as_second()).map_err(AppError::internal)?;
    let draft = Draft::seal(app, found.key, enrollment)?;
    let id_text = id.to_string();
    app.commit(move |rows| {
        // It may have been redeemed or refreshed since it was read; what is there now counts.
        let now = rows
            .rows()
            .get::<StoredEnrollment>(&draft.key)?
            .ok_or_else(|| AppError::not_found("enrollment", id_text.as_str()))?;
        rows.replace(&draft.key, &now, &draft.stored)?;
        Ok::<_, AppError>(())
    })
    .await?;
    audit::changed(permit.caller(), "enrollment.refresh", id.as_str());
    Ok(())
}

/// Deletes an enrollment. Its token opens nothing from then on.
pub async fn delete(app: &App, permit: &Permit<Delete>, id: &EnrollmentId) -> Result<(), AppError> {
    let wanted = id.clone();
    let by_admin = permit.caller().is_admin;
    app.commit(move |rows| {
        let found = find(rows.rows(), &wanted)?;
        if owner(rows.rows(), &found)?.entity.has_admin_rights() && !by_admin {
            return Err(ADMINS_ONLY);
        }
        rows.remove(&found.key, &found.entity)?;
        Ok::<_, AppError>(())
    })
    .await?;
    audit::changed(permit.caller(), "enrollment.delete", id.as_str());
    Ok(())
}

const ADMINS_ONLY: AppError = AppError::Denied {
    rule: Some("only an administrator may enroll an administrator"),
};

fn check_rank(caller: &Caller, identity: &Identity) -> Result<(), AppError> {
    if identity.has_admin_rights() && !caller.is_admin {
        Err(ADMINS_ONLY)
    } else {
        Ok(())
    }
}

fn find(rows: Rows<'_>, id: &EnrollmentId) -> Result<Found<StoredEnrollment>, AppError> {
    rows.find(&UniqueValue::new(Index::EnrollmentId, id.as_str()))?
        .ok_or_else(|| AppError::not_found("enrollment", id.as_str()))
}

/// Whose enrollment it is. An enrollment cannot outlive its identity, so its absence is damage.
fn owner(rows: Rows<'_>, found: &Found<StoredEnrollment>) -> Result<Found<Identity>, AppError> {
    let key = identity_key(found.root_number());
    let entity = rows
        .get(&key)?
        .ok_or_else(|| StoreError::corrupt(format!("identity {key} is lost")))?;
    Ok(Found { key, entity })
}
