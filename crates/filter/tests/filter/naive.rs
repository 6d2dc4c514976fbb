//! A second, simple-minded reading of the language, to compare the crate with.
//!
//! It keeps to the shape of the text: nothing is brought into one form, no list is sorted, every meaning
//! is worked out from the words of the language's description. It shares no code with the crate, and it
//! knows neither limits nor refusals, so it is only asked about texts that the crate accepts.

mod generate;
mod meaning;
mod read;

pub(crate) use generate::{chain, row};
pub(crate) use read::read;

use portcullis_filter::{Schema, Symbol};

/// A kind with every type of symbol.
pub(crate) static KIND: Schema = Schema::entity(&[
    Symbol::string("name"),
    Symbol::integer("cost"),
    Symbol::float("load"),
    Symbol::boolean("flag"),
    Symbol::datetime("seen"),
    Symbol::set("roles"),
    Symbol::references("friends", &KIND),
]);

/// A query; its order is of no interest here.
#[derive(Debug, Clone)]
pub(crate) struct Naive {
    pub(crate) condition: Chain,
    pub(crate) skip: Option<String>,
    pub(crate) limit: Option<String>,
}

/// A condition in the shape of its text: what stands to the right of an operator belongs to it.
#[derive(Debug, Clone)]
pub(crate) enum Chain {
    Leaf(Leaf),
    Group(Box<Self>),
    Not(Box<Self>),
    /// `left operator rest`, where left is a leaf or a group; `true` stands for `and`.
    Join(Box<Self>, bool, Box<Self>),
}

#[derive(Debug, Clone)]
pub(crate) enum Leaf {
    Constant(bool),
    Bare(String),
    IsEmpty(Collection),
    Test {
        left: Left,
        /// In lower case with single blanks, such as `not in`.
        operator: String,
        /// One literal, the elements of a list, or two bounds.
        right: Vec<Literal>,
    },
}

#[derive(Debug, Clone)]
pub(crate) enum Left {
    Symbol(String),
    AnyOf(String),
    AllOf(String),
    Count(Collection),
}

#[derive(Debug, Clone)]
pub(crate) enum Collection {
    Set(String),
    From(String, Box<Naive>),
}

#[derive(Debug, Clone)]
pub(crate) enum Literal {
    Text(String),
    /// As written.
    Number(String),
    /// What stands in the brackets of `datetime(...)`.
    Instant(String),
    Boolean(bool),
    Null,
}
