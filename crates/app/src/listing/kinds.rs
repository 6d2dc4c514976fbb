//! Symbols and rows of the kinds that can be listed.
//!
//! Stored kinds have a file here, or symbols beside their use cases. The rows here are built in.

mod authenticators;
mod enrollments;
mod identities;
mod managed;
mod service_sessions;
mod session_certificates;
mod sessions;

pub use authenticators::AUTHENTICATORS;
pub use enrollments::ENROLLMENTS;
pub use identities::IDENTITIES;
pub use managed::{
    CLIENT_EDGE_ROUTERS, CONFIG_TYPES, CONFIGS, EDGE_ROUTER_POLICIES, EDGE_ROUTERS,
    SERVICE_EDGE_ROUTER_POLICIES, SERVICE_POLICIES, SERVICES, TERMINATORS, TRANSIT_ROUTERS,
};
pub(crate) use managed::{ListableSpec, PolicyRelatedSpec};
pub use service_sessions::SESSIONS;
pub use session_certificates::SESSION_CERTIFICATES;
pub(crate) use session_certificates::SessionCertificateRow;
pub use sessions::API_SESSIONS;
pub(crate) use sessions::SessionRow;

use super::listable::text_value;
use crate::network::Controller;
use portcullis_domain::clock::Timestamp;
use portcullis_filter::{Row, Schema, Symbol, SymbolId, Value};
use std::borrow::Cow;

/// Role attributes of any kind; the id is the attribute itself.
pub static ROLE_ATTRIBUTES: Schema = Schema::new(&[Symbol::string("id")]);

/// Types of identities.
pub static IDENTITY_TYPES: Schema = Schema::entity(&[Symbol::string("name")]);

/// Types of posture checks.
pub static POSTURE_CHECK_TYPES: Schema = Schema::entity(&[Symbol::string("name")]);

/// Links between routers.
pub static LINKS: Schema = Schema::new(&[
    Symbol::string("id"),
    Symbol::string("protocol"),
    Symbol::string("dialAddress"),
    Symbol::string("sourceRouter"),
    Symbol::string("destRouter"),
    Symbol::string("state"),
    Symbol::integer("cost"),
    Symbol::integer("staticCost"),
    Symbol::integer("sourceLatency"),
    Symbol::integer("destLatency"),
    Symbol::integer("iteration"),
]);

/// Circuits.
pub static CIRCUITS: Schema = Schema::new(&[
    Symbol::string("id"),
    Symbol::string("clientId"),
    Symbol::string("service"),
    Symbol::string("terminator"),
    Symbol::datetime("createdAt"),
    Symbol::datetime("updatedAt"),
]);

/// The controllers of the network.
pub static CONTROLLERS: Schema = Schema::entity(&[
    Symbol::string("name"),
    Symbol::string("ctrlAddress"),
    Symbol::string("certPem"),
    Symbol::string("fingerprint"),
    Symbol::boolean("isOnline"),
    Symbol::datetime("lastJoinedAt"),
    Symbol::boolean("isPreferredLeader"),
]);

/// A built-in entity as a row.
#[derive(Debug, Clone, Copy)]
pub(crate) struct BuiltInRow<T> {
    pub(crate) value: T,
    pub(crate) id: &'static str,
    pub(crate) name: &'static str,
    /// Creation time of the store.
    pub(crate) created_at: Timestamp,
}

impl<T> Row for BuiltInRow<T> {
    fn value(&self, symbol: SymbolId) -> Value<'_> {
        match symbol.name() {
            "id" => text_value(self.id),
            "name" => text_value(self.name),
            "createdAt" | "updatedAt" => Value::Datetime(self.created_at),
            "isSystem" => Value::Boolean(true),
            _ => Value::Missing,
        }
    }
}

/// A controller as a row.
pub(crate) struct ControllerRow {
    pub(crate) controller: Controller,
    /// Address of the control plane.
    pub(crate) address: Option<String>,
    /// Creation time of the store.
    pub(crate) created_at: Timestamp,
}

impl Row for ControllerRow {
    fn value(&self, symbol: SymbolId) -> Value<'_> {
        let Self {
            controller,
            address,
            created_at: since,
        } = self;
        let owned = |text: String| Value::Text(Cow::Owned(text));
        match symbol.name() {
            "id" => text_value(controller.id.as_str()),
            "name" => text_value(&controller.name),
            "createdAt" | "updatedAt" => Value::Datetime(*since),
            "lastJoinedAt" => Value::Datetime(controller.started_at),
            "isSystem" | "isPreferredLeader" => Value::Boolean(false),
            "isOnline" => Value::Boolean(true),
            "ctrlAddress" => address.as_deref().map_or(Value::Missing, text_value),
            "certPem" => owned(controller.certificate.to_pem()),
            "fingerprint" => owned(controller.certificate.fingerprint().to_string()),
            _ => Value::Missing,
        }
    }
}

/// A role attribute as a row.
#[derive(Debug, Clone, Copy)]
pub(crate) struct RoleAttributeRow<'r>(pub(crate) &'r str);

impl Row for RoleAttributeRow<'_> {
    fn value(&self, symbol: SymbolId) -> Value<'_> {
        match symbol.name() {
            "id" => text_value(self.0),
            _ => Value::Missing,
        }
    }
}
