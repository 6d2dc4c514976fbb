//! Stored enrollments with sealed secrets.

use super::values::{UniqueValue, references};
use super::{ENROLLMENT, Entity, MFA, UniqueIndex, Versions, entity_change};
use crate::key::Kind;
use portcullis_domain::api_session::TokenHash;
use portcullis_domain::change::{Change, Owner};
use portcullis_domain::enrollment::Enrollment;
use portcullis_domain::ids::RecordNumber;
use portcullis_domain::mfa::Mfa;
use serde::{Deserialize, Serialize};

/// An enrollment with its sealed secrets and the lookup hash of its token.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct StoredEnrollment {
    pub enrollment: Enrollment,
    /// The token, sealed by the vault as the field `token`.
    pub token: String,
    /// The JWT, sealed by the vault as the field `jwt`.
    pub jwt: String,
    /// Keyed hash of the token.
    pub token_hash: TokenHash,
}

impl Entity for StoredEnrollment {
    const KIND: Kind = ENROLLMENT;

    fn unique_values(&self) -> Vec<UniqueValue> {
        vec![
            UniqueValue::new(UniqueIndex::EnrollmentId, self.enrollment.id.as_str()),
            UniqueValue::new(UniqueIndex::EnrollmentToken, self.token_hash.0),
        ]
    }

    fn references(&self) -> Vec<UniqueValue> {
        references(self.enrollment.purpose.ca()).collect()
    }

    fn change(owner: Option<Owner>, number: RecordNumber, versions: Versions<'_, Self>) -> Change {
        Change::Enrollment(entity_change(
            owner,
            number,
            versions.map(|stored| &stored.enrollment),
        ))
    }
}

/// A TOTP enrollment with its sealed secrets.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct StoredMfa {
    pub mfa: Mfa,
    /// The secret, sealed by the vault as the field `secret`.
    pub secret: String,
    /// The recovery codes, including used ones, sealed by the vault as the field `recovery codes`.
    pub recovery_codes: String,
}

impl Entity for StoredMfa {
    const KIND: Kind = MFA;

    fn unique_values(&self) -> Vec<UniqueValue> {
        // Found by its identity only.
        Vec::new()
    }

    fn change(owner: Option<Owner>, number: RecordNumber, versions: Versions<'_, Self>) -> Change {
        Change::Mfa(entity_change(
            owner,
            number,
            versions.map(|stored| &stored.mfa),
        ))
    }
}
