//! Identity types.

use crate::describe::JsonSchema;
use crate::entity::Base;
use crate::link::Links;
use portcullis_domain::clock::Timestamp;
use portcullis_domain::identity::IdentityType;
use serde::{Deserialize, Serialize};
use std::borrow::Cow;

/// An identity type.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct IdentityTypeDetail {
    /// Members common to all entities.
    #[serde(flatten)]
    pub base: Base<Cow<'static, str>>,
    /// Name, which is also the id.
    pub name: Cow<'static, str>,
}

impl IdentityTypeDetail {
    /// The type `kind`, created at `created_at`.
    pub fn new(kind: IdentityType, created_at: Timestamp) -> Self {
        let name = Cow::Borrowed(kind.name());
        let links = Links::with_self(format!("identity-types/{name}"));
        Self {
            base: Base::unchanging(links, name.clone(), created_at),
            name,
        }
    }
}
