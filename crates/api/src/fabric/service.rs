//! Services in the fabric API, without the members of the edge API.

use crate::decode::{Decode, DecodeError, Members};
use crate::describe::JsonSchema;
use crate::entity::Base;
use crate::link::{EntityRef, Links};
use crate::service::{ServiceCreate, ServicePatch, UnknownStrategyError};
use portcullis_domain::ids::ServiceId;
use portcullis_domain::service::{ServiceSpec, ServiceSpecPatch};
use portcullis_domain::tags::Tags;
use portcullis_domain::view::{NamedRef, ServiceView};
use serde::{Deserialize, Serialize};

/// A service.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ServiceDetail {
    /// Members common to all entities.
    #[serde(flatten)]
    #[schemars(with = "Base<String>")]
    pub base: Base<ServiceId>,
    /// Milliseconds after which an idle circuit is closed; 0 for never.
    pub max_idle_time_millis: i64,
    /// Unique name.
    pub name: String,
    /// Strategy by which a terminator is chosen.
    pub terminator_strategy: String,
}

/// The body of POST `/services` and PUT `/services/{id}`. Absent members are set to their defaults;
/// members that only the edge API has stay unchanged.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FabricServiceCreate {
    /// Milliseconds after which an idle circuit is closed; 0 for never.
    pub max_idle_time_millis: u64,
    pub name: String,
    pub tags: Tags,
    /// Strategy by which a terminator is chosen; an empty string selects the default.
    pub terminator_strategy: String,
}

/// The body of PATCH `/services/{id}`. Members that are `None` stay unchanged.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct FabricServicePatch {
    /// Milliseconds after which an idle circuit is closed; 0 for never.
    pub max_idle_time_millis: Option<u64>,
    pub name: Option<String>,
    /// Replaces all tags.
    pub tags: Option<Tags>,
    /// Strategy by which a terminator is chosen; an empty string selects the default.
    pub terminator_strategy: Option<String>,
}

const PARAMETER: &str = "service";

impl Decode for FabricServiceCreate {
    const BODY_NAME: &'static str = PARAMETER;

    fn decode(members: &mut Members) -> Result<Self, DecodeError> {
        let part = FabricServicePatch::decode(members)?;
        Ok(Self {
            max_idle_time_millis: part.max_idle_time_millis.unwrap_or_default(),
            name: match part.name {
                Some(name) => name,
                // Taken out already, so this reports it as missing.
                None => members.required_string("name")?,
            },
            tags: part.tags.unwrap_or_default(),
            terminator_strategy: part.terminator_strategy.unwrap_or_default(),
        })
    }
}

impl Decode for FabricServicePatch {
    const BODY_NAME: &'static str = PARAMETER;

    fn decode(members: &mut Members) -> Result<Self, DecodeError> {
        Ok(Self {
            max_idle_time_millis: members.optional_u64("maxIdleTimeMillis")?,
            name: members.optional_string("name")?,
            tags: members.tags()?,
            terminator_strategy: members.optional_string("terminatorStrategy")?,
        })
    }
}

impl FabricServiceCreate {
    /// The spec of a service that only the fabric API shows.
    ///
    /// # Errors
    ///
    /// [`UnknownStrategyError`] when there is no such strategy.
    pub fn spec(self) -> Result<ServiceSpec, UnknownStrategyError> {
        let create = ServiceCreate {
            encryption_required: false,
            max_idle_time_millis: self.max_idle_time_millis,
            tags: self.tags,
            terminator_strategy: Some(self.terminator_strategy),
            ..ServiceCreate::named(self.name)
        };
        Ok(ServiceSpec {
            is_fabric_only: true,
            ..create.spec()?
        })
    }

    /// The changes to the spec of an existing service.
    ///
    /// # Errors
    ///
    /// [`UnknownStrategyError`] when there is no such strategy.
    pub fn patch(self) -> Result<ServiceSpecPatch, UnknownStrategyError> {
        let part = FabricServicePatch {
            max_idle_time_millis: Some(self.max_idle_time_millis),
            name: Some(self.name),
            tags: Some(self.tags),
            terminator_strategy: Some(self.terminator_strategy),
        };
        part.patch()
    }
}

impl FabricServicePatch {
    /// The changes to the spec.
    ///
    /// # Errors
    ///
    /// [`UnknownStrategyError`] when there is no such strategy.
    pub fn patch(self) -> Result<ServiceSpecPatch, UnknownStrategyError> {
        let merge = ServicePatch {
            max_idle_time_millis: self.max_idle_time_millis,
            name: self.name,
            tags: self.tags,
            terminator_strategy: self.terminator_strategy,
            ..ServicePatch::default()
        };
        merge.patch()
    }
}

impl From<ServiceView> for ServiceDetail {
    fn from(view: ServiceView) -> Self {
        let service = view.service;
        let spec = service.spec;
        Self {
            base: Base {
                links: links(&service.id),
                created_at: service.created_at.into(),
                id: service.id,
                tags: spec.tags,
                updated_at: service.updated_at.into(),
            },
            max_idle_time_millis: i64::try_from(spec.max_idle_time_millis).unwrap_or(i64::MAX),
            name: spec.name,
            terminator_strategy: spec.terminator_strategy.name().to_owned(),
        }
    }
}

/// A reference to a service on the fabric.
pub(super) fn reference(service: NamedRef<ServiceId>) -> EntityRef {
    let id = service.id.as_str();
    EntityRef::with_links("services", id, service.name, ["terminators"])
}

fn links(id: &ServiceId) -> Links {
    Links::with_self_and_children(&format!("services/{id}"), ["terminators"])
}
