//! How OpenZiti's router reads a key, where that is a matter of one value alone.

/// The rule by which OpenZiti reads one value.
#[derive(Clone, Copy, Debug)]
pub struct Original {
    /// Kind of value that is understood.
    pub read: Read,
    /// What a value of another kind leads to. A value out of bounds, or a text that is no duration, is
    /// refused in any case.
    pub wrong: Wrong,
    /// Least value; nanoseconds for durations.
    pub min: i64,
    /// Largest value; nanoseconds for durations.
    pub max: i64,
    /// Default, where it differs from the one of the key.
    pub default: Option<&'static str>,
    /// Name of the effective value, where it differs from that of the key.
    pub name: Option<&'static str>,
    /// Form of the effective value.
    pub shown: Shown,
}

/// Kinds of values as OpenZiti tells them apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Read {
    /// The key is not read, or by a rule that needs more than this value.
    Nothing,
    /// An integer of 64 bits.
    Integer,
    /// An integer, or a float without a fraction.
    Whole,
    /// A float with a point or an exponent; integers do not do.
    Float,
    /// A float or an integer, larger than zero.
    Number,
    /// A boolean.
    Bool,
    /// Anything: the boolean or the text `true` in any case is true, all else is false.
    Truth,
    /// A string with a duration.
    Duration,
    /// Any scalar whose text is a duration.
    Printed,
    /// A string.
    Text,
}

/// What a value of a kind that is not understood leads to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wrong {
    /// The file is refused.
    Refuse,
    /// The process ends with a stack trace.
    Crash,
    /// The default is used, without a word.
    Ignore,
}

/// Forms in which OpenZiti holds a number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shown {
    /// As it was read.
    Plain,
    /// Milliseconds, held as a duration.
    Milliseconds,
    /// Seconds, held as a duration.
    Seconds,
    /// Cut to 32 bits.
    Signed32,
    /// Cut to 32 bits without a sign.
    Unsigned32,
    /// Cut to 16 bits without a sign.
    Unsigned16,
}

impl Original {
    /// A key that is not read by a rule of its own.
    pub const NOTHING: Self = Self::new(Read::Nothing, Wrong::Ignore);

    /// Makes a rule without bounds.
    pub const fn new(read: Read, wrong: Wrong) -> Self {
        Self {
            read,
            wrong,
            min: i64::MIN,
            max: i64::MAX,
            default: None,
            name: None,
            shown: Shown::Plain,
        }
    }

    /// Bounds the value.
    #[must_use]
    pub const fn within(mut self, min: i64, max: i64) -> Self {
        (self.min, self.max) = (min, max);
        self
    }

    /// Gives the default of OpenZiti.
    #[must_use]
    pub const fn default(mut self, text: &'static str) -> Self {
        self.default = Some(text);
        self
    }

    /// Gives the name of the effective value.
    #[must_use]
    pub const fn named(mut self, name: &'static str) -> Self {
        self.name = Some(name);
        self
    }

    /// Gives the form of the effective value.
    #[must_use]
    pub const fn shown(mut self, shown: Shown) -> Self {
        self.shown = shown;
        self
    }
}
