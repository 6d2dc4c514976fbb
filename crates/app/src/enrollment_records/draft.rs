//! Enrollments ready to be stored: signed and sealed.

use crate::app::App;
use crate::error::AppError;
use portcullis_domain::api_session::TokenHash;
use portcullis_domain::clock::{self, Timestamp};
use portcullis_domain::enrollment::{Enrollment, EnrollmentMethod, EnrollmentPurpose};
use portcullis_domain::entropy;
use portcullis_domain::ids::{EnrollmentId, IdentityId, RecordNumber};
use portcullis_pki::EnrollmentClaims;
use portcullis_storage::key::RecordKey;
use portcullis_storage::tables::{ENROLLMENT, RowsMut, StoredEnrollment, identity_key};

/// Domain of the keyed hash of tokens, so that different kinds of tokens never collide.
const TOKEN_DOMAIN: &str = "enrollment token";

/// An enrollment that was signed and sealed before its transaction.
#[derive(Debug, Clone)]
pub(crate) struct EnrollmentDraft {
    pub(crate) key: RecordKey,
    pub(crate) stored: StoredEnrollment,
}

impl EnrollmentDraft {
    /// Creates an enrollment of an identity.
    pub(crate) fn new(
        app: &App,
        (identity_number, identity): (RecordNumber, &IdentityId),
        method: EnrollmentMethod,
        expires_at: Timestamp,
    ) -> Result<Self, AppError> {
        let purpose = EnrollmentPurpose::Identity {
            identity: identity.clone(),
            method,
        };
        Self::for_holder(app, &identity_key(identity_number), purpose, expires_at)
    }

    /// Creates an enrollment of the owner with the record `holder`.
    pub(crate) fn for_holder(
        app: &App,
        holder: &RecordKey,
        purpose: EnrollmentPurpose,
        expires_at: Timestamp,
    ) -> Result<Self, AppError> {
        let now = app.env().now();
        let enrollment = Enrollment::new(
            EnrollmentId::generate(&*app.env().entropy)?,
            purpose,
            clock::to_millisecond(expires_at),
            now,
        );
        let number = app.next_number(ENROLLMENT);
        let key = holder.dependent(ENROLLMENT, number.0);
        Self::seal(app, key, enrollment)
    }

    pub(crate) fn purpose(&self) -> &EnrollmentPurpose {
        &self.stored.enrollment.purpose
    }

    pub(crate) fn id(&self) -> &EnrollmentId {
        &self.stored.enrollment.id
    }

    /// Replaces the method by another one of the same kind; only the kind is signed.
    pub(crate) fn with_method(mut self, new: EnrollmentMethod) -> Self {
        if let EnrollmentPurpose::Identity { method, .. } = &mut self.stored.enrollment.purpose {
            *method = new;
        }
        self
    }

    /// Generates a token for `enrollment`, signs the JWT and seals both.
    pub(crate) fn seal(
        app: &App,
        key: RecordKey,
        enrollment: Enrollment,
    ) -> Result<Self, AppError> {
        let token = entropy::uuid(&*app.env().entropy)?;
        let claims = EnrollmentClaims::enrollment(
            app.network().issuer(),
            enrollment.purpose.owner_id(),
            enrollment.purpose.method_name(),
            token.as_str(),
            enrollment.expires_at,
            app.network().control_addresses().to_vec(),
        );
        let jwt = app
            .network()
            .serving_state()
            .jwt_signer
            .sign(&claims)
            .map_err(AppError::internal)?;
        let stored = StoredEnrollment {
            enrollment,
            token_hash: token_hash(app, &token),
            token: app.vault.seal(&key, "token", token.as_bytes())?,
            jwt: app.vault.seal(&key, "jwt", jwt.as_bytes())?,
        };
        Ok(Self { key, stored })
    }
}

pub(crate) fn insert(rows: &mut RowsMut<'_>, draft: &EnrollmentDraft) -> Result<(), AppError> {
    Ok(rows.insert(&draft.key, &draft.stored)?)
}

/// Keyed hash by which a token is looked up.
pub(crate) fn token_hash(app: &App, token: &str) -> TokenHash {
    TokenHash(app.vault.lookup_hash(TOKEN_DOMAIN, token.as_bytes()))
}
