//! Links and entity references.

use crate::describe::JsonSchema;
use portcullis_domain::identity::IdentityType;
use portcullis_domain::ids::{AuthPolicyId, IdentityId};
use portcullis_domain::view::IdentityRef;
use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use std::collections::BTreeMap;

mod reference;

/// Links of an identity, besides `self` and its policy.
const IDENTITY_LINKS: [&str; 9] = [
    "authenticators",
    "edge-router-policies",
    "edge-routers",
    "enrollments",
    "failed-service-requests",
    "posture-data",
    "service-configs",
    "service-policies",
    "services",
];

/// A link.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Link {
    /// A path that begins with `./`, relative to the prefix of the API.
    pub href: String,
}

/// Links by their names.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(transparent)]
pub struct Links(BTreeMap<Cow<'static, str>, Link>);

impl Links {
    /// The link `self` to `./<path>`.
    pub fn with_self(path: impl AsRef<str>) -> Self {
        Self::default().with("self", path)
    }

    /// Adds a link to `./<path>`.
    #[must_use]
    pub fn with(self, name: &'static str, path: impl AsRef<str>) -> Self {
        self.with_segments(name, &[path.as_ref()])
    }

    /// Adds a link whose path is given in pieces.
    fn with_segments(mut self, name: &'static str, path: &[&str]) -> Self {
        let mut href =
            String::with_capacity(path.iter().map(|piece| piece.len()).sum::<usize>() + 2);
        href.push_str("./");
        href.extend(path.iter().copied());
        self.0.insert(Cow::Borrowed(name), Link { href });
        self
    }

    /// The link `self` to `./<path>`, and links to `./<path>/<name>` for each of the names in `below`.
    pub fn with_self_and_children(
        path: &str,
        below: impl IntoIterator<Item = &'static str>,
    ) -> Self {
        below
            .into_iter()
            .fold(Self::with_self(path), |links, name| {
                links.with_segments(name, &[path, "/", name])
            })
    }

    /// The links of an identity.
    pub fn of_identity(id: &IdentityId, policy: &AuthPolicyId) -> Self {
        Self::with_self_and_children(&format!("identities/{id}"), IDENTITY_LINKS)
            .with("auth-policies", format!("auth-policies/{policy}"))
    }

    /// The path of the link `name`.
    pub fn get(&self, name: &str) -> Option<&str> {
        self.0.get(name).map(|link| link.href.as_str())
    }
}

/// A reference to an entity.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct EntityRef {
    /// The links of the entity.
    #[serde(rename = "_links")]
    pub links: Links,
    /// Plural of its kind, as in paths.
    pub entity: Cow<'static, str>,
    /// Its id.
    pub id: String,
    /// Its name; absent for kinds without names.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub name: String,
}

impl EntityRef {
    /// A reference to an entity whose only link is `self`.
    pub fn new(entity: &'static str, id: impl Into<String>, name: impl Into<String>) -> Self {
        Self::with_links(entity, id, name, [])
    }

    /// A reference to an entity with links to the collections in `below`.
    pub(crate) fn with_links(
        entity: &'static str,
        id: impl Into<String>,
        name: impl Into<String>,
        below: impl IntoIterator<Item = &'static str>,
    ) -> Self {
        let id = id.into();
        Self {
            links: Links::with_self_and_children(&format!("{entity}/{id}"), below),
            entity: Cow::Borrowed(entity),
            id,
            name: name.into(),
        }
    }
}

impl From<IdentityRef> for EntityRef {
    fn from(identity: IdentityRef) -> Self {
        Self {
            links: Links::of_identity(&identity.id, &identity.auth_policy),
            entity: Cow::Borrowed("identities"),
            id: identity.id.to_string(),
            name: identity.name,
        }
    }
}

impl From<IdentityType> for EntityRef {
    fn from(kind: IdentityType) -> Self {
        Self::new("identity-types", kind.name(), kind.name())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn reference_to_an_identity_carries_all_its_links() {
        let reference = EntityRef::from(IdentityRef {
            id: IdentityId::from_wire("i.1"),
            name: "laptop".to_owned(),
            auth_policy: AuthPolicyId::from_wire("p"),
        });
        assert_eq!(reference.links.get("self"), Some("./identities/i.1"));
        assert_eq!(
            reference.links.get("auth-policies"),
            Some("./auth-policies/p")
        );
        assert_eq!(
            reference.links.get("services"),
            Some("./identities/i.1/services")
        );
        assert_eq!(reference.links.0.len(), 11);
    }

    #[test]
    fn reference_has_its_form() {
        assert_eq!(
            serde_json::to_value(EntityRef::from(IdentityType::Router)).unwrap(),
            json!({
                "_links": {"self": {"href": "./identity-types/Router"}},
                "entity": "identity-types", "id": "Router", "name": "Router"
            })
        );
    }
}
