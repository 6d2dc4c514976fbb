//! Holding one value against its row.

use portcullis_yaml::syntax::GoDuration;
use portcullis_yaml::{Field, Node, Value};
use serde_json::{Value as Json, json};

use crate::check::form;
use crate::check::help::clock;
use crate::check::place::path_in_list;
use crate::check::walk::Walker;
use crate::codes;
use crate::table::{Form, Key, Kind, MS, Read, Unit};

/// Checks a value and gives it as it is shown; a mistake has been reported when it is `None`.
pub(super) fn check(walker: &mut Walker<'_>, field: &Field<'_>, key: &'static Key) -> Option<Json> {
    match key.kind {
        Kind::Text(text) => {
            let written = text_of(walker, field)?;
            form::check(walker, field, written, text, field.path())
        },
        Kind::Texts(text) => texts(walker, field, text),
        Kind::OneOrMore(text) => match field.node().as_str() {
            Some(written) => {
                let value = form::check(walker, field, written, text, field.path())?;
                Some(json!([value]))
            },
            None if field.node().as_list().is_some() => texts(walker, field, text),
            None => {
                walker.wrong_type(field, "a string or a list of strings");
                None
            },
        },
        Kind::Word(words) => word(walker, field, words),
        Kind::AnyCase(words) => any_case(walker, field, key, words),
        Kind::Integer { min, max, unit } => integer(walker, field, (min, max), unit),
        Kind::Number { min, max } => {
            let number = number(walker, field, key)?;
            let bounds = format!("from {min} to {max}");
            let nearest = number.clamp(min, max);
            let fits = (min..=max).contains(&number);
            bounded(walker, field, number, fits, &bounds, Some(nearest))
        },
        Kind::Between { low, high } => {
            let number = number(walker, field, key)?;
            let bounds = format!("more than {low} and less than {high}");
            let fits = number > low && number < high;
            bounded(walker, field, number, fits, &bounds, None)
        },
        Kind::Bool => boolean(walker, field, key),
        Kind::Duration { min, max } => duration(walker, field, (min, max)),
        Kind::DurationOrMilliseconds { min } => match field.node().as_integer() {
            Some(ms) => {
                let nanoseconds = ms.saturating_mul(1_000_000);
                match i64::try_from(nanoseconds) {
                    Ok(nanoseconds) => within(walker, field, nanoseconds, (min, i64::MAX)),
                    Err(_) => integer(walker, field, (min / MS, i64::MAX / MS), Unit::Milliseconds),
                }
            },
            None => duration(walker, field, (min, i64::MAX)),
        },
        Kind::Map(_) | Kind::Maps(_) | Kind::Bindings(_) | Kind::Anything => None,
    }
}

fn text_of<'tree>(walker: &mut Walker<'_>, field: &Field<'tree>) -> Option<&'tree str> {
    let text = field.node().as_str();
    if text.is_none() {
        walker.wrong_type(field, "a string");
    }
    text
}

fn texts(walker: &mut Walker<'_>, field: &Field<'_>, text: Form) -> Option<Json> {
    let Some(items) = field.items() else {
        walker.wrong_type(field, "a list of strings");
        return None;
    };
    let mut values = Vec::new();
    for item in &items {
        let path = path_in_list(field, item);
        if let Some(written) = item.node().as_str() {
            values.extend(form::check(walker, item, written, text, &path));
        } else {
            walker.wrong_type_at(&path, item, "a string");
        }
    }
    (values.len() == items.len()).then_some(Json::Array(values))
}

fn word(
    walker: &mut Walker<'_>,
    field: &Field<'_>,
    words: &'static [&'static str],
) -> Option<Json> {
    let text = text_of(walker, field)?;
    if words.contains(&text) {
        return Some(json!(text));
    }
    let message = format!("`{}` must not be `{text}`", field.path());
    let help = match portcullis_yaml::nearest(text, words.iter().copied()) {
        Some(similar) => format!("did you mean `{similar}`?"),
        None => format!("write one of {}", words.join(", ")),
    };
    walker
        .error(field, codes::INVALID_VALUE, message)
        .help(help);
    None
}

