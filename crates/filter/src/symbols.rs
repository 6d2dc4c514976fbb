//! Symbols as types, which rows match on.

use crate::schema::SymbolId;
use std::fmt;

/// What a row knows the symbols of its schema as, usually an enum that [`symbols!`](crate::symbols!) declares.
pub trait Symbols: Copy + fmt::Debug {
    /// The symbol with this id; `None` if it is an id of another schema.
    fn from_id(id: SymbolId) -> Option<Self>;
}

/// Rows of kinds that are not known before the program runs compare indices or names.
impl Symbols for SymbolId {
    fn from_id(id: SymbolId) -> Option<Self> {
        Some(id)
    }
}

/// The own symbols of a kind, without those that all stored entities have.
pub trait OwnSymbols: Copy + fmt::Debug + 'static {
    /// All of them, in the order of their variants.
    const ALL: &'static [Self];

    /// The variant that declares a symbol; `None` if none of this type does.
    fn from_variant(id: SymbolId) -> Option<Self> {
        Self::ALL.get(id.variant()?).copied()
    }
}

/// The symbols of a kind of stored entities, whose schema is a [`Schema::entity`](crate::Schema::entity).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EntitySymbol<S> {
    /// `id`
    Id,
    /// `createdAt`
    CreatedAt,
    /// `updatedAt`
    UpdatedAt,
    /// `tags`, a map
    Tags,
    /// `isSystem`
    IsSystem,
    /// A symbol of this kind alone.
    Own(S),
}

impl<S: OwnSymbols> Symbols for EntitySymbol<S> {
    fn from_id(id: SymbolId) -> Option<Self> {
        Some(match id.index() {
            0 => Self::Id,
            1 => Self::CreatedAt,
            2 => Self::UpdatedAt,
            3 => Self::Tags,
            4 => Self::IsSystem,
            _ => Self::Own(S::from_variant(id)?),
        })
    }
}

