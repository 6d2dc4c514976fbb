//! The kinds that can be listed: their symbols, and how a row answers for them.
//!
//! A kind that is kept in the store declares itself in a file of its own, and its list is complete.
//! What is here has no records: it comes with the program.

mod auth_policies;
mod authenticators;
mod cas;
mod enrollments;
mod identities;
mod managed;
mod service_sessions;
mod session_certificates;
mod sessions;
mod signers;

pub use auth_policies::AUTH_POLICIES;
pub use authenticators::AUTHENTICATORS;
pub use cas::CAS;
pub use enrollments::ENROLLMENTS;
pub use identities::IDENTITIES;
pub use managed::{
    CONFIG_TYPES, CONFIGS, EDGE_ROUTER_POLICIES, EDGE_ROUTERS, POSTURE_CHECKS, REVOCATIONS,
    SERVICE_EDGE_ROUTER_POLICIES, SERVICE_POLICIES, SERVICES, SHOWN_EDGE_ROUTERS, TERMINATORS,
    TRANSIT_ROUTERS,
};
pub(crate) use managed::{ListedSpec, RuledSpec};
pub use service_sessions::SESSIONS;
pub use session_certificates::SESSION_CERTIFICATES;
pub(crate) use session_certificates::SessionCertificateRow;
pub use sessions::API_SESSIONS;
pub(crate) use sessions::SessionRow;
pub use signers::{EXTERNAL_JWT_SIGNERS, SHOWN_EXTERNAL_JWT_SIGNERS};

use super::listed::text;
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

/// What every controller has since its store was made, as a row.
#[derive(Debug, Clone, Copy)]
pub(crate) struct BuiltInRow<T> {
    /// What it is.
    pub(crate) kind: T,
    /// Its id.
    pub(crate) id: &'static str,
    /// Its name.
    pub(crate) name: &'static str,
    /// When the store was made.
    pub(crate) since: Timestamp,
}

impl<T> Row for BuiltInRow<T> {
    fn value(&self, symbol: SymbolId) -> Value<'_> {
        match symbol.name() {
            "id" => text(self.id),
            "name" => text(self.name),
            "createdAt" | "updatedAt" => Value::Datetime(self.since),
            "isSystem" => Value::Boolean(true),
            _ => Value::Missing,
        }
    }
}

/// A controller as a row.
pub(crate) struct ControllerRow {
    /// The controller.
    pub(crate) controller: Controller,
    /// Where routers reach it.
    pub(crate) address: Option<String>,
    /// When its store was made.
    pub(crate) since: Timestamp,
}

impl Row for ControllerRow {
    fn value(&self, symbol: SymbolId) -> Value<'_> {
        let Self {
            controller,
            address,
            since,
        } = self;
        let owned = |text: String| Value::Text(Cow::Owned(text));
        match symbol.name() {
            "id" => text(controller.id.as_str()),
            "name" => text(&controller.name),
            "createdAt" | "updatedAt" => Value::Datetime(*since),
            "lastJoinedAt" => Value::Datetime(controller.started_at),
            "isSystem" | "isPreferredLeader" => Value::Boolean(false),
            "isOnline" => Value::Boolean(true),
            "ctrlAddress" => address.as_deref().map_or(Value::Missing, text),
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
            "id" => text(self.0),
            _ => Value::Missing,
        }
    }
}
