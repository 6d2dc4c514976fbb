//! Schemas: the symbols that queries on a kind of row may use.

use crate::nearest;
use std::fmt;

/// The symbols that every stored entity has.
pub(crate) const ENTITY: &[Symbol] = &[
    Symbol::string("id"),
    Symbol::datetime("createdAt"),
    Symbol::datetime("updatedAt"),
    Symbol::map("tags"),
    Symbol::boolean("isSystem"),
];

/// The symbols of one kind of row, usually a `static`.
///
/// # Examples
///
/// ```
/// use portcullis_filter::{Schema, Symbol};
///
/// static CONFIGS: Schema = Schema::entity(&[Symbol::string("name"), Symbol::string("type")]);
/// static SERVICES: Schema = Schema::entity(&[
///     Symbol::string("name"),
///     Symbol::set("roleAttributes"),
///     Symbol::references("configs", &CONFIGS),
/// ]);
///
/// assert!(SERVICES.names().any(|name| name == "createdAt"), "every entity has it");
/// ```
#[derive(Debug)]
pub struct Schema {
    base: &'static [Symbol],
    own: &'static [Symbol],
}

impl Schema {
    /// The symbols of a stored entity: `id`, `createdAt`, `updatedAt`, `tags` and `isSystem`, then `own`.
    pub const fn entity(own: &'static [Symbol]) -> Self {
        Self { base: ENTITY, own }
    }

    /// Exactly these symbols. Without an `id`, rows that compare equal keep their order.
    pub const fn new(symbols: &'static [Symbol]) -> Self {
        Self {
            base: &[],
            own: symbols,
        }
    }

    /// All symbols in the order of the table.
    pub fn symbols(&self) -> impl Iterator<Item = &'static Symbol> + use<> {
        self.base.iter().chain(self.own)
    }

    /// The names for `filterableFields`, in the order of the table; a map is its bare name.
    pub fn names(&self) -> impl Iterator<Item = &'static str> + use<> {
        self.symbols().map(|symbol| symbol.name)
    }

    /// Finds a symbol by its exact name, with the id that predicates name it by.
    pub fn find(&self, name: &str) -> Option<(SymbolId, &'static Symbol)> {
        (0..)
            .zip(self.symbols())
            .find(|(_, symbol)| symbol.name == name)
            .map(|(index, symbol)| {
                let id = SymbolId {
                    index,
                    name: symbol.name,
                    variant: symbol.variant,
                };
                (id, symbol)
            })
    }

    /// The symbol with this id of the schema.
    pub fn symbol(&self, id: SymbolId) -> Option<&'static Symbol> {
        self.symbols().nth(id.index())
    }

    /// Resolves `name` to a symbol or an entry of a map.
    pub(crate) fn resolve<'n>(&self, name: &'n str) -> Option<Resolved<'n>> {
        if let Some((id, symbol)) = self.find(name) {
            return Some(Resolved {
                id,
                kind: symbol.kind,
                key: None,
            });
        }
        let (map, key) = name.split_once('.')?;
        match self.find(map)? {
            (id, symbol) if matches!(symbol.kind, SymbolKind::Map) => Some(Resolved {
                id,
                kind: symbol.kind,
                key: Some(key),
            }),
            _ => None,
        }
    }

    /// The known name closest to `name`, if any is close enough for a suggestion.
    pub(crate) fn nearest(&self, name: &str) -> Option<String> {
        // The quotes of a quoted symbol are part of its name, but never intended.
        let name = name.trim_matches('\'');
        nearest::nearest(name, self.names())
            .map(str::to_owned)
            .or_else(|| {
                let (map, key) = name.split_once('.')?;
                let maps = self
                    .symbols()
                    .filter(|symbol| matches!(symbol.kind, SymbolKind::Map));
                let map = nearest::nearest(map, maps.map(|symbol| symbol.name))?;
                Some(format!("{map}.{key}"))
            })
    }
}

/// A resolved name of a query.
pub(crate) struct Resolved<'n> {
    pub(crate) id: SymbolId,
    pub(crate) kind: SymbolKind,
    /// The key, for an entry of a map.
    pub(crate) key: Option<&'n str>,
}

