//! What queries ask of rows.

use crate::schema::SymbolId;
use crate::value::Value;
use std::ops::ControlFlow;

/// A row that queries can be evaluated on.
///
/// Only [`value`](Self::value) is needed; kinds without maps, sets and references leave the rest. Rows are
/// asked for the symbols of their own [`Schema`](crate::Schema) only.
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
    /// The value of a symbol that has a single one.
    fn value(&self, symbol: SymbolId) -> Value<'_>;

    /// The value under `key` in a map.
    fn entry(&self, map: SymbolId, key: &str) -> Value<'_> {
        let _ = (map, key);
        Value::Missing
    }

    /// Shows the elements of a set, or the ids of a set of references, each once, until `visit` breaks.
    fn elements(&self, set: SymbolId, visit: &mut VisitElement<'_>) -> ControlFlow<()> {
        let _ = (set, visit);
        ControlFlow::Continue(())
    }

    /// Shows the entities of a set of references, each once, until `visit` breaks.
    fn referenced(&self, set: SymbolId, visit: &mut VisitRow<'_>) -> ControlFlow<()> {
        let _ = (set, visit);
        ControlFlow::Continue(())
    }
}

/// Takes one element of a set and says whether it wants more.
pub type VisitElement<'v> = dyn FnMut(&str) -> ControlFlow<()> + 'v;

/// Takes one referenced entity and says whether it wants more.
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
