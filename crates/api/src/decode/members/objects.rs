//! Type discriminators and lists of objects.

use super::{Members, Node, excerpt, missing, wrong_type};
use crate::decode::DecodeError;
use crate::decode::trace::{DecodeTrace, JsonType};
use portcullis_domain::tags::TagLimits;

/// The member that tells the variants of a body apart.
const TYPE_ID: &str = "typeId";

impl Members {
    /// The variant of the body, named by `typeId`: the one of `all` with that `name`.
    ///
    /// # Errors
    ///
    /// [`DecodeError::Field`] when it is missing. An unknown variant is [`DecodeError::Parse`], since
    /// the expected members are unknown then.
    pub fn type_id<K: Copy>(
        &mut self,
        all: &[K],
        name: impl Fn(K) -> &'static str,
    ) -> Result<K, DecodeError> {
        let word = self.non_empty_string(TYPE_ID)?;
        let words: Vec<_> = all.iter().map(|kind| name(*kind)).collect();
        self.record_choices(TYPE_ID, &words);
        let path = self.path(TYPE_ID);
        let Some(word) = word else {
            return Err(missing(&path, "").into());
        };
        let found = all.iter().find(|kind| name(**kind) == word).copied();
        found.ok_or_else(|| {
            let all = words.join(", ");
            DecodeError::Parse(format!(
                "{path} must be one of {all}, not {:?}",
                excerpt(&word)
            ))
        })
    }

    /// An optional list of objects.
    pub fn objects(&mut self, name: &str) -> Result<Option<Vec<Self>>, DecodeError> {
        let path = self.path(name);
        let list = self.take(name, JsonType::ObjectList, |node| match node {
            Node::List(items) => Ok(items),
            other => Err(other),
        })?;
        let read = |items: Vec<Node>| Self::read_items(&format!("{path}."), items, &self.trace);
        list.map(read).transpose()
    }

    /// A required list of objects; it may be empty.
    pub fn required_objects(&mut self, name: &str) -> Result<Vec<Self>, DecodeError> {
        let list = self.objects(name)?;
        list.ok_or_else(|| missing(&self.path(name), "[]").into())
    }

    /// Reads the items of a list as objects; `prefix` is the path of the list, with a dot at the end.
    pub(super) fn read_items(
        prefix: &str,
        items: impl IntoIterator<Item = Node>,
        trace: &DecodeTrace,
    ) -> Result<Vec<Self>, DecodeError> {
        let items = items.into_iter().enumerate();
        let read = |(place, node): (usize, Node)| {
            let path = format!("{prefix}{place}");
            match node {
                Node::Object(members) => Ok(Self {
                    prefix: format!("{path}."),
                    nodes: members,
                    trace: trace.clone(),
                    tag_limits: TagLimits::MANAGED,
                }),
                Node::Null => Err(missing(&path, "<nil>").into()),
                other => Err(wrong_type(&path, "an object", &other)),
            }
        };
        items.map(read).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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
    fn kinds_are_found_by_their_word() {
        let kind = |body: &str| members(body).type_id(&[1], |_kind| "OS");
        assert_eq!(kind(r#"{"typeId": "OS"}"#), Ok(1));
        for body in ["{}", r#"{"typeId": null}"#, r#"{"typeId": ""}"#] {
            assert_eq!(field(kind(body)), ("typeId".to_owned(), String::new()));
        }
        let long = format!(r#"{{"typeId": "{}"}}"#, "x".repeat(10_000));
        for body in [r#"{"typeId": "os"}"#, r#"{"typeId": 5}"#, &long] {
            match kind(body) {
                Err(DecodeError::Parse(text)) => assert!(text.len() < 200, "{text}"),
                other => panic!("{other:?}"),
            }
        }
    }

    #[test]
    fn items_of_a_member_are_named_by_their_place() {
        let mut body = members(r#"{"list": [{"a": 1}, {"A": "x"}], "none": null}"#);
        let mut list = body.required_objects("list").unwrap();
        assert_eq!(list[1].path("a"), "list.1.a");
        assert_eq!(list[1].required_string("a").unwrap(), "x");
        assert!(body.objects("none").unwrap().is_none());
        let missing = field(body.required_objects("none"));
        assert_eq!(missing, ("none".to_owned(), "[]".to_owned()));
        let null = field(members(r#"{"list": [{}, null]}"#).objects("list"));
        assert_eq!(null, ("list.1".to_owned(), "<nil>".to_owned()));
        for body in [r#"{"list": {}}"#, r#"{"list": [[]]}"#, r#"{"list": ["x"]}"#] {
            let list = members(body).objects("list");
            assert!(matches!(list, Err(DecodeError::Parse(_))), "{body}");
        }
    }
}