/// Declares the symbols of a kind: an enum for its rows to match on, and the [`Schema`](crate::Schema) with
/// the names and types that queries know them by.
///
/// After `Schema::entity`, rows have an [`EntitySymbol`] of the enum; after `Schema::new`, the enum itself.
/// The types are the constructors of [`Symbol`](crate::Symbol).
///
/// # Examples
///
/// ```
/// use portcullis_filter::{Query, symbols};
///
/// symbols! {
///     /// What queries may ask about links.
///     pub enum LinkSymbol;
///     /// Links between routers.
///     pub static LINKS: Schema::new;
///     Id => string("id"),
///     Cost => integer("cost"),
/// }
///
/// assert!(Query::parse(&LINKS, "cost < 10").is_ok());
/// ```
///
/// A schema with some of the symbols, for the same rows, is made of `LinkSymbol::Cost.symbol()`.
///
/// A symbol that a row forgets, or that does not exist, is refused by the compiler:
///
/// ```compile_fail
/// # use portcullis_filter::{Row, Value, symbols};
/// # symbols! {
/// #     enum LinkSymbol;
/// #     static LINKS: Schema::new;
/// #     Id => string("id"),
/// #     Cost => integer("cost"),
/// # }
/// # struct Link(String);
/// impl Row for Link {
///     type Symbol = LinkSymbol;
///
///     fn value(&self, symbol: LinkSymbol) -> Value<'_> {
///         match symbol {
///             LinkSymbol::Id => (&self.0).into(),
///         }
///     }
/// }
/// ```
#[macro_export]
macro_rules! symbols {
    (
        $(#[$about_enum:meta])* $enum_vis:vis enum $symbols:ident;
        $(#[$about_schema:meta])* $schema_vis:vis static $schema:ident: Schema::entity;
        $($declared:tt)*
    ) => {
        $crate::symbols!(@declare [$(#[$about_enum])*] $enum_vis $symbols;
            [$(#[$about_schema])*] $schema_vis $schema entity; $($declared)*);
    };
    (
        $(#[$about_enum:meta])* $enum_vis:vis enum $symbols:ident;
        $(#[$about_schema:meta])* $schema_vis:vis static $schema:ident: Schema::new;
        $($declared:tt)*
    ) => {
        $crate::symbols!(@declare [$(#[$about_enum])*] $enum_vis $symbols;
            [$(#[$about_schema])*] $schema_vis $schema new; $($declared)*);

        impl $crate::Symbols for $symbols {
            fn from_id(id: $crate::SymbolId) -> ::core::option::Option<Self> {
                $crate::OwnSymbols::from_variant(id)
            }
        }
    };
    (
        @declare [$($about_enum:tt)*] $enum_vis:vis $symbols:ident;
        [$($about_schema:tt)*] $schema_vis:vis $schema:ident $base:ident;
        $($variant:ident => $kind:ident($name:literal $(, $target:expr)?)),* $(,)?
    ) => {
        $($about_enum)*
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        $enum_vis enum $symbols {
            $(#[doc = concat!("`", $name, "`")] $variant,)*
        }

        impl $symbols {
            /// The symbol that queries know it as.
            $enum_vis const fn symbol(self) -> $crate::Symbol {
                let symbol = match self {
                    $(Self::$variant => $crate::Symbol::$kind($name $(, $target)?),)*
                };
                symbol.declared_by(self as u16)
            }
        }

        impl $crate::OwnSymbols for $symbols {
            const ALL: &'static [Self] = &[$(Self::$variant,)*];
        }

        $($about_schema)*
        $schema_vis static $schema: $crate::Schema =
            $crate::Schema::$base(&[$($symbols::$variant.symbol(),)*]);
    };
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::schema::Schema;

    crate::symbols! {
        enum EventSymbol;
        static EVENTS: Schema::entity;
        Name => string("name"),
        Owners => references("owners", &PEOPLE),
    }

    crate::symbols! {
        enum PersonSymbol;
        static PEOPLE: Schema::new;
        Id => string("id"),
        Age => integer("age"),
        Events => references("events", &EVENTS),
    }

    static PUBLIC_EVENTS: Schema = Schema::entity(&[EventSymbol::Owners.symbol()]);

    fn all<S: Symbols>(schema: &Schema) -> Vec<(&'static str, Option<S>)> {
        let ids = schema.names().filter_map(|name| schema.find(name));
        ids.map(|(id, symbol)| (symbol.name, S::from_id(id)))
            .collect()
    }

    #[test]
    fn ids_lead_to_the_symbols_that_are_declared_with_their_names() {
        assert_eq!(
            all(&EVENTS),
            [
                ("id", Some(EntitySymbol::Id)),
                ("createdAt", Some(EntitySymbol::CreatedAt)),
                ("updatedAt", Some(EntitySymbol::UpdatedAt)),
                ("tags", Some(EntitySymbol::Tags)),
                ("isSystem", Some(EntitySymbol::IsSystem)),
                ("name", Some(EntitySymbol::Own(EventSymbol::Name))),
                ("owners", Some(EntitySymbol::Own(EventSymbol::Owners))),
            ]
        );
        assert_eq!(
            all(&PEOPLE),
            [
                ("id", Some(PersonSymbol::Id)),
                ("age", Some(PersonSymbol::Age)),
                ("events", Some(PersonSymbol::Events)),
            ]
        );
    }

    #[test]
    fn a_schema_of_some_symbols_leads_to_the_same() {
        assert_eq!(
            all(&PUBLIC_EVENTS).pop(),
            Some(("owners", Some(EntitySymbol::Own(EventSymbol::Owners))))
        );
    }

    #[test]
    fn symbols_that_no_variant_declares_lead_nowhere() {
        let (tags, _) = EVENTS.find("tags").expect("every entity has it");
        assert_eq!(PersonSymbol::from_id(tags), None);
    }
}
