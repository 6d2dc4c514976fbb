//! Third-party certificate authorities on the wire.

mod claim;
mod request;

pub use claim::{ClaimChange, ClaimDetail};
pub use request::{CaCreate, CaMerge, CaReplace};

use crate::entity::Base;
use crate::link::{EntityRef, Links};
use portcullis_domain::ca::Ca;
use portcullis_domain::ids::CaId;
use portcullis_domain::roles::RoleAttributes;
use portcullis_domain::view::CaRef;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::borrow::Cow;

/// Plural of the kind, as in paths.
const PLURAL: &str = "cas";

/// A third-party certificate authority.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct CaDetail {
    /// The members that every entity has.
    #[serde(flatten)]
    #[schemars(with = "Base<String>")]
    pub base: Base<CaId>,
    /// Its certificate, PEM.
    pub cert_pem: String,
    /// Where its certificates name the external id of their holder, if they do.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub external_id_claim: Option<ClaimDetail>,
    /// Lower-case hex SHA-1 of its certificate.
    pub fingerprint: String,
    /// How identities that it enrolls by itself are named.
    pub identity_name_format: String,
    /// The role attributes of identities that it enrolls by itself; `null` for none.
    #[schemars(with = "Option<Vec<String>>")]
    pub identity_roles: Option<RoleAttributes>,
    /// Whether its certificates are a way in.
    pub is_auth_enabled: bool,
    /// Whether whoever holds one of its certificates becomes an identity.
    pub is_auto_ca_enrollment_enabled: bool,
    /// Whether enrollments may be redeemed with its certificates.
    pub is_ott_ca_enrollment_enabled: bool,
    /// Whether it was proved that its key is held. Before that it lets nobody in.
    pub is_verified: bool,
    /// Its unique name.
    pub name: String,
    /// The common name that proves, in a certificate signed by it, that its key is held.
    #[serde(default)]
    pub verification_token: String,
}

impl From<Ca> for CaDetail {
    fn from(ca: Ca) -> Self {
        let links = links(&CaRef::from(&ca));
        let spec = ca.spec;
        Self {
            base: Base {
                links,
                created_at: ca.created_at.into(),
                id: ca.id,
                tags: spec.tags,
                updated_at: ca.updated_at.into(),
            },
            cert_pem: ca.pem,
            external_id_claim: spec.external_id_claim.map(Into::into),
            fingerprint: ca.fingerprint,
            identity_name_format: spec.identity_name_format,
            identity_roles: Some(spec.identity_roles).filter(|roles| !roles.is_empty()),
            is_auth_enabled: spec.is_auth_enabled,
            is_auto_ca_enrollment_enabled: spec.is_auto_enrollment_enabled,
            is_ott_ca_enrollment_enabled: spec.is_ott_enrollment_enabled,
            is_verified: ca.is_verified,
            name: spec.name,
            verification_token: ca.verification_token,
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

/// What can be done next stands among the links.
fn links(ca: &CaRef) -> Links {
    let path = format!("{PLURAL}/{}", ca.id);
    let mut links = Links::to(&path);
    if ca.is_auto_enrollment_enabled {
        links = links.and("jwt", format!("{path}/jwt"));
    }
    if !ca.is_verified {
        links = links.and("verify", format!("{path}/verify"));
    }
    links
}

#[cfg(test)]
mod tests;
