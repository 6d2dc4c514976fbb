//! Terminators in the fabric API.

use super::{router, service};
use crate::decode::{Decode, DecodeError, Members};
use crate::describe::JsonSchema;
use crate::entity::Base;
use crate::link::{EntityRef, Links};
use crate::terminator::{MAX_INSTANCE_SECRET_BYTES, TerminatorPatch, TerminatorUpdate};
use portcullis_domain::identity::Precedence;
use portcullis_domain::ids::{RouterId, ServiceId, TerminatorId};
use portcullis_domain::terminator::{TerminatorSpec, TerminatorSpecPatch};
use portcullis_domain::view::TerminatorView;
use secrecy::SecretSlice;
use serde::{Deserialize, Serialize};

/// A terminator.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct TerminatorDetail {
    /// Members common to all entities.
    #[serde(flatten)]
    #[schemars(with = "Base<String>")]
    pub base: Base<TerminatorId>,
    /// Address that the router connects to.
    pub address: String,
    /// Binding of the router that connects circuits to the service.
    pub binding: String,
    /// Static cost of the terminator.
    pub cost: u16,
    /// Dynamic cost, which reflects recent dial results.
    pub dynamic_cost: u16,
    /// Id of the identity that hosts it; empty if unknown.
    pub host_id: String,
    /// Instance id of the terminator within its service.
    pub instance_id: String,
    /// Precedence among the terminators of the service.
    #[schemars(with = "crate::schema::word::Precedence")]
    pub precedence: Precedence,
    /// Its router.
    pub router: EntityRef,
    /// Id of its router.
    #[schemars(with = "String")]
    pub router_id: RouterId,
    /// Its service.
    pub service: EntityRef,
    /// Id of its service.
    #[schemars(with = "String")]
    pub service_id: ServiceId,
}

/// The body of POST `/terminators` and PUT `/terminators/{id}`. Absent members are set to their
/// defaults.
#[derive(Debug, Clone)]
pub struct FabricTerminatorCreate {
    /// Members shared with the edge API.
    pub common: TerminatorUpdate,
    /// Id of the identity that hosts it.
    pub host_id: String,
    /// Instance id of the terminator within its service; it cannot be changed.
    pub instance_id: String,
    /// What all terminators of the instance have to share; it cannot be changed.
    pub instance_secret: Option<SecretSlice<u8>>,
}

/// The body of PATCH `/terminators/{id}`. Members that are `None` stay unchanged.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct FabricTerminatorPatch {
    /// Members shared with the edge API.
    pub common: TerminatorPatch,
    pub host_id: Option<String>,
}

const PARAMETER: &str = "terminator";

impl Decode for FabricTerminatorCreate {
    const BODY_NAME: &'static str = PARAMETER;
    const DESCRIPTIONS: &'static [(&'static str, &'static str)] = &[(
        "instanceSecret",
        "What all terminators of the instance have to share, in Base64; PUT does not change it.",
    )];

    fn decode(members: &mut Members) -> Result<Self, DecodeError> {
        Ok(Self {
            common: TerminatorUpdate::decode(members)?,
            host_id: members.optional_string("hostId")?.unwrap_or_default(),
            instance_id: members.optional_string("instanceId")?.unwrap_or_default(),
            instance_secret: members
                .optional_secret_bytes("instanceSecret", MAX_INSTANCE_SECRET_BYTES)?,
        })
    }
}

impl Decode for FabricTerminatorPatch {
    const BODY_NAME: &'static str = PARAMETER;

    fn decode(members: &mut Members) -> Result<Self, DecodeError> {
        Ok(Self {
            common: TerminatorPatch::decode(members)?,
            host_id: members.optional_string("hostId")?,
        })
    }
}

/// Without the secret, of which only a hash is stored.
impl From<FabricTerminatorCreate> for TerminatorSpec {
    fn from(create: FabricTerminatorCreate) -> Self {
        Self {
            host_id: Some(create.host_id),
            ..create.common.spec(create.instance_id)
        }
    }
}

impl From<FabricTerminatorPatch> for TerminatorSpecPatch {
    fn from(part: FabricTerminatorPatch) -> Self {
        Self {
            host_id: part.host_id,
            ..part.common.into()
        }
    }
}

impl From<TerminatorView> for TerminatorDetail {
    fn from(view: TerminatorView) -> Self {
        let terminator = view.terminator;
        let spec = terminator.spec;
        Self {
            base: Base {
                links: Links::with_self(format!("terminators/{}", terminator.id)),
                created_at: terminator.created_at.into(),
                id: terminator.id,
                tags: spec.tags,
                updated_at: terminator.updated_at.into(),
            },
            address: spec.address,
            binding: spec.binding,
            cost: spec.cost,
            dynamic_cost: view.dynamic_cost,
            host_id: spec.host_id.unwrap_or_default(),
            instance_id: spec.instance_id,
            precedence: spec.precedence,
            router: router::reference(&view.router.id, view.router.name),
            router_id: spec.router,
            service: service::reference(view.service),
            service_id: spec.service,
        }
    }
}

/// A reference to a terminator, which has no name but its id; without an id if it is unknown.
pub(super) fn reference(id: Option<&TerminatorId>) -> EntityRef {
    let id = id.map(TerminatorId::as_str).unwrap_or_default();
    EntityRef::new("terminators", id, id)
}
