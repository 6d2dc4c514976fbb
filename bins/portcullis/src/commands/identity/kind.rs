//! What an identity stands for.
//!
//! The controller knows one type for all identities but those of routers. What a person said is
//! kept as a tag, so that it can be shown and filtered.

use clap::ValueEnum;
use portcullis_api::identity::IdentityDetail;
use portcullis_domain::tags::{TagValue, Tags};

/// The tag that holds the type.
pub(crate) const TAG: &str = "type";

/// What an identity stands for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Kind {
    /// A machine
    Device,
    /// A program that offers something
    Service,
    /// A person
    User,
}

impl Kind {
    /// The word for it.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Device => "device",
            Self::Service => "service",
            Self::User => "user",
        }
    }

    /// Adds it to tags.
    pub(crate) fn tag(self, tags: &Tags) -> Tags {
        let others = tags.iter().filter(|(key, _)| *key != TAG);
        let others = others.map(|(key, value)| (key.to_owned(), value.clone()));
        let own = (TAG.to_owned(), TagValue::Text(self.name().to_owned()));
        others.chain([own]).collect()
    }
}

/// The word that is shown for the type of an identity.
pub(crate) fn shown(identity: &IdentityDetail) -> &str {
    match identity.base.tags.get(TAG) {
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
        let tagged = serde_json::to_string(&Kind::Device.tag(&tags)).unwrap();
        assert_eq!(tagged, r#"{"a":1,"type":"device"}"#);
    }
}