/// A name that queries may use.
#[derive(Debug, Clone, Copy)]
pub struct Symbol {
    /// The case-sensitive name: letters, `_` and `.` only, since the language has no other symbols.
    pub name: &'static str,
    pub kind: SymbolKind,
    /// Position of the variant that it is declared by.
    variant: Option<u16>,
}

impl Symbol {
    /// A text, such as a name or the id of another entity.
    pub const fn string(name: &'static str) -> Self {
        Self::one(name, ValueType::String)
    }

    /// A whole number.
    pub const fn integer(name: &'static str) -> Self {
        Self::one(name, ValueType::Integer)
    }

    /// A floating-point number.
    pub const fn float(name: &'static str) -> Self {
        Self::one(name, ValueType::Float)
    }

    /// A truth value.
    pub const fn boolean(name: &'static str) -> Self {
        Self::one(name, ValueType::Boolean)
    }

    /// An instant.
    pub const fn datetime(name: &'static str) -> Self {
        Self::one(name, ValueType::Datetime)
    }

    /// Named values of any type, used as `name.<key>`.
    pub const fn map(name: &'static str) -> Self {
        Self::new(name, SymbolKind::Map)
    }

    /// A set of texts.
    pub const fn set(name: &'static str) -> Self {
        Self::new(name, SymbolKind::Set)
    }

    /// A set of ids of entities of another kind, on which sub-queries are possible.
    pub const fn references(name: &'static str, target: &'static Schema) -> Self {
        Self::new(name, SymbolKind::References(TargetSchema(target)))
    }

    const fn one(name: &'static str, value_type: ValueType) -> Self {
        Self::new(name, SymbolKind::One(value_type))
    }

    const fn new(name: &'static str, kind: SymbolKind) -> Self {
        Self {
            name,
            kind,
            variant: None,
        }
    }

    /// The same symbol as the one that a variant of [`OwnSymbols`](crate::OwnSymbols) declares, by its
    /// position there. [`symbols!`](crate::symbols!) calls it.
    #[must_use]
    pub const fn declared_by(self, variant: u16) -> Self {
        Self {
            variant: Some(variant),
            ..self
        }
    }

    /// Whether it needs a set function.
    pub const fn is_set(&self) -> bool {
        matches!(self.kind, SymbolKind::Set | SymbolKind::References(_))
    }
}

/// Kinds of symbols.
#[derive(Debug, Clone, Copy)]
pub enum SymbolKind {
    /// One value of a type, or none.
    One(ValueType),
    /// Named values of any type.
    Map,
    /// A set of texts.
    Set,
    /// A set of ids of entities of another kind.
    References(TargetSchema),
}

/// The schema of referenced entities.
///
/// Schemas may refer to each other in cycles, so the `Debug` output does not include it.
#[derive(Clone, Copy)]
pub struct TargetSchema(pub &'static Schema);

impl fmt::Debug for TargetSchema {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Target")
    }
}

/// The type of a single value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ValueType {
    /// Text.
    String,
    /// 64-bit integer.
    Integer,
    /// 64-bit floating point.
    Float,
    /// Truth value.
    Boolean,
    /// Instant.
    Datetime,
}

impl ValueType {
    /// The type with its article, for messages.
    pub(crate) const fn description(self) -> &'static str {
        match self {
            Self::String => "a string",
            Self::Integer => "an integer",
            Self::Float => "a number",
            Self::Boolean => "a boolean",
            Self::Datetime => "a datetime",
        }
    }
}

/// Handle of a symbol in its [`Schema`], which rows know as one of their [`Symbols`](crate::Symbols).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SymbolId {
    index: u16,
    name: &'static str,
    variant: Option<u16>,
}

impl SymbolId {
    /// The index in the schema, for columns; the five symbols of [`Schema::entity`] come first.
    pub fn index(self) -> usize {
        usize::from(self.index)
    }

    /// The name in queries.
    pub const fn name(self) -> &'static str {
        self.name
    }
    /// The position of the variant that declares it, for [`Symbols`](crate::Symbols).
    pub fn variant(self) -> Option<usize> {
        self.variant.map(usize::from)
    }
}
