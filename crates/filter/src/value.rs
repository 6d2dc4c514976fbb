//! Values of rows and numbers of queries.

use jiff::Timestamp;
use std::borrow::Cow;
use std::cmp::Ordering;
use std::fmt;

/// Value of a symbol in a row.
#[derive(Debug, Clone, PartialEq)]
pub enum Value<'a> {
    /// No value, or a stored null.
    Missing,
    Text(Cow<'a, str>),
    Integer(i64),
    /// A floating-point number; NaN counts as missing.
    Float(f64),
    Boolean(bool),
    Datetime(Timestamp),
}

impl Value<'_> {
    pub fn is_missing(&self) -> bool {
        matches!(self, Self::Missing) || matches!(self, Self::Float(value) if value.is_nan())
    }

    /// The value for string tests: numbers and booleans are converted to text.
    pub(crate) fn as_text(&self) -> Option<Cow<'_, str>> {
        match self {
            Self::Text(text) => Some(Cow::Borrowed(text)),
            Self::Boolean(value) => Some(Cow::Borrowed(if *value { "true" } else { "false" })),
            Self::Integer(_) | Self::Float(_) => {
                self.as_number().map(|number| Cow::Owned(number.to_text()))
            },
            Self::Missing | Self::Datetime(_) => None,
        }
    }

    /// The value for number tests.
    pub(crate) fn as_number(&self) -> Option<Number> {
        match self {
            Self::Integer(value) => Some(Number::Integer(*value)),
            Self::Float(value) if !value.is_nan() => Some(Number::Float(*value)),
            _ => None,
        }
    }

    /// The value for datetime tests.
    pub(crate) fn as_datetime(&self) -> Option<Timestamp> {
        match self {
            Self::Datetime(value) => Some(*value),
            _ => None,
        }
    }

    /// Compares two values of one column; missing ones come first.
    ///
    /// Values of different types do not occur in one column; if they did, they would be ordered by type, so
    /// that sorting remains a total order.
    pub(crate) fn order(&self, other: &Self) -> Ordering {
        if let (Some(left), Some(right)) = (self.as_number(), other.as_number()) {
            return left
                .order(right)
                .then_with(|| left.whole().cmp(&right.whole()));
        }
        match (self, other) {
            (Self::Text(left), Self::Text(right)) => left.cmp(right),
            (Self::Boolean(left), Self::Boolean(right)) => left.cmp(right),
            (Self::Datetime(left), Self::Datetime(right)) => left.cmp(right),
            _ => self.rank().cmp(&other.rank()),
        }
    }

    fn rank(&self) -> u8 {
        match self {
            _ if self.is_missing() => 0,
            Self::Missing => 0,
            Self::Boolean(_) => 1,
            Self::Integer(_) | Self::Float(_) => 2,
            Self::Text(_) => 3,
            Self::Datetime(_) => 4,
        }
    }
}

impl<'a> From<&'a str> for Value<'a> {
    fn from(text: &'a str) -> Self {
        Self::Text(Cow::Borrowed(text))
    }
}

impl<'a> From<&'a String> for Value<'a> {
    fn from(text: &'a String) -> Self {
        Self::Text(Cow::Borrowed(text))
    }
}

impl From<String> for Value<'_> {
    fn from(text: String) -> Self {
        Self::Text(Cow::Owned(text))
    }
}

impl From<i64> for Value<'_> {
    fn from(value: i64) -> Self {
        Self::Integer(value)
    }
}

impl From<f64> for Value<'_> {
    fn from(value: f64) -> Self {
        Self::Float(value)
    }
}

impl From<bool> for Value<'_> {
    fn from(value: bool) -> Self {
        Self::Boolean(value)
    }
}

impl From<Timestamp> for Value<'_> {
    fn from(value: Timestamp) -> Self {
        Self::Datetime(value)
    }
}

impl<T: Into<Self>> From<Option<T>> for Value<'_> {
    fn from(value: Option<T>) -> Self {
        value.map_or(Self::Missing, Into::into)
    }
}

/// A number of a query, never NaN or infinite.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Number {
    /// Written without fraction and exponent, within 64 bits.
    Integer(i64),
    /// Any other number.
    Float(f64),
}

impl Number {
    /// The number as floating point, rounded beyond 2^53.
    #[expect(
        clippy::cast_precision_loss,
        reason = "the language compares an integer with a float as two floats"
    )]
    pub fn as_float(self) -> f64 {
        match self {
            Self::Integer(value) => value as f64,
            Self::Float(value) => value,
        }
    }

    /// Compares two numbers: exactly between integers, as floats otherwise.
    pub(crate) fn order(self, other: Self) -> Ordering {
        match (self, other) {
            (Self::Integer(left), Self::Integer(right)) => left.cmp(&right),
            // Neither side is ever NaN, so they always have an order.
            _ => self
                .as_float()
                .partial_cmp(&other.as_float())
                .unwrap_or(Ordering::Equal),
        }
    }

    /// The number without its fraction, which distinguishes integers that are equal as floats.
    #[expect(
        clippy::cast_possible_truncation,
        reason = "floats beyond 128 bits are told apart as floats"
    )]
    const fn whole(self) -> i128 {
        match self {
            Self::Integer(value) => value as i128,
            Self::Float(value) => value as i128,
        }
    }

    /// The decimal text without exponent, which string tests use.
    pub(crate) fn to_text(self) -> String {
        match self {
            Self::Integer(value) => value.to_string(),
            Self::Float(value) => value.to_string(),
        }
    }
}

/// The number as a literal of the language.
impl fmt::Display for Number {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Integer(value) => write!(f, "{value}"),
            // This form always has a fraction or an exponent, so it is read as a float again.
            Self::Float(value) => write!(f, "{value:?}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_order_of_a_column_is_total_even_between_types() {
        const BIG: i64 = 1 << 53;
        let values = [
            Value::Missing,
            Value::Float(f64::NAN),
            Value::Float(f64::NEG_INFINITY),
            Value::Integer(i64::MIN),
            Value::Float(-0.5),
            Value::Integer(0),
            Value::Integer(BIG),
            Value::Float(9_007_199_254_740_992.0),
            Value::Integer(BIG + 1),
            Value::Integer(i64::MAX),
            Value::Float(9_223_372_036_854_775_808.0),
            Value::Float(f64::INFINITY),
            Value::Boolean(true),
            Value::Boolean(false),
            Value::from(""),
            Value::from("a"),
            Value::Datetime(Timestamp::UNIX_EPOCH),
        ];
        for a in &values {
            for b in &values {
                assert_eq!(a.order(b), b.order(a).reverse(), "{a:?} {b:?}");
                for c in &values {
                    if a.order(b).is_le() && b.order(c).is_le() {
                        assert!(a.order(c).is_le(), "{a:?} {b:?} {c:?}");
                    }
                }
            }
        }
    }
}
