//! Requests about links and circuits.

use crate::decode::{Decode, DecodeError, Members};
use portcullis_domain::FieldError;

/// The body of PATCH `/links/{id}`. What is `None` stays as it is.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct LinkMerge {
    /// Whether it is to be taken for broken.
    pub down: Option<bool>,
    /// What it is to cost besides its latency.
    pub static_cost: Option<u32>,
}

/// The body of DELETE `/circuits/{id}`, which may be missing.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct CircuitDelete {
    /// Whether what is under way is dropped.
    pub immediate: bool,
}

impl Decode for LinkMerge {
    const PARAMETER: &'static str = "link";
    const WORDS: &'static [(&'static str, &'static str)] = &[
        ("down", "Whether it is to be taken for broken."),
        ("staticCost", "What it is to cost besides its latency."),
    ];

    fn decode(members: &mut Members) -> Result<Self, DecodeError> {
        Ok(Self {
            down: members.optional_bool("down")?,
            static_cost: match members.optional_integer("staticCost")? {
                Some(cost) => Some(static_cost(cost)?),
                None => None,
            },
        })
    }
}

/// Reads a cost that is set by hand.
fn static_cost(cost: i64) -> Result<u32, FieldError> {
    u32::try_from(cost).map_err(|_out_of_range| {
        let reason = format!("must be between 0 and {}", u32::MAX);
        FieldError::new("staticCost", reason, cost.to_string())
    })
}

impl Decode for CircuitDelete {
    const PARAMETER: &'static str = "options";
    const WORDS: &'static [(&'static str, &'static str)] =
        &[("immediate", "Whether what is under way is dropped.")];

    fn decode(members: &mut Members) -> Result<Self, DecodeError> {
        Ok(Self {
            immediate: members.optional_bool("immediate")?.unwrap_or_default(),
        })
    }
}
