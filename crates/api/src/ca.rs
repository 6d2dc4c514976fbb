//! Wire types of third-party certificate authorities.

mod external_id_claim;
mod request;

pub use external_id_claim::{ExternalIdClaimDetail, ExternalIdClaimPatch};
pub use request::{CaCreate, CaPatch, CaUpdate};

use crate::describe::JsonSchema;
use crate::entity::Base;
use crate::link::{EntityRef, Links};
use portcullis_domain::ca::Ca;
use portcullis_domain::ids::CaId;
use portcullis_domain::roles::RoleAttributes;
use portcullis_domain::view::CaRef;
use serde::{Deserialize, Serialize};
use std::borrow::Cow;

/// Name of the collection in paths.
const PLURAL: &str = "cas";

/// A third-party certificate authority.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct CaDetail {
    /// Members common to all entities.
    #[serde(flatten)]
    #[schemars(with = "Base<String>")]
    pub base: Base<CaId>,
    /// Its certificate, PEM.
    pub cert_pem: String,
    /// Location of the external id in its certificates, if they carry one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub external_id_claim: Option<ExternalIdClaimDetail>,
    /// Lower-case hex SHA-1 of its certificate.
    pub fingerprint: String,
    /// Name format of automatically enrolled identities.
    pub identity_name_format: String,
    /// Role attributes of automatically enrolled identities; `null` if there are none.
    #[schemars(with = "Option<Vec<String>>")]
    pub identity_roles: Option<RoleAttributes>,
    /// Whether its certificates may be used to authenticate.
    pub is_auth_enabled: bool,
    /// Whether the holder of one of its certificates may enroll as a new identity.
    pub is_auto_ca_enrollment_enabled: bool,
    /// Whether its certificates may be used to complete `ottca` enrollments.
    pub is_ott_ca_enrollment_enabled: bool,
    /// Whether possession of its private key was proven. Until then it cannot be used.
    pub is_verified: bool,
    /// Unique name.
    pub name: String,
    /// Common name that a certificate signed by the CA has to carry to prove possession of its key.
    #[serde(default)]
    pub verification_token: String,
}

impl From<Ca> for CaDetail {
    fn from(ca: Ca) -> Self {
        let links = links(&CaRef::from(&ca));
        let spec = ca.spec;
        let settings = spec.settings;
        Self {
            base: Base {
                links,
                created_at: ca.created_at.into(),
                id: ca.id,
                tags: settings.tags,
                updated_at: ca.updated_at.into(),
            },
            cert_pem: spec.pem,
            external_id_claim: settings.external_id_claim.map(Into::into),
            fingerprint: spec.fingerprint,
            identity_name_format: settings.identity_name_format,
            identity_roles: Some(settings.identity_roles).filter(|roles| !roles.is_empty()),
            is_auth_enabled: settings.is_auth_enabled,
            is_auto_ca_enrollment_enabled: settings.is_auto_enrollment_enabled,
            is_ott_ca_enrollment_enabled: settings.is_ott_enrollment_enabled,
            is_verified: spec.is_verified,
            name: settings.name,
            verification_token: spec.verification_token,
        }
    }
}

impl From<CaRef> for EntityRef {
    fn from(ca: CaRef) -> Self {
        Self {
            links: links(&ca),
            entity: Cow::Borrowed(PLURAL),
            id: ca.id.to_string(),
            name: ca.name,
        }
    }
}

/// Links include the actions that are possible next.
fn links(ca: &CaRef) -> Links {
    let path = format!("{PLURAL}/{}", ca.id);
    let mut links = Links::with_self(&path);
    if ca.is_auto_enrollment_enabled {
        links = links.with("jwt", format!("{path}/jwt"));
    }
    if !ca.is_verified {
        links = links.with("verify", format!("{path}/verify"));
    }
    links
}

#[cfg(test)]
mod tests;
