//! Rows that queries can be evaluated on.

use crate::schema::SymbolId;
use crate::value::Value;
use std::ops::ControlFlow;

/// A row that queries can be evaluated on.
///
/// Only [`value`](Self::value) is required; kinds without maps, sets and references need nothing else.
/// Only symbols of the row's own [`Schema`](crate::Schema) are passed.
///
/// # Examples
///
/// ```
/// use portcullis_filter::{Row, SymbolId, Value, VisitElement};
/// use std::ops::ControlFlow;
///
/// struct Identity {
///     id: String,
///     external_id: Option<String>,
///     role_attributes: Vec<String>,
/// }
///
/// impl Row for Identity {
///     fn value(&self, symbol: SymbolId) -> Value<'_> {
///         match symbol.name() {
///             "id" => (&self.id).into(),
///             "externalId" => self.external_id.as_deref().into(),
///             _ => Value::Missing,
///         }
///     }
///
///     fn elements(&self, _set: SymbolId, visit: &mut VisitElement<'_>) -> ControlFlow<()> {
///         self.role_attributes.iter().try_for_each(|attribute| visit(attribute))
///     }
/// }
/// ```
pub trait Row {
    /// The value of a single-valued symbol.
    fn value(&self, symbol: SymbolId) -> Value<'_>;

    /// The value of `key` in a map.
    fn entry(&self, map: SymbolId, key: &str) -> Value<'_> {
        let _ = (map, key);
        Value::Missing
    }

    /// Visits the elements of a set, or the ids of a set of references, each once, until `visit` breaks.
    fn elements(&self, set: SymbolId, visit: &mut VisitElement<'_>) -> ControlFlow<()> {
        let _ = (set, visit);
        ControlFlow::Continue(())
    }

    /// Visits the entities of a set of references, each once, until `visit` breaks.
    fn referenced(&self, set: SymbolId, visit: &mut VisitRow<'_>) -> ControlFlow<()> {
        let _ = (set, visit);
        ControlFlow::Continue(())
    }
}

/// Callback for one element of a set, which decides whether to continue.
pub type VisitElement<'v> = dyn FnMut(&str) -> ControlFlow<()> + 'v;

/// Callback for one referenced entity, which decides whether to continue.
pub type VisitRow<'v> = dyn FnMut(&dyn Row) -> ControlFlow<()> + 'v;

impl<R: Row + ?Sized> Row for &R {
    fn value(&self, symbol: SymbolId) -> Value<'_> {
        (**self).value(symbol)
    }

    fn entry(&self, map: SymbolId, key: &str) -> Value<'_> {
        (**self).entry(map, key)
    }

    fn elements(&self, set: SymbolId, visit: &mut VisitElement<'_>) -> ControlFlow<()> {
        (**self).elements(set, visit)
    }

    fn referenced(&self, set: SymbolId, visit: &mut VisitRow<'_>) -> ControlFlow<()> {
        (**self).referenced(set, visit)
    }
}
