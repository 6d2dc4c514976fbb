//! Rules by which the OpenZiti router reads a key that depends on no other key.

/// The rule by which OpenZiti reads one value.
#[derive(Clone, Copy, Debug)]
pub struct OpenZitiRule {
    pub mode: ReadMode,
    /// Effect of a value of another type. Invalid durations are refused unless it is
    /// [`OnMistake::Ignore`].
    pub on_wrong_type: OnMistake,
    /// Effect of a section that does not have the key.
    pub on_missing: OnMistake,
    /// Whether an empty string is refused.
    pub refuses_empty: bool,
    /// Effect of a number or a duration outside of `min` and `max`.
    pub out_of_bounds: OutOfBounds,
    /// Minimum; nanoseconds for durations.
    pub min: i64,
    /// Maximum; nanoseconds for durations.
    pub max: i64,
    /// Default, where it differs from the one of the key.
    pub default: Option<&'static str>,
    /// Name of the effective value, where it differs from that of the key.
    pub effective_name: Option<&'static str>,
    pub representation: Representation,
}

/// How OpenZiti reads a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReadMode {
    /// The key is not read, or by a rule that needs more than this value.
    Unread,
    /// An integer of 64 bits.
    Integer,
    /// An integer, or a float without a fraction.
    WholeNumber,
    /// A float with a decimal point or an exponent; integers are not accepted.
    Float,
    /// A float or an integer, larger than zero.
    Number,
    /// A boolean.
    Bool,
    /// Anything: the boolean `true` and the string `true` in any case are true, everything else is
    /// false.
    LenientBool,
    /// A string with a duration.
    Duration,
    /// Any scalar whose text form is a duration.
    ScalarDuration,
    /// A string with a duration, or an integer of milliseconds.
    DurationOrMilliseconds,
    /// A string; empty by default.
    String,
    /// A map, whose keys are read by their own rules.
    Section,
}

/// Effect of a value out of bounds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OutOfBounds {
    /// The file is refused.
    Refuse,
    /// The nearest bound is used.
    Clamp,
    /// The default is used.
    Default,
}

/// Effect of a value of the wrong type, or of a missing one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OnMistake {
    /// The file is refused.
    Refuse,
    /// The process exits with a stack trace.
    Crash,
    /// The default is used without a message.
    Ignore,
}

/// Representation of a number in OpenZiti.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Representation {
    Plain,
    /// Milliseconds, stored as a duration.
    Milliseconds,
    /// Seconds, stored as a duration.
    Seconds,
    /// Truncated to a signed 32-bit integer.
    Signed32,
    /// Truncated to an unsigned 32-bit integer.
    Unsigned32,
    /// Truncated to an unsigned 16-bit integer.
    Unsigned16,
}

impl OpenZitiRule {
    /// Rule of a key that is not read by itself.
    pub const UNREAD: Self = Self::new(ReadMode::Unread, OnMistake::Ignore);

    pub const fn new(read: ReadMode, wrong: OnMistake) -> Self {
        Self {
            mode: read,
            on_wrong_type: wrong,
            on_missing: OnMistake::Ignore,
            refuses_empty: false,
            out_of_bounds: OutOfBounds::Refuse,
            min: i64::MIN,
            max: i64::MAX,
            default: None,
            effective_name: None,
            representation: Representation::Plain,
        }
    }

    #[must_use]
    pub const fn within(mut self, min: i64, max: i64) -> Self {
        (self.min, self.max) = (min, max);
        self
    }

    /// Refuses a section without the key.
    #[must_use]
    pub const fn required(mut self) -> Self {
        self.on_missing = OnMistake::Refuse;
        self
    }

    #[must_use]
    pub const fn non_empty(mut self) -> Self {
        self.refuses_empty = true;
        self
    }

    #[must_use]
    pub const fn out_of_bounds(mut self, effect: OutOfBounds) -> Self {
        self.out_of_bounds = effect;
        self
    }

    /// Sets the default of OpenZiti.
    #[must_use]
    pub const fn default(mut self, text: &'static str) -> Self {
        self.default = Some(text);
        self
    }

    /// Sets the name of the effective value.
    #[must_use]
    pub const fn effective_name(mut self, name: &'static str) -> Self {
        self.effective_name = Some(name);
        self
    }

    /// Sets the representation of the effective value.
    #[must_use]
    pub const fn representation(mut self, shown: Representation) -> Self {
        self.representation = shown;
        self
    }
}
