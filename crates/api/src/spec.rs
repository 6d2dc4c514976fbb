//! API descriptions that a controller offers.

use crate::describe::JsonSchema;
use crate::entity::Base;
use crate::link::Links;
use portcullis_domain::clock::Timestamp;
use serde::{Deserialize, Serialize};
use std::borrow::Cow;

/// A description of an API.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct SpecDetail {
    /// Members common to all entities.
    #[serde(flatten)]
    pub base: Base<Cow<'static, str>>,
    /// Name of the API, which is also the id.
    pub name: Cow<'static, str>,
}

impl SpecDetail {
    /// The description of the API `name`, created at `created_at`.
    pub fn new(name: &'static str, created_at: Timestamp) -> Self {
        let path = format!("specs/{name}");
        let links = Links::with_self(&path).with("spec", format!("{path}/spec"));
        Self {
            base: Base::unchanging(links, Cow::Borrowed(name), created_at),
            name: Cow::Borrowed(name),
        }
    }
}
