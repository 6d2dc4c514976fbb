//! Descriptions of requests, derived by probing their decoders.
//!
//! The decoder of a request is the only definition of its body. It is therefore given made-up bodies
//! while its accesses are traced; members without which it refuses a body are required. A description
//! derived in this way cannot differ from the decoder.

mod body;
mod probe;
mod samples;
mod schema;

use crate::decode::{Constraint, Decode, DecodeError, DecodeTrace, FieldAccess, Members};
use probe::Probe;
use serde_json::Value;

/// Description of a request body.
#[derive(Debug, Clone, PartialEq)]
pub struct RequestDescription {
    pub name: String,
    /// JSON Schema of the body, draft 2020-12, without references.
    pub schema: Value,
    /// Whether the body may be missing.
    pub is_optional: bool,
    /// Members that could not be described, as messages; empty unless a decoder needs a value that no
    /// sample has.
    pub problems: Vec<String>,
}

impl RequestDescription {
    /// Describes the request that `T` decodes.
    ///
    /// # Examples
    ///
    /// ```
    /// use portcullis_api::config::ConfigCreate;
    /// use portcullis_api::describe::RequestDescription;
    ///
    /// let request = RequestDescription::new::<ConfigCreate>();
    /// assert_eq!(request.name, "ConfigCreate");
    /// let required = ["configTypeId", "data", "name"];
    /// assert_eq!(request.schema["required"], serde_json::json!(required));
    /// ```
    pub fn new<T: Decode>() -> Self {
        let probes = variants::<T>().unwrap_or_else(|| {
            let mut probe = Probe::new(decode_traced::<T>, T::IS_LIST, None);
            probe.run();
            vec![probe]
        });
        let schema = schema::build(&probes, T::DESCRIPTIONS);
        let faults = probes.into_iter().flat_map(|explorer| explorer.problems);
        Self {
            name: T::name(),
            schema,
            is_optional: T::from_body(b"").is_ok(),
            problems: faults.collect(),
        }
    }
}

/// Decodes a body as `T` and traces its accesses.
fn decode_traced<T: Decode>(bytes: &[u8], trace: &DecodeTrace) -> Result<(), DecodeError> {
    let members = if T::IS_LIST {
        Members::parse_list(bytes, T::BODY_NAME)
    } else {
        Members::parse(bytes, T::BODY_NAME)
    };
    T::decode(&mut members?.with_trace(trace)).map(|_read| ())
}

/// The variants of a body whose members depend on a discriminator, one probe for each.
fn variants<T: Decode>() -> Option<Vec<Probe>> {
    let probe = |pinned| {
        let mut probe = Probe::new(decode_traced::<T>, T::IS_LIST, pinned);
        probe.run();
        probe
    };
    let plain = probe(None);
    let at_the_top = plain.members().filter(|member| !member.is_nested());
    let mut choices =
        at_the_top.filter_map(|member| Some((&member.access.path, choices(&member.access)?)));
    choices.find_map(|(path, words)| {
        let kinds = words
            .iter()
            .map(|word| probe(Some((path.clone(), (*word).into()))));
        let kinds: Vec<_> = kinds.filter(Probe::is_accepted).collect();
        let asks_differently = |kind: &Probe| kind.paths().ne(kinds.first()?.paths()).then_some(());
        let is_mixed = kinds.iter().any(|kind| asks_differently(kind).is_some());
        is_mixed.then_some(kinds)
    })
}

/// The allowed values of a member.
fn choices(access: &FieldAccess) -> Option<&[&'static str]> {
    access.constraints.iter().find_map(|rule| match rule {
        Constraint::OneOf(words) => Some(&words[..]),
        _ => None,
    })
}

#[cfg(test)]
mod tests;
