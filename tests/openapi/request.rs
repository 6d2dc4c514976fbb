//! Descriptions of requests, made by probing their decoders.
//!
//! The decoder of a request is the only definition of its body. It is therefore given made-up bodies
//! while its accesses are traced; members without which it refuses a body are required. A description
//! derived in this way cannot differ from the decoder.

mod body;
mod probe;
mod samples;
mod schema;

use portcullis_api::decode::{Constraint, FieldAccess};
use portcullis_api::describe::RequestDecoder;
use probe::Probe;
use serde_json::Value;

/// Description of a request body.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct RequestDescription {
    pub(crate) name: String,
    /// JSON Schema of the body, draft 2020-12, without references.
    pub(crate) schema: Value,
    /// Whether the body may be missing.
    pub(crate) is_optional: bool,
    /// Members that could not be described, as messages; empty unless a decoder needs a value that no
    /// sample has.
    pub(crate) problems: Vec<String>,
}

impl RequestDescription {
    pub(crate) fn new(decoder: &RequestDecoder) -> Self {
        let probes = variants(decoder).unwrap_or_else(|| vec![Probe::new(*decoder, None)]);
        let schema = schema::build(&probes, decoder);
        let problems = probes.into_iter().flat_map(|probe| probe.problems);
        Self {
            name: (decoder.name)(),
            schema,
            is_optional: decoder.is_optional,
            problems: problems.collect(),
        }
    }
}

/// The variants of a body whose members depend on a discriminator, one probe for each.
fn variants(decoder: &RequestDecoder) -> Option<Vec<Probe>> {
    let plain = Probe::new(*decoder, None);
    let at_the_top = plain.members().filter(|member| !member.is_nested());
    let mut choices =
        at_the_top.filter_map(|member| Some((&member.access.path, choices(&member.access)?)));
    choices.find_map(|(path, words)| {
        let kinds = words
            .iter()
            .map(|word| Probe::new(*decoder, Some((path.clone(), (*word).into()))));
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
