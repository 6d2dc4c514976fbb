//! Kinds and rows for the tests.

use portcullis_filter::{Query, Row, Schema, Symbol, SymbolId, Value, VisitElement, VisitRow};
use std::collections::BTreeMap;
use std::ops::ControlFlow;

pub(crate) static IDENTITIES: Schema = Schema::entity(&[
    Symbol::string("name"),
    Symbol::string("externalId"),
    Symbol::string("type"),
    Symbol::string("authPolicyId"),
    Symbol::boolean("isAdmin"),
    Symbol::boolean("isDefaultAdmin"),
    Symbol::set("roleAttributes"),
]);

pub(crate) static CONFIGS: Schema =
    Schema::entity(&[Symbol::string("name"), Symbol::string("type")]);

pub(crate) static SERVICES: Schema = Schema::entity(&[
    Symbol::string("name"),
    Symbol::string("terminatorStrategy"),
    Symbol::set("roleAttributes"),
    Symbol::boolean("isFabricOnly"),
    Symbol::references("configs", &CONFIGS),
]);

pub(crate) static EDGE_ROUTERS: Schema = Schema::entity(&[
    Symbol::string("name"),
    Symbol::integer("cost"),
    Symbol::float("load"),
    Symbol::boolean("isVerified"),
    Symbol::boolean("isTunnelerEnabled"),
    Symbol::set("roleAttributes"),
]);

pub(crate) static SERVICE_POLICIES: Schema = Schema::entity(&[
    Symbol::string("name"),
    Symbol::string("type"),
    Symbol::string("semantic"),
    Symbol::set("identityRoles"),
    Symbol::set("serviceRoles"),
    Symbol::references("identities", &IDENTITIES),
    Symbol::references("services", &SERVICES),
]);

pub(crate) static TERMINATORS: Schema = Schema::entity(&[
    Symbol::string("binding"),
    Symbol::string("service"),
    Symbol::string("service.name"),
    Symbol::string("router.name"),
]);

pub(crate) static AUTH_POLICIES: Schema = Schema::entity(&[
    Symbol::string("name"),
    Symbol::boolean("primary.updb.allowed"),
    Symbol::integer("primary.updb.minPasswordLength"),
]);

pub(crate) static SIGNERS: Schema = Schema::entity(&[
    Symbol::string("name"),
    Symbol::string("issuer"),
    Symbol::boolean("enabled"),
    Symbol::datetime("notAfter"),
]);

pub(crate) static AUTHENTICATORS: Schema =
    Schema::entity(&[Symbol::string("method"), Symbol::string("identity")]);

pub(crate) static POSTURE_CHECKS: Schema =
    Schema::entity(&[Symbol::string("name"), Symbol::string("typeId")]);

pub(crate) static ROLE_ATTRIBUTES: Schema = Schema::new(&[Symbol::string("id")]);

/// A row that holds whatever a test puts into it.
#[derive(Debug, Clone, Default)]
pub(crate) struct Entity {
    values: BTreeMap<String, Value<'static>>,
    sets: BTreeMap<&'static str, Vec<String>>,
    references: BTreeMap<&'static str, Vec<Self>>,
}

impl Entity {
    pub(crate) fn new(id: &str) -> Self {
        Self::default().with("id", id.to_owned())
    }

    /// Sets a value, or with `tags.<key>` an entry of a map.
    pub(crate) fn with(mut self, symbol: &str, value: impl Into<Value<'static>>) -> Self {
        self.values.insert(symbol.to_owned(), value.into());
        self
    }

    pub(crate) fn with_set(mut self, symbol: &'static str, elements: &[&str]) -> Self {
        self.sets.insert(
            symbol,
            elements
                .iter()
                .map(|element| (*element).to_owned())
                .collect(),
        );
        self
    }

    pub(crate) fn with_references(mut self, symbol: &'static str, rows: Vec<Self>) -> Self {
        let ids = rows.iter().map(Self::id).collect();
        self.sets.insert(symbol, ids);
        self.references.insert(symbol, rows);
        self
    }

    pub(crate) fn id(&self) -> String {
        match self.get("id") {
            Value::Text(id) => id.into_owned(),
            other => panic!("an entity has an id, not {other:?}"),
        }
    }

    pub(crate) fn get(&self, name: &str) -> Value<'static> {
        self.values.get(name).cloned().unwrap_or(Value::Missing)
    }

    pub(crate) fn set(&self, name: &str) -> &[String] {
        self.sets.get(name).map(Vec::as_slice).unwrap_or_default()
    }

    pub(crate) fn rows(&self, name: &str) -> &[Self] {
        self.references
            .get(name)
            .map(Vec::as_slice)
            .unwrap_or_default()
    }
}

impl Row for Entity {
    type Symbol = SymbolId;

    fn value(&self, symbol: SymbolId) -> Value<'_> {
        self.get(symbol.name())
    }

    fn entry(&self, map: SymbolId, key: &str) -> Value<'_> {
        self.get(&format!("{}.{key}", map.name()))
    }

    fn elements(&self, set: SymbolId, visit: &mut VisitElement<'_>) -> ControlFlow<()> {
        self.set(set.name())
            .iter()
            .try_for_each(|element| visit(element))
    }

    fn referenced(&self, set: SymbolId, visit: &mut VisitRow<'_>) -> ControlFlow<()> {
        self.rows(set.name()).iter().try_for_each(|row| visit(row))
    }
}

/// Reads a query that has to be accepted.
pub(crate) fn parse(schema: &'static Schema, text: &str) -> Query {
    match Query::parse(schema, text) {
        Ok(query) => query,
        Err(error) => panic!("{error}\n{}", error.point_at(text)),
    }
}
