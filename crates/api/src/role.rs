//! Selectors of policies.

use crate::decode::{DecodeError, Members, excerpt_list};
use crate::describe::JsonSchema;
use portcullis_domain::FieldError;
use portcullis_domain::ids::EntityId;
use portcullis_domain::roles::{RoleSelectors, Semantic};
use portcullis_domain::view::NamesById;
use serde::{Deserialize, Serialize};

/// Values of `semantic`.
const SEMANTICS: [&str; 2] = [Semantic::AllOf.name(), Semantic::AnyOf.name()];

/// A selector with its display name.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct NamedRole {
    /// The selector, with `@<id>` replaced by `@<name>`.
    #[serde(default)]
    pub name: String,
    /// The selector.
    #[serde(default)]
    pub role: String,
}

impl NamedRole {
    /// Display names of selectors, given the `names` of the entities that they select by id. Entities
    /// without a name do not exist and are left out.
    pub fn list<I: EntityId>(roles: &RoleSelectors<I>, names: &NamesById<I>) -> Vec<Self> {
        let plain = roles.selectors().filter(|role| !role.starts_with('@'));
        let by_id = roles.ids().filter_map(|id| Some((id, names.get(id)?)));
        plain
            .map(|role| Self {
                name: role.clone(),
                role,
            })
            .chain(by_id.map(|(id, name)| Self {
                name: format!("@{name}"),
                role: format!("@{}", id.as_str()),
            }))
            .collect()
    }
}

/// Selectors as sent by the client. Like in OpenZiti, they are validated after the other members of
/// the body.
pub(crate) struct UnparsedRoles {
    field: String,
    selectors: Option<Vec<String>>,
}

impl UnparsedRoles {
    /// Takes a list of selectors out of a body.
    pub(crate) fn take(members: &mut Members, name: &str) -> Result<Self, DecodeError> {
        Ok(Self {
            field: members.path(name),
            selectors: members.string_list(name)?,
        })
    }

    /// Validates the selectors; `None` when no list was sent.
    pub(crate) fn parse<I: EntityId>(self) -> Result<Option<RoleSelectors<I>>, FieldError> {
        let Some(selectors) = self.selectors else {
            return Ok(None);
        };
        let roles = RoleSelectors::new(&self.field, selectors.iter().cloned());
        match roles {
            Ok(roles) => Ok(Some(roles)),
            Err(error) => Err(FieldError {
                value: excerpt_list(invalid_selectors(&selectors)),
                ..error
            }),
        }
    }
}

/// The malformed selectors; all selectors if each is well-formed and only their combination is invalid.
fn invalid_selectors(selectors: &[String]) -> Vec<&str> {
    let all = || selectors.iter().map(String::as_str);
    let is_malformed = |role: &&str| role.len() < 2 || !role.starts_with(['#', '@']);
    let malformed: Vec<_> = all().filter(is_malformed).collect();
    if malformed.is_empty() {
        all().collect()
    } else {
        malformed
    }
}

/// Decodes the optional member `semantic`.
pub(crate) fn semantic(members: &mut Members) -> Result<Option<Semantic>, DecodeError> {
    let name = members.optional_choice("semantic", &SEMANTICS)?;
    Ok(name.map(Semantic::from_name).transpose()?)
}

/// Decodes the required member `semantic`.
pub(crate) fn required_semantic(members: &mut Members) -> Result<Semantic, DecodeError> {
    let name = members.required_choice("semantic", &SEMANTICS)?;
    Ok(Semantic::from_name(name)?)
}

/// Selectors in a response; `None` if there are none.
pub(crate) fn none_if_empty<I: EntityId>(roles: RoleSelectors<I>) -> Option<RoleSelectors<I>> {
    Some(roles).filter(|roles| !roles.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;
    use portcullis_domain::ids::ServiceId;
    use serde_json::{Value, json};

    fn read(body: &Value) -> Result<Option<RoleSelectors<ServiceId>>, FieldError> {
        let mut members = Members::parse(body.to_string().as_bytes(), "policy").unwrap();
        UnparsedRoles::take(&mut members, "serviceRoles")
            .unwrap()
            .parse()
    }

    #[test]
    fn selectors_are_shown_with_names() {
        let roles = read(&json!({"serviceRoles": ["@gone", "@x", "#b", "#a"]}));
        let names = NamesById::from([
            (ServiceId::from_wire("x"), "web".to_owned()),
            (ServiceId::from_wire("other"), "unasked".to_owned()),
        ]);
        let list = NamedRole::list(&roles.unwrap().unwrap(), &names);
        assert_eq!(
            serde_json::to_value(list).unwrap(),
            json!([
                {"name": "#a", "role": "#a"},
                {"name": "#b", "role": "#b"},
                {"name": "@web", "role": "@x"},
            ])
        );
        let all = NamedRole::list(&RoleSelectors::All, &names);
        assert_eq!(all.len(), 1);
        assert_eq!((&*all[0].name, &*all[0].role), ("#all", "#all"));
    }

    #[test]
    fn refused_selectors_are_repeated() {
        for (selectors, value) in [
            (json!(["plain", "#a", "x"]), "[plain x]"),
            (json!(["#all", "#a"]), "[#all #a]"),
            (json!([""]), "[]"),
            (json!(["#a", "#", "@x", "@"]), "[# @]"),
        ] {
            let error = read(&json!({"serviceRoles": selectors})).unwrap_err();
            assert_eq!((&*error.field, &*error.value), ("serviceRoles", value));
        }
        let many: Vec<_> = (0..10_000).map(|number| format!("plain{number}")).collect();
        let error = read(&json!({"serviceRoles": many})).unwrap_err();
        assert!(error.value.len() < 100, "{}", error.value.len());
    }

    #[test]
    fn absent_selectors_are_not_empty_ones() {
        assert_eq!(read(&json!({"serviceRoles": null})), Ok(None));
        let none = read(&json!({"serviceRoles": []})).unwrap().unwrap();
        assert!(none.is_empty());
        assert_eq!(none_if_empty(none), None);
        assert_eq!(
            none_if_empty(RoleSelectors::<ServiceId>::All),
            Some(RoleSelectors::All)
        );
    }
}
