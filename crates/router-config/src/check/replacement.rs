//! What holds in place of values that cannot be used.

use portcullis_yaml::syntax::GoDuration;
use portcullis_yaml::{Field, Value};
use serde_json::{Value as Json, json};

use crate::check::Fallback;
use crate::check::walk::Walker;
use crate::table::{Key, OutOfBounds, ReadMode, Representation, ValueType};

impl Walker<'_> {
    /// Stores what holds in place of a value of which a mistake was reported.
    pub(super) fn replace(&mut self, field: &Field<'_>, key: &'static Key, path: &str) {
        if self.fallback == Fallback::Nothing {
            return;
        }
        match replacement(field, key) {
            Some(value) => self.store(field, value, path),
            None => self.set_default(key, path),
        }
    }
}

/// What OpenZiti makes of a value, where that can be used, or what comes nearest to it. `None` for the default,
/// which is safer than the shortest time or the smallest number where something below zero is asked for.
fn replacement(field: &Field<'_>, key: &Key) -> Option<Json> {
    let (node, rule) = (field.node(), &key.openziti);
    if rule.mode == ReadMode::LenientBool {
        return Some(json!(false));
    }
    if rule.out_of_bounds == OutOfBounds::Default {
        return None;
    }
    let is_clamped = rule.out_of_bounds == OutOfBounds::Clamp;
    match key.value_type {
        ValueType::Integer { min, max, .. } => {
            let number = match node.value {
                Value::Float(number) => whole(number)?,
                _ => i64::try_from(node.as_integer()?).ok()?,
            };
            let stored = stored(number, rule.representation);
            (stored >= 0 || is_clamped).then(|| json!(stored.clamp(min, max)))
        },
        ValueType::Number { min, max } => match node.value {
            Value::Float(number) if number >= 0.0 => Some(json!(number.clamp(min, max))),
            _ => None,
        },
        ValueType::Duration { min, max } => {
            let given: GoDuration = node.as_str()?.parse().ok()?;
            let given = given.nanoseconds();
            let nearest = GoDuration::from_nanoseconds(given.clamp(min, max));
            (given > 0 || is_clamped).then(|| json!(nearest.to_string()))
        },
        _ => None,
    }
}

/// What is left of a number in as many bits as OpenZiti has for it. One below zero stays as it is, since what it makes
/// of -1 is as much as there can be, and nobody asks for that.
fn stored(number: i64, representation: Representation) -> i64 {
    if number < 0 {
        return number;
    }
    match representation {
        Representation::Unsigned16 => number.rem_euclid(1 << 16),
        Representation::Unsigned32 => number.rem_euclid(1 << 32),
        Representation::Signed32 => number.wrapping_add(1 << 31).rem_euclid(1 << 32) - (1 << 31),
        Representation::Plain | Representation::Milliseconds | Representation::Seconds => number,
    }
}

/// A float without a fraction, as an integer.
fn whole(number: f64) -> Option<i64> {
    format!("{number:.0}")
        .parse()
        .ok()
        .filter(|_| number.fract() == 0.0)
}
