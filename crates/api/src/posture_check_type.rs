//! Wire types of posture check types.

use crate::describe::JsonSchema;
use crate::entity::Base;
use crate::link::Links;
use crate::posture_check::OperatingSystem;
use portcullis_domain::clock::Timestamp;
use portcullis_domain::posture_check::CheckSupport;
use serde::{Deserialize, Serialize};
use std::borrow::Cow;

/// A posture check type, with the operating systems that support it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct PostureCheckTypeDetail {
    /// Members common to all entities; the id is the value used in `typeId`.
    #[serde(flatten)]
    pub base: Base<Cow<'static, str>>,
    /// Display name.
    pub name: Cow<'static, str>,
    /// Supported operating systems with notable versions.
    pub operating_systems: Vec<OperatingSystem>,
    /// Always `null`: types have no versions.
    pub version: Option<String>,
}

impl PostureCheckTypeDetail {
    /// The type `support`, created at `created_at`.
    pub fn new(support: CheckSupport, created_at: Timestamp) -> Self {
        let id = support.check_type.name();
        let links = Links::with_self(format!("posture-check-types/{id}"));
        let systems = support.systems.iter();
        Self {
            base: Base::unchanging(links, Cow::Borrowed(id), created_at),
            name: Cow::Borrowed(support.name),
            operating_systems: systems
                .map(|(kind, versions)| OperatingSystem::new(*kind, versions.iter().copied()))
                .collect(),
            version: None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn types_have_their_form() {
        let show = |id: &str| {
            let support = CheckSupport::find(id).unwrap();
            let detail = PostureCheckTypeDetail::new(support, Timestamp::UNIX_EPOCH);
            let written = serde_json::to_value(&detail).unwrap();
            let read: PostureCheckTypeDetail = serde_json::from_value(written.clone()).unwrap();
            assert_eq!(read, detail);
            written
        };
        let time = "1970-01-01T00:00:00.000Z";
        assert_eq!(
            show("DOMAIN"),
            json!({
                "_links": {"self": {"href": "./posture-check-types/DOMAIN"}},
                "createdAt": time, "id": "DOMAIN", "tags": {}, "updatedAt": time,
                "name": "Windows Domain Check", "version": null,
                "operatingSystems": [
                    {"type": "Windows", "versions": ["10", "2000", "7", "8", "Vista"]}
                ]
            })
        );
        assert_eq!(
            show("PROCESS_MULTI")["operatingSystems"],
            json!([
                {"type": "Linux", "versions": null}, {"type": "Windows", "versions": null},
                {"type": "macOS", "versions": null}
            ])
        );
    }
}
