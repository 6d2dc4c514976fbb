//! Symbols and rows of the kinds that can be listed.
//!
//! Stored kinds have a file here, or symbols beside their use cases. The rows here are built in.

mod authenticators;
mod enrollments;
mod identities;
mod managed;
mod network;
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
pub use network::{CIRCUITS, LINKS};
pub(crate) use network::{CircuitRow, LinkRow};
pub use service_sessions::SESSIONS;
pub use session_certificates::SESSION_CERTIFICATES;
pub(crate) use session_certificates::SessionCertificateRow;
pub use sessions::API_SESSIONS;
pub(crate) use sessions::SessionRow;

use super::listable::text_value;
use crate::network::Controller;
use portcullis_domain::clock::Timestamp;
use portcullis_filter::{EntitySymbol, Row, Schema, Value, symbols};
use std::borrow::Cow;

symbols! {
    pub(crate) enum RoleAttributeSymbol;
    /// Role attributes of any kind; the id is the attribute itself.
    pub static ROLE_ATTRIBUTES: Schema::new;
    Id => string("id"),
}

symbols! {
    pub(crate) enum BuiltInSymbol;
    /// Types of identities.
    pub static IDENTITY_TYPES: Schema::entity;
    Name => string("name"),
}

/// Types of posture checks.
pub static POSTURE_CHECK_TYPES: Schema = Schema::entity(&[BuiltInSymbol::Name.symbol()]);

symbols! {
    pub(crate) enum ControllerSymbol;
    /// The controllers of the network.
    pub static CONTROLLERS: Schema::entity;
    Name => string("name"),
    CtrlAddress => string("ctrlAddress"),
    CertPem => string("certPem"),
    Fingerprint => string("fingerprint"),
    IsOnline => boolean("isOnline"),
    LastJoinedAt => datetime("lastJoinedAt"),
    IsPreferredLeader => boolean("isPreferredLeader"),
}

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
    type Symbol = EntitySymbol<BuiltInSymbol>;

    fn value(&self, symbol: Self::Symbol) -> Value<'_> {
        use EntitySymbol::{CreatedAt, Id, IsSystem, Own, Tags, UpdatedAt};
        match symbol {
            Id => text_value(self.id),
            CreatedAt | UpdatedAt => Value::Datetime(self.created_at),
            IsSystem => Value::Boolean(true),
            Tags => Value::Missing,
            Own(BuiltInSymbol::Name) => text_value(self.name),
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
    type Symbol = EntitySymbol<ControllerSymbol>;

    fn value(&self, symbol: Self::Symbol) -> Value<'_> {
        let Self {
            controller,
            address,
            created_at: since,
        } = self;
        let owned = |text: String| Value::Text(Cow::Owned(text));
        let symbol = match symbol {
            EntitySymbol::Id => return text_value(controller.id.as_str()),
            EntitySymbol::CreatedAt | EntitySymbol::UpdatedAt => return Value::Datetime(*since),
            EntitySymbol::IsSystem => return Value::Boolean(false),
            EntitySymbol::Tags => return Value::Missing,
            EntitySymbol::Own(symbol) => symbol,
        };
        match symbol {
            ControllerSymbol::Name => text_value(&controller.name),
            ControllerSymbol::LastJoinedAt => Value::Datetime(controller.started_at),
            ControllerSymbol::IsPreferredLeader => Value::Boolean(false),
            ControllerSymbol::IsOnline => Value::Boolean(true),
            ControllerSymbol::CtrlAddress => address.as_deref().into(),
            ControllerSymbol::CertPem => owned(controller.certificate.to_pem()),
            ControllerSymbol::Fingerprint => {
                owned(controller.certificate.fingerprint().to_string())
            },
        }
    }
}

/// A role attribute as a row.
#[derive(Debug, Clone, Copy)]
pub(crate) struct RoleAttributeRow<'r>(pub(crate) &'r str);

impl Row for RoleAttributeRow<'_> {
    type Symbol = RoleAttributeSymbol;

    fn value(&self, symbol: Self::Symbol) -> Value<'_> {
        match symbol {
            RoleAttributeSymbol::Id => text_value(self.0),
        }
    }
}
