//! Rows of the table of keys.

use std::fmt;

use portcullis_yaml::KnownKey;
use serde_json::{Value as Json, json};

/// A configuration file whose keys are in a table.
pub trait ConfigFile: Copy + fmt::Debug + 'static {
    /// Formats of strings.
    type Format: Format;
    /// How OpenZiti reads a key, where that is known.
    type Rule: Copy + fmt::Debug + 'static;

    /// The rule of keys that say nothing about it.
    const NO_RULE: Self::Rule;
    /// The keys of the top level.
    const ROOT: KeyGroup<Self>;
    /// Title of the schema.
    const TITLE: &'static str;
    /// Description of the schema.
    const DESCRIPTION: &'static str;

    /// Returns the default of OpenZiti, where that differs from the one of the key.
    fn openziti_default(_rule: &Self::Rule) -> Option<&'static str> {
        None
    }

    /// Whether a boolean may be a string.
    fn accepts_text_as_bool(_key: &Key<Self>) -> bool {
        false
    }
}

/// Format of a string.
pub trait Format: Copy + Eq + fmt::Debug + 'static {
    /// Describes it, with an article.
    fn describe(self) -> &'static str;

    /// JSON Schema of the string.
    fn schema(self) -> Json {
        json!({ "type": "string" })
    }
}

/// Keys that belong together; a section has one or several groups.
pub type KeyGroup<F> = &'static [Key<F>];

/// One key of the file.
#[derive(Clone, Copy, Debug)]
pub struct Key<F: ConfigFile> {
    /// Case-sensitive name.
    pub name: &'static str,
    /// Type of the value.
    pub value_type: ValueType<F>,
    pub required: bool,
    /// Default, as it would be written in the file.
    pub default: Option<&'static str>,
    pub state: KeyState,
    pub openziti: F::Rule,
    /// Meaning, in whole sentences.
    pub doc: &'static str,
    /// A value as it would be written in the file.
    pub example: Option<&'static str>,
}

