//! Entities as rows of filters, as a list reads them from their records.

use portcullis_domain::auth_policy::AuthPolicy;
use portcullis_domain::authenticator::{Authenticator, Credential};
use portcullis_domain::enrollment::{Enrollment, EnrollmentPurpose};
use portcullis_domain::identity::Identity;
use portcullis_domain::ids::CaId;
use portcullis_domain::policies::EdgeRouterPolicy;
use portcullis_domain::session::Session;
use portcullis_domain::tags::{TagValue, Tags};
use portcullis_domain::terminator::Terminator;
use portcullis_filter::{Row, Schema, Symbol, SymbolId, Value, VisitElement};
use portcullis_index::CatalogEntry;
use std::ops::ControlFlow;

/// A kind whose records can be filtered.
pub(crate) trait Listed: CatalogEntry {
    const SCHEMA: &'static Schema;

    /// The symbols with one text each.
    const TEXTS: &'static [&'static str];

    const BOOLEANS: &'static [&'static str];

    const SETS: &'static [&'static str];

    /// What is not held by columns.
    const UNHELD: &'static [&'static str];

    /// What the kind alone has.
    fn own(&self, symbol: &str) -> Value<'_>;

    fn tags(&self) -> &Tags;

    fn words(&self) -> Vec<&str> {
        Vec::new()
    }
}

/// A record as a row.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Record<'e, E>(pub(crate) u64, pub(crate) &'e E);

impl<E: Listed> Row for Record<'_, E> {
    type Symbol = SymbolId;

    fn value(&self, symbol: SymbolId) -> Value<'_> {
        match symbol.name() {
            "id" => self.1.id().into(),
            "name" => self.1.name().into(),
            "createdAt" => Value::Datetime(self.1.created_at()),
            "updatedAt" => Value::Datetime(self.1.updated_at()),
            symbol => match (symbol, self.1.own(symbol)) {
                ("isSystem", Value::Missing) => Value::Boolean(false),
                (_, own) => own,
            },
        }
    }

    fn entry(&self, _map: SymbolId, key: &str) -> Value<'_> {
        match self.1.tags().get(key) {
            Some(TagValue::Text(text)) => text.into(),
            _ => Value::Missing,
        }
    }

    fn elements(&self, _set: SymbolId, visit: &mut VisitElement<'_>) -> ControlFlow<()> {
        self.1.words().into_iter().try_for_each(visit)
    }
}

static IDENTITIES: Schema = Schema::entity(&[
    Symbol::string("name"),
    Symbol::string("externalId"),
    Symbol::string("type"),
    Symbol::string("authPolicyId"),
    Symbol::boolean("isAdmin"),
    Symbol::boolean("isDefaultAdmin"),
    Symbol::set("roleAttributes"),
]);

impl Listed for Identity {
    const SCHEMA: &'static Schema = &IDENTITIES;
    const TEXTS: &'static [&'static str] = &["id", "name", "externalId", "type", "authPolicyId"];
    const BOOLEANS: &'static [&'static str] = &["isAdmin", "isDefaultAdmin", "isSystem"];
    const SETS: &'static [&'static str] = &["roleAttributes"];
    const UNHELD: &'static [&'static str] = &["tags.site"];

    fn own(&self, symbol: &str) -> Value<'_> {
        match symbol {
            "externalId" => self.spec.external_id.as_deref().into(),
            "type" => self.kind.name().into(),
            "authPolicyId" => self.spec.auth_policy.as_str().into(),
            "isAdmin" => self.spec.is_admin.into(),
            "isDefaultAdmin" => self.is_default_admin.into(),
            _ => Value::Missing,
        }
    }

    fn tags(&self) -> &Tags {
        &self.spec.tags
    }

    fn words(&self) -> Vec<&str> {
        self.spec.role_attributes.iter().collect()
    }
}

static ENROLLMENTS: Schema = Schema::entity(&[
    Symbol::string("token"),
    Symbol::string("identity"),
    Symbol::string("edgeRouter"),
    Symbol::string("transitRouter"),
    Symbol::string("caId"),
]);

impl Listed for Enrollment {
    const SCHEMA: &'static Schema = &ENROLLMENTS;
    const TEXTS: &'static [&'static str] = &["id", "edgeRouter", "transitRouter", "caId"];
    const BOOLEANS: &'static [&'static str] = &["isSystem"];
    const SETS: &'static [&'static str] = &[];
    const UNHELD: &'static [&'static str] = &["token", "tags.site"];

    fn own(&self, symbol: &str) -> Value<'_> {
        match (symbol, &self.purpose) {
            ("identity", EnrollmentPurpose::Identity { identity, .. }) => identity.as_str().into(),
            (
                "edgeRouter",
                EnrollmentPurpose::Router {
                    router,
                    is_edge: true,
                },
            )
            | (
                "transitRouter",
                EnrollmentPurpose::Router {
                    router,
                    is_edge: false,
                },
            ) => router.as_str().into(),
            ("caId", purpose) => purpose.ca().map(CaId::as_str).into(),
            _ => Value::Missing,
        }
    }

    fn tags(&self) -> &Tags {
        &self.tags
    }
}

