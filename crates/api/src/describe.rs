//! Descriptions of requests, found out by having them read.
//!
//! What a request may say is decided by the code that reads it, and by nothing else. So it is asked:
//! its [`Decode`] reads bodies that are made up, is watched while it takes out members, and what it
//! refuses to do without is required. A description that comes about like this follows the reader
//! wherever it goes.

mod body;
mod explorer;
mod samples;
mod schema;

use crate::decode::{Asked, Decode, DecodeError, Members, Rule, Watch};
use explorer::Explorer;
use serde_json::Value;

/// A request, described.
#[derive(Debug, Clone, PartialEq)]
pub struct Request {
    /// Its name.
    pub name: String,
    /// The JSON Schema of its body, draft 2020-12, without references.
    pub schema: Value,
    /// Whether it may come without a body.
    pub is_optional: bool,
    /// What could not be found out, in words; nothing unless a reader asks for something that no
    /// sample has.
    pub faults: Vec<String>,
}

impl Request {
    /// Describes the request that `T` reads.
    ///
    /// # Examples
    ///
    /// ```
    /// use portcullis_api::config::ConfigCreate;
    /// use portcullis_api::describe::Request;
    ///
    /// let request = Request::of::<ConfigCreate>();
    /// assert_eq!(request.name, "ConfigCreate");
    /// let required = ["configTypeId", "data", "name"];
    /// assert_eq!(request.schema["required"], serde_json::json!(required));
    /// ```
    pub fn of<T: Decode>() -> Self {
        let explorers = kinds::<T>().unwrap_or_else(|| {
            let mut explorer = Explorer::new(read::<T>, T::IS_LIST, None);
            explorer.explore();
            vec![explorer]
        });
        let schema = schema::of(&explorers, T::WORDS);
        let faults = explorers.into_iter().flat_map(|explorer| explorer.faults);
        Self {
            name: T::name(),
            schema,
            is_optional: T::from_body(b"").is_ok(),
            faults: faults.collect(),
        }
    }
}

/// Reads a body as `T`, watched.
fn read<T: Decode>(bytes: &[u8], watch: &Watch) -> Result<(), DecodeError> {
    let members = if T::IS_LIST {
        Members::parse_list(bytes, T::PARAMETER)
    } else {
        Members::parse(bytes, T::PARAMETER)
    };
    T::decode(&mut members?.watched(watch)).map(|_read| ())
}

/// The kinds of a body whose members depend on a word in it, one explorer for each.
fn kinds<T: Decode>() -> Option<Vec<Explorer>> {
    let explorer = |pinned| {
        let mut explorer = Explorer::new(read::<T>, T::IS_LIST, pinned);
        explorer.explore();
        explorer
    };
    let plain = explorer(None);
    let at_the_top = plain.members().filter(|member| !member.is_nested());
    let mut choices =
        at_the_top.filter_map(|member| Some((&member.asked.path, words(&member.asked)?)));
    choices.find_map(|(path, words)| {
        let kinds = words
            .iter()
            .map(|word| explorer(Some((path.clone(), (*word).into()))));
        let kinds: Vec<_> = kinds.filter(Explorer::is_accepted).collect();
        let asks_differently =
            |kind: &Explorer| kind.paths().ne(kinds.first()?.paths()).then_some(());
        let is_mixed = kinds.iter().any(|kind| asks_differently(kind).is_some());
        is_mixed.then_some(kinds)
    })
}

/// The words that a member may be.
fn words(asked: &Asked) -> Option<&[&'static str]> {
    asked.rules.iter().find_map(|rule| match rule {
        Rule::OneOf(words) => Some(&words[..]),
        _ => None,
    })
}

#[cfg(test)]
mod tests;
