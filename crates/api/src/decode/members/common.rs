//! Members common to several kinds of entities, such as tags and role attributes.

use super::{MAX_EXCERPT_CHARS, Members, integer};
use crate::authenticate::USERNAME_LENGTH;
use crate::decode::DecodeError;
use crate::decode::node;
use crate::decode::trace::{Constraint, JsonType};
use portcullis_domain::FieldError;
use portcullis_domain::ids::EntityId;
use portcullis_domain::roles::RoleAttributes;
use portcullis_domain::tags::{TagLimits, Tags};
use portcullis_domain::username::validate_username;
use std::collections::BTreeSet;

impl Members {
    /// User-defined tags, from the member `tags`.
    pub fn tags(&mut self) -> Result<Option<Tags>, DecodeError> {
        let object = self.take_object("tags", JsonType::FlatObject)?;
        let tags = object.map(node::into_map).map(Tags::from_json);
        let tags = tags.transpose()?;
        if let Some(tags) = &tags {
            tags.validate(self.tag_limits)?;
        }
        Ok(tags)
    }

    /// Sets the limits of `tags`, instead of those of managed entities.
    pub fn set_tag_limits(&mut self, limits: TagLimits) {
        self.tag_limits = limits;
    }

    /// A username that is to be created.
    pub fn new_username(&mut self, name: &str) -> Result<Option<String>, DecodeError> {
        let username = self.bounded_string(name, USERNAME_LENGTH)?;
        if let Some(username) = &username {
            validate_username(&self.path(name), username)?;
        }
        Ok(username)
    }

    /// Role attributes, from the member `roleAttributes`.
    pub fn role_attributes(&mut self) -> Result<Option<RoleAttributes>, DecodeError> {
        let attributes = self.string_list("roleAttributes")?;
        Ok(attributes.map(RoleAttributes::new).transpose()?)
    }

    /// A set of ids, written as a list.
    pub fn ids<I: EntityId>(&mut self, name: &str) -> Result<Option<BTreeSet<I>>, DecodeError> {
        let ids = self.string_list(name)?;
        Ok(ids.map(|ids| ids.into_iter().map(I::from_wire).collect()))
    }

    /// An object without nested values, subject to the rules of tags.
    pub fn flat_object(&mut self, name: &str) -> Result<Option<Tags>, DecodeError> {
        let path = self.path(name);
        let object = self.take_object(name, JsonType::FlatObject)?;
        let object = object.map(node::into_map);
        let flat = object.map(|object| {
            let flat = Tags::from_json(object)?;
            flat.validate(TagLimits::MANAGED).map(|()| flat)
        });
        Ok(flat.transpose().map_err(|error| FieldError {
            field: error.field.replacen("tags", &path, 1),
            ..error
        })?)
    }

    /// A whole number from 0 to [`i64::MAX`].
    pub fn optional_u64(&mut self, name: &str) -> Result<Option<u64>, DecodeError> {
        let path = self.path(name);
        self.record_constraint(name, || Constraint::Range(0, i64::MAX));
        let Some(value) = self.take(name, JsonType::Integer, integer)? else {
            return Ok(None);
        };
        match u64::try_from(value) {
            Ok(value) => Ok(Some(value)),
            Err(_negative) => {
                Err(FieldError::new(path, "must not be negative", value.to_string()).into())
            },
        }
    }

    /// Takes out the items of a list body, each of them an object.
    pub fn items(&mut self) -> Result<Vec<Self>, DecodeError> {
        let items = std::mem::take(&mut self.nodes).into_iter();
        Self::read_items("", items.map(|(_place, item)| item), &self.trace)
    }
}

/// A refused list in brackets, cut short so that a response does not grow with the request.
pub(crate) fn excerpt_list<'t>(items: impl IntoIterator<Item = &'t str>) -> String {
    let mut echo = String::from("[");
    for item in items {
        if echo.len() > 1 {
            echo.push(' ');
        }
        echo.extend(item.chars().take(MAX_EXCERPT_CHARS));
        if echo.len() > MAX_EXCERPT_CHARS {
            return echo.chars().take(MAX_EXCERPT_CHARS).collect();
        }
    }
    echo.push(']');
    echo
}

#[cfg(test)]
mod tests {
    use super::*;
    use portcullis_domain::ids::ConfigId;

    fn members(body: &str) -> Members {
        Members::parse(body.as_bytes(), "body").unwrap()
    }

    fn field<T: std::fmt::Debug>(result: Result<T, DecodeError>) -> (String, String) {
        match result.unwrap_err() {
            DecodeError::Field(error) => (error.field, error.value),
            DecodeError::Parse(text) => panic!("{text}"),
        }
    }

    #[test]
    fn lists_of_ids_are_sets() {
        let ids = members(r#"{"configs": ["b", "a", "b"]}"#).ids("configs");
        let expected: BTreeSet<_> = ["a", "b"].map(ConfigId::from_wire).into();
        assert_eq!(ids.unwrap(), Some(expected));
        let none = members(r#"{"configs": null}"#).ids::<ConfigId>("configs");
        assert_eq!(none.unwrap(), None);
    }

    #[test]
    fn flat_objects_are_named_when_they_nest() {
        let flat = members(r#"{"appData": {"a": 1, "tags": {}}}"#).flat_object("appData");
        assert_eq!(field(flat), ("appData.tags".to_owned(), "{}".to_owned()));
    }

    #[test]
    fn numbers_below_zero_are_refused() {
        let read = |text: &str| members(&format!(r#"{{"n": {text}}}"#)).optional_u64("n");
        assert_eq!(field(read("-1")), ("n".to_owned(), "-1".to_owned()));
        assert_eq!(read("9223372036854775807"), Ok(Some(i64::MAX as u64)));
        for text in ["1.5", "true", "9223372036854775808"] {
            assert!(matches!(read(text), Err(DecodeError::Parse(_))), "{text}");
        }
    }

    #[test]
    fn items_of_a_list_are_objects() {
        let read = |text: &str| Members::parse_list(text.as_bytes(), "list")?.items();
        let mut items = read(r#"[{"a": "x"}, {"a": "y"}]"#).unwrap();
        assert_eq!(items.len(), 2);
        assert_eq!(items[1].path("a"), "1.a");
        assert_eq!(items[1].required_string("a").unwrap(), "y");
        assert!(read("[]").unwrap().is_empty() && read("null").unwrap().is_empty());
        assert_eq!(field(read("")), ("list".to_owned(), "[]".to_owned()));
        assert_eq!(field(read("[{}, null]")).0, "1");
        for text in ["{}", "[5]", r#""text""#] {
            assert!(matches!(read(text), Err(DecodeError::Parse(_))), "{text}");
        }
    }

    #[test]
    fn refused_lists_are_repeated_in_part() {
        assert_eq!(excerpt_list(["a", "b c"]), "[a b c]");
        assert_eq!(excerpt_list([]), "[]");
        let long = "ä".repeat(1000);
        assert_eq!(
            excerpt_list([&*long, &*long]).chars().count(),
            MAX_EXCERPT_CHARS
        );
        assert!(excerpt_list(["x"; 1000]).len() <= MAX_EXCERPT_CHARS);
    }
}
