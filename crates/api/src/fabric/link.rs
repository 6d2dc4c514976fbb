//! Bodies of link and circuit requests.

use crate::decode::{Decode, DecodeError, Members};
use portcullis_domain::FieldError;

/// The body of PATCH `/links/{id}`. Members that are `None` stay unchanged.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct LinkPatch {
    /// Whether the link is treated as down.
    pub down: Option<bool>,
    /// Static cost of the link, added to its latency.
    pub static_cost: Option<u32>,
}

/// The body of DELETE `/circuits/{id}`, which may be missing.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct CircuitDelete {
    /// Whether data in transit is dropped.
    pub immediate: bool,
}

impl Decode for LinkPatch {
    const BODY_NAME: &'static str = "link";
    const DESCRIPTIONS: &'static [(&'static str, &'static str)] = &[
        ("down", "Whether the link is treated as down."),
        (
            "staticCost",
            "Static cost of the link, added to its latency.",
        ),
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

/// Validates a static cost.
fn static_cost(cost: i64) -> Result<u32, FieldError> {
    u32::try_from(cost).map_err(|_out_of_range| {
        let reason = format!("must be between 0 and {}", u32::MAX);
        FieldError::new("staticCost", reason, cost.to_string())
    })
}

impl Decode for CircuitDelete {
    const BODY_NAME: &'static str = "options";
    const DESCRIPTIONS: &'static [(&'static str, &'static str)] =
        &[("immediate", "Whether data in transit is dropped.")];

    fn decode(members: &mut Members) -> Result<Self, DecodeError> {
        Ok(Self {
            immediate: members.optional_bool("immediate")?.unwrap_or_default(),
        })
    }
}