/// Type of a value.
#[derive(Clone, Copy, Debug)]
pub enum ValueType<F: ConfigFile> {
    /// A map with these keys.
    Map(&'static [KeyGroup<F>]),
    /// Maps with these keys, each under a name of its own that whoever writes the file chooses.
    NamedMaps(&'static [KeyGroup<F>]),
    /// Texts under names that whoever writes the file chooses. The texts are secrets.
    Secrets,
    /// A list of maps with these keys.
    MapList(&'static [KeyGroup<F>]),
    /// A list of maps whose key `binding` determines their other keys.
    BindingList(&'static [BindingVariant<F>]),
    /// A string.
    String(F::Format),
    /// A list of strings.
    StringList(F::Format),
    /// A string, or a list of strings.
    StringOrList(F::Format),
    /// One of these words.
    Enum(&'static [&'static str]),
    /// One of these words in any case; an empty text counts as absent.
    EnumIgnoreCase(&'static [&'static str]),
    /// An integer within bounds.
    Integer { min: i64, max: i64, unit: Unit },
    /// A number within bounds, with or without a fraction.
    Number { min: f64, max: f64 },
    /// A number between two exclusive bounds.
    ExclusiveRange { low: f64, high: f64 },
    /// `true` or `false`.
    Bool,
    /// A string with a duration; bounds in nanoseconds.
    Duration { min: i64, max: i64 },
    /// A duration, or an integer of milliseconds.
    DurationOrMilliseconds {
        /// Minimum in nanoseconds.
        min: i64,
    },
    /// Any value; it is not read.
    Any,
}

/// Keys of a list item whose `binding` has one value.
#[derive(Clone, Copy, Debug)]
pub struct BindingVariant<F: ConfigFile> {
    /// Value of `binding`.
    pub binding: &'static str,
    pub keys: &'static [KeyGroup<F>],
    /// Meaning of the binding, in whole sentences.
    pub doc: &'static str,
}

/// Unit of an integer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unit {
    /// No unit: a number of items.
    Count,
    Milliseconds,
    Seconds,
    Bytes,
}

/// State of a key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum KeyState {
    /// It is read.
    Active,
    /// It is accepted and has no effect; the text completes "it has no effect: ".
    Dead(&'static str),
    /// It is read, but the named key replaces it.
    Deprecated(&'static str),
    /// Another spelling of the named key of the same section, accepted where the meaning is certain.
    Alias(&'static str),
}

/// One millisecond in nanoseconds.
pub const MILLISECOND: i64 = 1_000_000;
/// One second in nanoseconds.
pub const SECOND: i64 = 1_000 * MILLISECOND;
/// One minute in nanoseconds.
pub const MINUTE: i64 = 60 * SECOND;
/// One hour in nanoseconds.
pub const HOUR: i64 = 60 * MINUTE;

impl<F: ConfigFile> Key<F> {
    /// An optional key without a default.
    pub const fn new(name: &'static str, kind: ValueType<F>, doc: &'static str) -> Self {
        Self {
            name,
            value_type: kind,
            required: false,
            default: None,
            state: KeyState::Active,
            openziti: F::NO_RULE,
            doc,
            example: None,
        }
    }

    /// A key with a count.
    pub const fn count(name: &'static str, min: i64, max: i64, doc: &'static str) -> Self {
        let unit = Unit::Count;
        Self::new(name, ValueType::Integer { min, max, unit }, doc)
    }

    /// A key with an integer in milliseconds.
    pub const fn milliseconds(name: &'static str, doc: &'static str) -> Self {
        let unit = Unit::Milliseconds;
        let (min, max) = (0, i64::MAX / MILLISECOND);
        Self::new(name, ValueType::Integer { min, max, unit }, doc)
    }

    /// A key with a duration that is not negative.
    pub const fn duration(name: &'static str, doc: &'static str) -> Self {
        let (min, max) = (0, i64::MAX);
        Self::new(name, ValueType::Duration { min, max }, doc)
    }

    /// A key with a duration longer than zero.
    pub const fn interval(name: &'static str, doc: &'static str) -> Self {
        let (min, max) = (1, i64::MAX);
        Self::new(name, ValueType::Duration { min, max }, doc)
    }

    /// A key that is accepted with any value and has no effect.
    pub const fn dead(name: &'static str, why: &'static str) -> Self {
        let mut key = Self::new(name, ValueType::Any, why);
        key.state = KeyState::Dead(why);
        key
    }

    /// Bounds an integer or, in nanoseconds, a duration.
    #[must_use]
    pub const fn within(mut self, min: i64, max: i64) -> Self {
        self.value_type = match self.value_type {
            ValueType::Integer { unit, .. } => ValueType::Integer { min, max, unit },
            ValueType::Duration { .. } => ValueType::Duration { min, max },
            other => other,
        };
        self
    }

    /// Makes it a mistake to leave the key out.
    #[must_use]
    pub const fn required(mut self) -> Self {
        self.required = true;
        self
    }

    /// Sets the default, as it would be written in the file.
    #[must_use]
    pub const fn default(mut self, text: &'static str) -> Self {
        self.default = Some(text);
        self
    }

    /// Sets the rule by which OpenZiti reads the key.
    #[must_use]
    pub const fn openziti(mut self, original: F::Rule) -> Self {
        self.openziti = original;
        self
    }

    /// Sets the state.
    #[must_use]
    pub const fn state(mut self, state: KeyState) -> Self {
        self.state = state;
        self
    }

    /// Sets the example, as it would be written in the file.
    #[must_use]
    pub const fn example(mut self, text: &'static str) -> Self {
        self.example = Some(text);
        self
    }

    /// Returns the default of OpenZiti.
    pub fn openziti_default(&self) -> Option<&'static str> {
        F::openziti_default(&self.openziti).or(self.default)
    }
}

impl<F: ConfigFile> KnownKey for Key<F> {
    fn name(&self) -> &'static str {
        self.name
    }

    fn ignored(&self) -> Option<&'static str> {
        match self.state {
            KeyState::Dead(why) => Some(why),
            KeyState::Active | KeyState::Deprecated(_) | KeyState::Alias(_) => None,
        }
    }
}
