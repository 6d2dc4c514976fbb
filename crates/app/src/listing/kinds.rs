//! The kinds that can be listed: their symbols, and how a row answers for them.
//!
//! A kind that is declared here, with a row, has a complete list.

use crate::network::Controller;
use portcullis_domain::enrollment::Method;
use portcullis_domain::identity::{Identity, IdentityType};
use portcullis_domain::tags::{TagValue, Tags};
use portcullis_filter::{Row, Schema, Symbol, SymbolId, Value, VisitElement};
use portcullis_storage::tables::{Found, StoredEnrollment};
use std::borrow::Cow;
use std::ops::ControlFlow;

/// Identities.
pub static IDENTITIES: Schema = Schema::entity(&[
    Symbol::string("name"),
    Symbol::string("externalId"),
    Symbol::string("type"),
    Symbol::string("authPolicyId"),
    Symbol::boolean("isAdmin"),
    Symbol::boolean("isDefaultAdmin"),
    Symbol::set("roleAttributes"),
]);

/// Types of identities.
pub static IDENTITY_TYPES: Schema = Schema::entity(&[Symbol::string("name")]);

/// Enrollments.
pub static ENROLLMENTS: Schema = Schema::entity(&[
    Symbol::string("token"),
    Symbol::string("identity"),
    Symbol::string("edgeRouter"),
    Symbol::string("transitRouter"),
    Symbol::string("caId"),
]);

/// Configs, into which the filters of services and edge routers look.
pub static CONFIGS: Schema = Schema::entity(&[Symbol::string("name"), Symbol::string("type")]);

/// Services.
pub static SERVICES: Schema = Schema::entity(&[
    Symbol::string("name"),
    Symbol::string("terminatorStrategy"),
    Symbol::set("roleAttributes"),
    Symbol::boolean("isFabricOnly"),
    Symbol::references("configs", &CONFIGS),
]);

/// Edge routers.
pub static EDGE_ROUTERS: Schema = Schema::entity(&[
    Symbol::string("name"),
    Symbol::string("fingerprint"),
    Symbol::integer("cost"),
    Symbol::boolean("noTraversal"),
    Symbol::boolean("disabled"),
    Symbol::references("configs", &CONFIGS),
    Symbol::set("roleAttributes"),
    Symbol::boolean("isVerified"),
    Symbol::boolean("isTunnelerEnabled"),
    Symbol::boolean("connected"),
    Symbol::boolean("online"),
]);

/// External JWT signers.
pub static EXTERNAL_JWT_SIGNERS: Schema = Schema::entity(&[
    Symbol::string("name"),
    Symbol::string("fingerprint"),
    Symbol::string("kid"),
    Symbol::string("issuer"),
    Symbol::string("certPem"),
    Symbol::string("commonName"),
    Symbol::datetime("notAfter"),
    Symbol::datetime("notBefore"),
    Symbol::boolean("enabled"),
    Symbol::string("claimsProperty"),
    Symbol::boolean("useExternalId"),
    Symbol::string("audience"),
    Symbol::string("clientId"),
    Symbol::set("scopes"),
    Symbol::string("targetToken"),
    Symbol::boolean("enrollToCertEnabled"),
    Symbol::boolean("enrollToTokenEnabled"),
    Symbol::string("enrollAttributeClaimsSelector"),
    Symbol::string("enrollNameClaimsSelector"),
    Symbol::string("enrollAuthPolicyId"),
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

/// An identity as a row.
pub(crate) struct IdentityRow(pub(crate) Found<Identity>);

impl Row for IdentityRow {
    fn value(&self, symbol: SymbolId) -> Value<'_> {
        let identity = &self.0.entity;
        match symbol.name() {
            "id" => text(identity.id.as_str()),
            "createdAt" => Value::Datetime(identity.created_at),
            "updatedAt" => Value::Datetime(identity.updated_at),
            "isSystem" => Value::Boolean(false),
            "name" => text(identity.name()),
            "externalId" => identity
                .spec
                .external_id
                .as_deref()
                .map_or(Value::Missing, text),
            "type" => text(identity.kind.name()),
            "authPolicyId" => text(identity.spec.auth_policy.as_str()),
            "isAdmin" => Value::Boolean(identity.spec.is_admin),
            "isDefaultAdmin" => Value::Boolean(identity.is_default_admin),
            _ => Value::Missing,
        }
    }

    fn entry(&self, _map: SymbolId, key: &str) -> Value<'_> {
        tag(&self.0.entity.spec.tags, key)
    }

    fn elements(&self, _set: SymbolId, visit: &mut VisitElement<'_>) -> ControlFlow<()> {
        self.0
            .entity
            .spec
            .role_attributes
            .iter()
            .try_for_each(visit)
    }
}

/// An enrollment as a row. Its token is a secret, and is compared by hash elsewhere.
pub(crate) struct EnrollmentRow(pub(crate) Found<StoredEnrollment>);

impl Row for EnrollmentRow {
    fn value(&self, symbol: SymbolId) -> Value<'_> {
        let enrollment = &self.0.entity.enrollment;
        match (symbol.name(), &enrollment.method) {
            ("id", _) => text(enrollment.id.as_str()),
            ("createdAt", _) => Value::Datetime(enrollment.created_at),
            ("updatedAt", _) => Value::Datetime(enrollment.updated_at),
            ("isSystem", _) => Value::Boolean(false),
            ("identity", _) => text(enrollment.identity.as_str()),
            ("caId", Method::OttCa { ca }) => text(ca.as_str()),
            _ => Value::Missing,
        }
    }

    fn entry(&self, _map: SymbolId, key: &str) -> Value<'_> {
        tag(&self.0.entity.enrollment.tags, key)
    }
}

/// A type of identities as a row.
#[derive(Debug, Clone, Copy)]
pub struct IdentityTypeRow(pub IdentityType);

impl Row for IdentityTypeRow {
    fn value(&self, symbol: SymbolId) -> Value<'_> {
        match symbol.name() {
            "id" | "name" => text(self.0.name()),
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
}

impl Row for ControllerRow {
    fn value(&self, symbol: SymbolId) -> Value<'_> {
        let Self {
            controller,
            address,
        } = self;
        let owned = |text: String| Value::Text(Cow::Owned(text));
        match symbol.name() {
            "id" => text(controller.id.as_str()),
            "name" => text(&controller.name),
            "createdAt" | "updatedAt" | "lastJoinedAt" => Value::Datetime(controller.started_at),
            "isSystem" | "isPreferredLeader" => Value::Boolean(false),
            "isOnline" => Value::Boolean(true),
            "ctrlAddress" => address.as_deref().map_or(Value::Missing, text),
            "certPem" => owned(controller.certificate.to_pem()),
            "fingerprint" => owned(controller.certificate.fingerprint().to_string()),
            _ => Value::Missing,
        }
    }
}

fn text(text: &str) -> Value<'_> {
    Value::Text(Cow::Borrowed(text))
}

fn tag<'t>(tags: &'t Tags, key: &str) -> Value<'t> {
    match tags.get(key) {
        None | Some(TagValue::Null) => Value::Missing,
        Some(TagValue::Bool(value)) => Value::Boolean(*value),
        Some(TagValue::Text(value)) => text(value),
        Some(TagValue::Number(number)) => match (number.as_i64(), number.as_f64()) {
            (Some(integer), _) => Value::Integer(integer),
            (None, Some(float)) => Value::Float(float),
            (None, None) => Value::Missing,
        },
    }
}
