//! States of stored entities.

/// An entity before or after a change, if there is one: a JSON object, whole and on one line.
#[derive(Debug, Clone, Default)]
pub struct EntityState(Option<Vec<u8>>);

impl EntityState {
    /// The state of an entity as this object.
    pub const fn new(json: Vec<u8>) -> Self {
        Self(Some(json))
    }

    /// The object; `null` where there is no entity.
    pub fn json(&self) -> &[u8] {
        self.0.as_deref().unwrap_or(b"null")
    }

    pub(super) fn size(&self) -> usize {
        self.0.as_ref().map_or(0, Vec::capacity)
    }
}