/// As [`word`], whatever the case; the default holds for an empty text.
fn any_case(
    walker: &mut Walker<'_>,
    field: &Field<'_>,
    key: &Key,
    words: &'static [&'static str],
) -> Option<Json> {
    let text = text_of(walker, field)?;
    if text.is_empty() {
        return key.default.map(|word| json!(word));
    }
    match words.iter().find(|word| word.eq_ignore_ascii_case(text)) {
        Some(word) => Some(json!(word)),
        None => word(walker, field, words),
    }
}

fn integer(
    walker: &mut Walker<'_>,
    field: &Field<'_>,
    (min, max): (i64, i64),
    unit: Unit,
) -> Option<Json> {
    let Some(number) = field.node().as_integer() else {
        let help = unit_help(field.node(), unit);
        let diagnostic = walker.wrong_type(field, "an integer");
        if let Some(help) = help {
            diagnostic.help(help);
        }
        return None;
    };
    octal(walker, field, number);
    let fits = (i128::from(min)..=i128::from(max)).contains(&number);
    if !fits {
        let nearest = number.clamp(i128::from(min), i128::from(max));
        let bounds = match (min, max) {
            (min, max) if min == max => format!("{min}"),
            (min, i64::MAX) => format!("at least {min}"),
            (min, max) if max == i64::MAX / MS && number < i128::from(min) => {
                format!("at least {min}")
            },
            (min, max) => format!("from {min} to {max}"),
        };
        let message = format!("`{}` must be {bounds}, not {number}", field.path());
        walker
            .error(field, codes::OUT_OF_BOUNDS, message)
            .help(format!("the nearest value is {nearest}"));
        return None;
    }
    Some(json!(i64::try_from(number).ok()?))
}

/// A duration where a plain number is wanted is easily converted.
fn unit_help(node: &Node, unit: Unit) -> Option<String> {
    let duration: GoDuration = node.as_str()?.parse().ok()?;
    let nanoseconds = duration.nanoseconds();
    match unit {
        Unit::Milliseconds => {
            let number = nanoseconds / 1_000_000;
            Some(format!("this key takes milliseconds: write `{number}`"))
        },
        Unit::Seconds => {
            let number = nanoseconds / 1_000_000_000;
            Some(format!("this key takes seconds: write `{number}`"))
        },
        Unit::Count | Unit::Bytes => None,
    }
}

/// `010` is eight.
fn octal(walker: &mut Walker<'_>, field: &Field<'_>, number: i128) {
    let text = field.node().text().unwrap_or_default();
    let digits = text.trim_start_matches(['+', '-']);
    let looks_decimal =
        digits.len() > 1 && digits.starts_with('0') && digits.bytes().all(|b| b.is_ascii_digit());
    if looks_decimal && number > 7 {
        let message = format!("`{text}` is read as the octal number {number}");
        let decimal = digits.trim_start_matches('0');
        walker
            .warn(field, codes::SUSPICIOUS, message)
            .help(format!("write `{decimal}` or `{number}`"));
    }
}

fn number(walker: &mut Walker<'_>, field: &Field<'_>, key: &Key) -> Option<f64> {
    #[expect(clippy::cast_precision_loss, reason = "bounds are small")]
    let number = match field.node().value {
        Value::Float(number) => number,
        Value::Integer(number) => {
            if key.original.read == Read::Float {
                let message = format!("OpenZiti requires a decimal point in `{}`", field.path());
                walker
                    .warn(field, codes::ONLY_HERE, message)
                    .help(format!("write `{number}.0`"));
            }
            number as f64
        },
        _ => {
            walker.wrong_type(field, "a number");
            return None;
        },
    };
    Some(number)
}

/// Reports a number that is out of bounds.
fn bounded(
    walker: &mut Walker<'_>,
    field: &Field<'_>,
    number: f64,
    fits: bool,
    bounds: &str,
    nearest: Option<f64>,
) -> Option<Json> {
    if fits {
        return serde_json::Number::from_f64(number).map(Json::Number);
    }
    let message = format!("`{}` must be {bounds}, not {number}", field.path());
    let diagnostic = walker.error(field, codes::OUT_OF_BOUNDS, message);
    if let Some(nearest) = nearest.filter(|_| number.is_finite()) {
        diagnostic.help(format!("the nearest value is {nearest}"));
    }
    None
}

