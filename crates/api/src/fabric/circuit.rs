//! Circuits in the fabric API.

use super::{link, router, service, terminator};
use crate::decode::{Decode, DecodeError, Members};
use crate::describe::JsonSchema;
use crate::entity::Base;
use crate::link::{EntityRef, Links};
use portcullis_domain::ids::{CircuitId, IdentityId};
use portcullis_domain::tags::{TagValue, Tags};
use portcullis_domain::view::NamedCircuit;
use serde::{Deserialize, Serialize};

/// A circuit: a connection of a client to a service.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct CircuitDetail {
    /// Members common to all entities. The tags are for logs and usage reports of routers.
    #[serde(flatten)]
    #[schemars(with = "Base<String>")]
    pub base: Base<CircuitId>,
    /// Id of the identity that has dialed, or of the router.
    #[schemars(with = "String")]
    pub client_id: IdentityId,
    /// The routers and links that it passes.
    pub path: CircuitPath,
    /// Its service.
    pub service: EntityRef,
    /// Its terminator; the id is empty if the circuit is older than the controller's process and no
    /// router has told.
    pub terminator: EntityRef,
}

/// The path of a circuit, from the client to the terminator.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct CircuitPath {
    /// The links between the routers.
    pub links: Vec<EntityRef>,
    /// The routers.
    pub nodes: Vec<EntityRef>,
}

/// The body of DELETE `/circuits/{id}`, which may be missing.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct CircuitDelete {
    /// Whether data in transit is dropped.
    pub immediate: bool,
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

impl From<NamedCircuit> for CircuitDetail {
    fn from(named: NamedCircuit) -> Self {
        let circuit = named.circuit;
        let path = format!("circuits/{}", circuit.id);
        let links = Links::with_self_and_children(&path, ["services", "terminators"]);
        let tags = circuit.tags.iter();
        let routers = named.routers.into_iter();
        Self {
            base: Base {
                tags: tags
                    .map(|(name, value)| (name.clone(), TagValue::Text(value.clone())))
                    .collect::<Tags>(),
                ..Base::unchanging(links, circuit.id, circuit.created_at)
            },
            client_id: circuit.client,
            path: CircuitPath {
                links: circuit.path.links.iter().map(link::reference).collect(),
                nodes: routers
                    .map(|router| router::reference(&router.id, router.name))
                    .collect(),
            },
            service: service::reference(named.service),
            terminator: terminator::reference(circuit.terminator.as_ref()),
        }
    }
}