static AUTHENTICATORS: Schema = Schema::entity(&[
    Symbol::string("method"),
    Symbol::string("identity"),
    Symbol::string("certFingerprint"),
    Symbol::boolean("isIssuedByNetwork"),
    Symbol::string("updbUsername"),
]);

impl Listed for Authenticator {
    const SCHEMA: &'static Schema = &AUTHENTICATORS;
    const TEXTS: &'static [&'static str] = &["id", "method"];
    const BOOLEANS: &'static [&'static str] = &["isIssuedByNetwork", "isSystem"];
    const SETS: &'static [&'static str] = &[];
    const UNHELD: &'static [&'static str] = &["certFingerprint", "updbUsername", "tags.site"];

    fn own(&self, symbol: &str) -> Value<'_> {
        match (symbol, &self.credential) {
            ("method", _) => self.method().into(),
            ("identity", _) => self.identity.as_str().into(),
            ("certFingerprint", Credential::Cert(cert)) => (&cert.fingerprint).into(),
            ("isIssuedByNetwork", Credential::Cert(cert)) => cert.is_issued_by_network.into(),
            ("updbUsername", Credential::Updb(updb)) => (&updb.username).into(),
            _ => Value::Missing,
        }
    }

    fn tags(&self) -> &Tags {
        &self.tags
    }
}

static AUTH_POLICIES: Schema = Schema::entity(&[
    Symbol::string("name"),
    Symbol::boolean("secondary.requireTotp"),
]);

impl Listed for AuthPolicy {
    const SCHEMA: &'static Schema = &AUTH_POLICIES;
    const TEXTS: &'static [&'static str] = &["id", "name"];
    const BOOLEANS: &'static [&'static str] = &["isSystem"];
    const SETS: &'static [&'static str] = &[];
    const UNHELD: &'static [&'static str] = &["tags.site"];

    fn own(&self, symbol: &str) -> Value<'_> {
        match symbol {
            "secondary.requireTotp" => self.spec.secondary.require_totp.into(),
            _ => Value::Missing,
        }
    }

    fn tags(&self) -> &Tags {
        &self.spec.tags
    }
}

static TERMINATORS: Schema = Schema::entity(&[
    Symbol::string("service"),
    Symbol::string("router"),
    Symbol::string("binding"),
    Symbol::string("address"),
    Symbol::string("instanceId"),
]);

impl Listed for Terminator {
    const SCHEMA: &'static Schema = &TERMINATORS;
    const TEXTS: &'static [&'static str] = &["id", "service", "router", "binding", "instanceId"];
    const BOOLEANS: &'static [&'static str] = &["isSystem"];
    const SETS: &'static [&'static str] = &[];
    const UNHELD: &'static [&'static str] = &["address", "tags.site"];

    fn own(&self, symbol: &str) -> Value<'_> {
        match symbol {
            "service" => self.spec.service.as_str().into(),
            "router" => self.spec.router.as_str().into(),
            "binding" => (&self.spec.binding).into(),
            "address" => (&self.spec.address).into(),
            "instanceId" => (&self.spec.instance_id).into(),
            _ => Value::Missing,
        }
    }

    fn tags(&self) -> &Tags {
        &self.spec.tags
    }
}

static SESSIONS: Schema = Schema::entity(&[
    Symbol::string("apiSession"),
    Symbol::string("service"),
    Symbol::string("type"),
]);

impl Listed for Session {
    const SCHEMA: &'static Schema = &SESSIONS;
    const TEXTS: &'static [&'static str] = &["id", "service", "type"];
    const BOOLEANS: &'static [&'static str] = &["isSystem"];
    const SETS: &'static [&'static str] = &[];
    const UNHELD: &'static [&'static str] = &["apiSession", "tags.site"];

    fn own(&self, symbol: &str) -> Value<'_> {
        match symbol {
            "apiSession" => self.api_session.as_str().into(),
            "service" => self.service.as_str().into(),
            "type" => self.grant.name().into(),
            _ => Value::Missing,
        }
    }

    fn tags(&self) -> &Tags {
        &self.tags
    }
}

static EDGE_ROUTER_POLICIES: Schema =
    Schema::entity(&[Symbol::string("name"), Symbol::string("semantic")]);

impl Listed for EdgeRouterPolicy {
    const SCHEMA: &'static Schema = &EDGE_ROUTER_POLICIES;
    const TEXTS: &'static [&'static str] = &["id", "name"];
    const BOOLEANS: &'static [&'static str] = &["isSystem"];
    const SETS: &'static [&'static str] = &[];
    const UNHELD: &'static [&'static str] = &["semantic", "tags.site"];

    fn own(&self, symbol: &str) -> Value<'_> {
        match symbol {
            "isSystem" => self.spec.is_system.into(),
            "semantic" => "AnyOf".into(),
            _ => Value::Missing,
        }
    }

    fn tags(&self) -> &Tags {
        &self.spec.tags
    }
}