/// Keys of which OpenZiti looks at the text take `true` and `false` as strings too, so that an
/// environment variable can set them.
fn boolean(walker: &mut Walker<'_>, field: &Field<'_>, key: &Key) -> Option<Json> {
    let text = field
        .node()
        .as_str()
        .filter(|_| key.original.read == Read::Truth);
    let value = match text {
        Some(text) if text.eq_ignore_ascii_case("true") => Some(true),
        Some(text) if text.eq_ignore_ascii_case("false") => Some(false),
        _ => field.node().as_bool(),
    };
    if value.is_none() {
        walker.wrong_type(field, "`true` or `false`");
    }
    value.map(Json::Bool)
}

fn duration(walker: &mut Walker<'_>, field: &Field<'_>, bounds: (i64, i64)) -> Option<Json> {
    let text = match &field.node().value {
        Value::String(text) => text,
        Value::Integer(number) => {
            let message = format!(
                "`{}` must be a duration, not a number without a unit",
                field.path()
            );
            walker
                .error(field, codes::WRONG_TYPE, message)
                .help(format!(
                    "write the unit too, such as `{number}s` or `{number}ms`"
                ));
            return None;
        },
        Value::Float(number) => {
            let help = format!("write the unit too, such as `{number}s` or `{number}ms`");
            walker.wrong_type(field, "a duration").help(help);
            return None;
        },
        _ => {
            walker.wrong_type(field, "a duration");
            return None;
        },
    };
    match text.parse::<GoDuration>() {
        Ok(duration) => within(walker, field, duration.nanoseconds(), bounds),
        Err(error) => {
            let message = format!("`{text}` is not a duration: {error}");
            let diagnostic = walker.error(field, codes::INVALID_VALUE, message);
            if diagnostic.help.is_none() {
                let form = "write a number with a unit, such as `30s`, `5m`, `1h30m` or `500ms`";
                diagnostic.help(clock(text).unwrap_or_else(|| form.to_owned()));
            }
            None
        },
    }
}

fn within(
    walker: &mut Walker<'_>,
    field: &Field<'_>,
    nanoseconds: i64,
    (min, max): (i64, i64),
) -> Option<Json> {
    let shown = GoDuration::from_nanoseconds(nanoseconds).to_string();
    if (min..=max).contains(&nanoseconds) {
        return Some(json!(shown));
    }
    let least = GoDuration::from_nanoseconds(min);
    let bounds = match (min, max) {
        (1, i64::MAX) => "longer than zero".to_owned(),
        (0, i64::MAX) => "not negative".to_owned(),
        (_, i64::MAX) => format!("at least {least}"),
        _ => format!("from {least} to {}", GoDuration::from_nanoseconds(max)),
    };
    let message = format!("`{}` must be {bounds}, not {shown}", field.path());
    let diagnostic = walker.error(field, codes::OUT_OF_BOUNDS, message);
    if min > 1 || nanoseconds > max {
        let nearest = GoDuration::from_nanoseconds(nanoseconds.clamp(min, max));
        diagnostic.help(format!("the nearest value is {nearest}"));
    }
    None
}

/// Gives the default of a row as it is shown.
pub(super) fn default(kind: Kind, text: &str) -> Option<Json> {
    match kind {
        Kind::Integer { .. } => text.parse::<i64>().ok().map(|number| json!(number)),
        Kind::Number { .. } | Kind::Between { .. } => {
            text.parse::<f64>().ok().map(|number| json!(number))
        },
        Kind::Bool => Some(json!(text == "true")),
        Kind::Duration { .. } | Kind::DurationOrMilliseconds { .. } => text
            .parse::<GoDuration>()
            .ok()
            .map(|duration| json!(duration.to_string())),
        Kind::Texts(_) | Kind::OneOrMore(_) => {
            let inner = text.trim_start_matches('[').trim_end_matches(']');
            let items: Vec<&str> = inner.split(", ").filter(|item| !item.is_empty()).collect();
            Some(json!(items))
        },
        Kind::Text(_) | Kind::Word(_) | Kind::AnyCase(_) => Some(json!(text)),
        Kind::Map(_) | Kind::Maps(_) | Kind::Bindings(_) | Kind::Anything => None,
    }
}
