//! Numbers in JSON syntax.

use crate::value::Number;

/// Length of the longest number at the start of `text`, if there is one.
pub(super) fn length(text: &str) -> Option<usize> {
    let bytes = text.as_bytes();
    let at = |index: usize| bytes.get(index).copied();
    let digits = |from: usize| {
        bytes
            .iter()
            .skip(from)
            .take_while(|b| b.is_ascii_digit())
            .count()
    };

    let sign = usize::from(at(0) == Some(b'-'));
    // A leading zero is a number of its own: `007` is three numbers, which the grammar never allows.
    let whole = if at(sign) == Some(b'0') {
        1
    } else {
        digits(sign)
    };
    if whole == 0 {
        return None;
    }
    let mut end = sign + whole;
    if at(end) == Some(b'.') {
        let fraction = digits(end + 1);
        end += if fraction > 0 { 1 + fraction } else { 0 };
    }
    if matches!(at(end), Some(b'e' | b'E')) {
        let sign = usize::from(matches!(at(end + 1), Some(b'+' | b'-')));
        let exponent = digits(end + 1 + sign);
        end += if exponent > 0 { 1 + sign + exponent } else { 0 };
    }
    Some(end)
}

/// The value of a number: an integer if it is written as one and fits, else floating point.
///
/// `None` when it is out of range for floating point.
pub(super) fn value(text: &str) -> Option<Number> {
    if let Ok(integer) = text.parse() {
        return Some(Number::Integer(integer));
    }
    text.parse()
        .ok()
        .filter(|float: &f64| float.is_finite())
        .map(Number::Float)
}
