//! What readers ask of a body, told to whoever describes requests.

use std::cell::RefCell;
use std::ops::RangeInclusive;
use std::rc::Rc;

/// What a member is read as.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Shape {
    /// A text.
    Text,
    /// A boolean.
    Flag,
    /// A whole number.
    Integer,
    /// A list of texts.
    Texts,
    /// An object whose members are read one by one.
    Object,
    /// A list of such objects.
    Objects,
    /// An object that is kept as it is.
    Document,
    /// An object that does not nest.
    Flat,
    /// Texts by free names.
    TextMap,
    /// Whole numbers from 0 to 65535 by free names.
    IntegerMap,
    /// Lists of texts, or nothing, by free names.
    TextsMap,
}

/// What a member has to be besides.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Rule {
    /// Number of characters of a text.
    Length(RangeInclusive<usize>),
    /// Nobody is to see the text.
    Secret,
    /// The words that a text may be.
    OneOf(Vec<&'static str>),
    /// From where to where a number goes.
    Range(i64, i64),
    /// What a text is written like, by its name in JSON Schema.
    Format(&'static str),
}

/// A member that a reader asked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Asked {
    /// Its path in the body.
    pub(crate) path: String,
    /// What it is read as; `None` while it was not taken out.
    pub(crate) shape: Option<Shape>,
    /// What it has to be besides.
    pub(crate) rules: Vec<Rule>,
}

/// The members that a reader asked for, in their order.
#[derive(Debug, Clone, Default)]
pub(crate) struct Watch(Rc<RefCell<Vec<Asked>>>);

impl Shape {
    /// The JSON type in words, for errors.
    pub(crate) const fn words(self) -> &'static str {
        match self {
            Self::Text => "a string",
            Self::Flag => "a boolean",
            Self::Integer => "a whole number",
            Self::Texts => "a list of strings",
            Self::Objects => "a list of objects",
            Self::Object
            | Self::Document
            | Self::Flat
            | Self::TextMap
            | Self::IntegerMap
            | Self::TextsMap => "an object",
        }
    }
}

impl Watch {
    /// Takes down that a member was asked for.
    pub(crate) fn asked(&self, path: &str, shape: Shape) {
        let mut all = self.0.borrow_mut();
        match all.iter_mut().find(|asked| asked.path == path) {
            // Who asks again for what was taken gets nothing, as whatever it asks.
            Some(asked) => {
                asked.shape.get_or_insert(shape);
            },
            None => all.push(Asked {
                path: path.to_owned(),
                shape: Some(shape),
                rules: Vec::new(),
            }),
        }
    }

    /// Takes down a rule for a member.
    pub(crate) fn rule(&self, path: &str, rule: Rule) {
        let mut all = self.0.borrow_mut();
        match all.iter_mut().find(|asked| asked.path == path) {
            Some(asked) if asked.rules.contains(&rule) => {},
            Some(asked) => asked.rules.push(rule),
            None => all.push(Asked {
                path: path.to_owned(),
                shape: None,
                rules: vec![rule],
            }),
        }
    }

    /// What was asked for.
    pub(crate) fn take(&self) -> Vec<Asked> {
        self.0.take()
    }
}
