//! Wire types of terminators.

mod request;

pub(crate) use request::MAX_INSTANCE_SECRET_BYTES;
pub use request::{TerminatorCreate, TerminatorPatch, TerminatorUpdate};

use crate::describe::JsonSchema;
use crate::entity::Base;
use crate::link::{EntityRef, Links};
use portcullis_domain::identity::Precedence;
use portcullis_domain::ids::{RouterId, ServiceId, TerminatorId};
use portcullis_domain::terminator::Terminator;
use portcullis_domain::view::TerminatorView;
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
    #[serde(default)]
    pub cost: u16,
    /// Dynamic cost, which reflects recent dial results.
    #[serde(default)]
    pub dynamic_cost: u16,
    /// Instance id of the terminator within its service.
    #[serde(default)]
    pub identity: String,
    /// Precedence among the terminators of the service.
    #[serde(default)]
    #[schemars(with = "crate::schema::word::Precedence")]
    pub precedence: Precedence,
    /// Router of the terminator.
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

/// A terminator, as shown to clients.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct TerminatorClientDetail {
    /// Members common to all entities.
    #[serde(flatten)]
    #[schemars(with = "Base<String>")]
    pub base: Base<TerminatorId>,
    /// Instance id of the terminator within its service.
    #[serde(default)]
    pub identity: String,
    /// Id of its router.
    #[schemars(with = "String")]
    pub router_id: RouterId,
    /// Its service.
    pub service: EntityRef,
    /// Id of its service.
    #[schemars(with = "String")]
    pub service_id: ServiceId,
}

impl From<TerminatorView> for TerminatorDetail {
    fn from(view: TerminatorView) -> Self {
        let mut terminator = view.terminator;
        let base = base(&mut terminator);
        let spec = terminator.spec;
        Self {
            base,
            address: spec.address,
            binding: spec.binding,
            cost: spec.cost,
            dynamic_cost: view.dynamic_cost,
            identity: spec.instance_id,
            precedence: spec.precedence,
            router: EntityRef::transit_router(&view.router.id, view.router.name),
            router_id: spec.router,
            service: view.service.into(),
            service_id: spec.service,
        }
    }
}

impl From<TerminatorView> for TerminatorClientDetail {
    fn from(view: TerminatorView) -> Self {
        let mut terminator = view.terminator;
        let base = base(&mut terminator);
        let spec = terminator.spec;
        Self {
            base,
            identity: spec.instance_id,
            router_id: spec.router,
            service: view.service.into(),
            service_id: spec.service,
        }
    }
}

/// Members common to all entities; takes the tags out of `terminator`.
fn base(terminator: &mut Terminator) -> Base<TerminatorId> {
    Base {
        links: Links::with_self(format!("terminators/{}", terminator.id)),
        created_at: terminator.created_at.into(),
        id: terminator.id.clone(),
        tags: std::mem::take(&mut terminator.spec.tags),
        updated_at: terminator.updated_at.into(),
    }
}
