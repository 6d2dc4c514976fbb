//! Members common to all entities.

use crate::describe::JsonSchema;
use crate::link::Links;
use crate::time::WireTime;
use portcullis_domain::clock::Timestamp;
use portcullis_domain::tags::Tags;
use serde::{Deserialize, Serialize};

/// Members common to all entities; `I` is the id type.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Base<I> {
    /// Links to the entity and to related entities.
    #[serde(rename = "_links", default)]
    pub links: Links,
    /// When it was created.
    pub created_at: WireTime,
    /// Its id.
    pub id: I,
    /// User-defined tags.
    #[serde(default)]
    #[schemars(with = "crate::schema::Tags")]
    pub tags: Tags,
    /// When it last changed.
    pub updated_at: WireTime,
}

impl<I> Base<I> {
    /// The members of an entity without tags that never changes.
    pub fn unchanging(links: Links, id: I, created_at: Timestamp) -> Self {
        Self {
            links,
            created_at: created_at.into(),
            id,
            tags: Tags::default(),
            updated_at: created_at.into(),
        }
    }
}
