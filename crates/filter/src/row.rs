//! Rows that queries can be evaluated on.

use crate::schema::SymbolId;
use crate::symbols::Symbols;
use crate::value::Value;
use std::ops::ControlFlow;

/// A row that queries can be evaluated on.
///
/// Only [`value`](Self::value) is required; kinds without maps, sets and references need nothing else.
/// A symbol of a query is looked up once, when the query is parsed; rows match on what it stands for.
///
/// # Examples
///
/// ```
/// use portcullis_filter::{EntitySymbol, Row, Value, VisitElement, symbols};
/// use std::ops::ControlFlow;
///
/// symbols! {
///     enum IdentitySymbol;
///     static IDENTITIES: Schema::entity;
///     ExternalId => string("externalId"),
///     RoleAttributes => set("roleAttributes"),
/// }
///
/// struct Identity {
///     id: String,
///     external_id: Option<String>,
///     role_attributes: Vec<String>,
/// }
///
/// impl Row for Identity {
///     type Symbol = EntitySymbol<IdentitySymbol>;
///
///     fn value(&self, symbol: Self::Symbol) -> Value<'_> {
///         use EntitySymbol::{CreatedAt, Id, IsSystem, Own, Tags, UpdatedAt};
///         match symbol {
///             Id => (&self.id).into(),
///             Own(IdentitySymbol::ExternalId) => self.external_id.as_deref().into(),
///             CreatedAt | UpdatedAt | IsSystem => Value::Missing,
///             Tags | Own(IdentitySymbol::RoleAttributes) => Value::Missing, // has no single value
///         }
///     }
///
///     fn elements(&self, _set: Self::Symbol, visit: &mut VisitElement<'_>) -> ControlFlow<()> {
///         self.role_attributes.iter().try_for_each(|attribute| visit(attribute))
///     }
/// }
/// ```
pub trait Row {
    /// The symbols of the kind, as [`symbols!`](crate::symbols!) declares them; [`SymbolId`] for rows whose
    /// schema is not known before the program runs.
    type Symbol: Symbols;

    /// The value of a single-valued symbol.
    fn value(&self, symbol: Self::Symbol) -> Value<'_>;

    /// The value of `key` in a map.
    fn entry(&self, map: Self::Symbol, key: &str) -> Value<'_> {
        let _ = (map, key);
        Value::Missing
    }

    /// Visits the elements of a set, or the ids of a set of references, each once, until `visit` breaks.
    fn elements(&self, set: Self::Symbol, visit: &mut VisitElement<'_>) -> ControlFlow<()> {
        let _ = (set, visit);
        ControlFlow::Continue(())
    }

    /// Visits the entities of a set of references, each once, until `visit` breaks.
    fn referenced(&self, set: Self::Symbol, visit: &mut VisitRow<'_>) -> ControlFlow<()> {
        let _ = (set, visit);
        ControlFlow::Continue(())
    }
}

/// Callback for one element of a set, which decides whether to continue.
pub type VisitElement<'v> = dyn FnMut(&str) -> ControlFlow<()> + 'v;

/// Callback for one referenced entity, which decides whether to continue.
pub type VisitRow<'v> = dyn FnMut(&dyn AnyRow) -> ControlFlow<()> + 'v;

impl<R: Row + ?Sized> Row for &R {
    type Symbol = R::Symbol;

    fn value(&self, symbol: Self::Symbol) -> Value<'_> {
        (**self).value(symbol)
    }

    fn entry(&self, map: Self::Symbol, key: &str) -> Value<'_> {
        (**self).entry(map, key)
    }

    fn elements(&self, set: Self::Symbol, visit: &mut VisitElement<'_>) -> ControlFlow<()> {
        (**self).elements(set, visit)
    }

    fn referenced(&self, set: Self::Symbol, visit: &mut VisitRow<'_>) -> ControlFlow<()> {
        (**self).referenced(set, visit)
    }
}

/// A [`Row`] of any kind, which every row is: what queries are evaluated on.
///
/// A symbol that the row does not have, since the query was parsed for another schema, has no value.
pub trait AnyRow {
    /// As [`Row::value`].
    fn value_of(&self, symbol: SymbolId) -> Value<'_>;

    /// As [`Row::entry`].
    fn entry_of(&self, map: SymbolId, key: &str) -> Value<'_>;

    /// As [`Row::elements`].
    fn elements_of(&self, set: SymbolId, visit: &mut VisitElement<'_>) -> ControlFlow<()>;

    /// As [`Row::referenced`].
    fn referenced_by(&self, set: SymbolId, visit: &mut VisitRow<'_>) -> ControlFlow<()>;
}

impl<R: Row> AnyRow for R {
    fn value_of(&self, symbol: SymbolId) -> Value<'_> {
        match R::Symbol::from_id(symbol) {
            Some(symbol) => self.value(symbol),
            None => Value::Missing,
        }
    }

    fn entry_of(&self, map: SymbolId, key: &str) -> Value<'_> {
        match R::Symbol::from_id(map) {
            Some(map) => self.entry(map, key),
            None => Value::Missing,
        }
    }

    fn elements_of(&self, set: SymbolId, visit: &mut VisitElement<'_>) -> ControlFlow<()> {
        match R::Symbol::from_id(set) {
            Some(set) => self.elements(set, visit),
            None => ControlFlow::Continue(()),
        }
    }

    fn referenced_by(&self, set: SymbolId, visit: &mut VisitRow<'_>) -> ControlFlow<()> {
        match R::Symbol::from_id(set) {
            Some(set) => self.referenced(set, visit),
            None => ControlFlow::Continue(()),
        }
    }
}
