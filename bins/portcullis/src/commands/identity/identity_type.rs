//! Identity types.
//!
//! The controller has a single type for all identities except those of routers. The type that a user
//! chooses is stored as a tag, so that it can be shown and filtered.

use clap::ValueEnum;
use portcullis_api::identity::IdentityDetail;
use portcullis_domain::tags::{TagValue, Tags};

/// Tag that stores the type.
pub(crate) const TYPE_TAG: &str = "type";

/// Types of identities.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum IdentityType {
    /// A machine
    Device,
    /// A service
    Service,
    /// A person
    User,
}

impl IdentityType {
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Device => "device",
            Self::Service => "service",
            Self::User => "user",
        }
    }

    /// Adds the type to tags.
    pub(crate) fn with_tag(self, tags: &Tags) -> Tags {
        let others = tags.iter().filter(|(key, _)| *key != TYPE_TAG);
        let others = others.map(|(key, value)| (key.to_owned(), value.clone()));
        let own = (TYPE_TAG.to_owned(), TagValue::Text(self.name().to_owned()));
        others.chain([own]).collect()
    }
}

/// Type of an identity for tables.
pub(crate) fn display_type(identity: &IdentityDetail) -> &str {
    match identity.base.tags.get(TYPE_TAG) {
        Some(TagValue::Text(word)) => word,
        _ => &identity.kind.name,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn type_joins_the_other_tags() {
        let tags: Tags = serde_json::from_str(r#"{"a":1,"type":"user"}"#).unwrap();
        let tagged = serde_json::to_string(&IdentityType::Device.with_tag(&tags)).unwrap();
        assert_eq!(tagged, r#"{"a":1,"type":"device"}"#);
    }
}
