//! Check of one value against its row.

use portcullis_yaml::syntax::GoDuration;
use portcullis_yaml::{Field, Node, Value};
use serde_json::{Value as Json, json};

use crate::check::Fallback;
use crate::check::help::clock_help;
use crate::check::string_format;
use crate::check::walk::Walker;
use crate::codes;
use crate::place::report_path;
use crate::table::{Key, MILLISECOND, ReadMode, StringFormat, Unit, ValueType};

/// Checks a value and returns its effective form, or `None` after reporting a mistake.
pub(super) fn check(walker: &mut Walker<'_>, field: &Field<'_>, key: &'static Key) -> Option<Json> {
    match key.value_type {
        ValueType::String(text) => {
            let written = string_value(walker, field)?;
            string_format::check(walker, field, written, text, field.path())
        },
        ValueType::StringList(text) => string_list(walker, field, text),
        ValueType::StringOrList(text) => match field.node().as_str() {
            Some(written) => {
                let value = string_format::check(walker, field, written, text, field.path())?;
                Some(json!([value]))
            },
            None if field.node().as_list().is_some() => {
                let items = string_list(walker, field, text)?;
                Some(match text {
                    StringFormat::Resolver => after_default(key, items),
                    _ => items,
                })
            },
            None => {
                walker.wrong_type(field, "a string or a list of strings");
                None
            },
        },
        ValueType::Enum(words) => enum_value(walker, field, words),
        ValueType::EnumIgnoreCase(words) => enum_ignore_case(walker, field, key, words),
        ValueType::Integer { min, max, unit } => integer(walker, field, (min, max), unit),
        ValueType::Number { min, max } => {
            let number = number(walker, field, key)?;
            let bounds = format!("from {min} to {max}");
            let nearest = number.clamp(min, max);
            let fits = (min..=max).contains(&number);
            check_number(walker, field, number, fits, &bounds, Some(nearest))
        },
        ValueType::ExclusiveRange { low, high } => {
            let number = number(walker, field, key)?;
            let bounds = format!("more than {low} and less than {high}");
            let fits = number > low && number < high;
            check_number(walker, field, number, fits, &bounds, None)
        },
        ValueType::Bool => boolean(walker, field, key),
        ValueType::Duration { min, max } => duration(walker, field, (min, max)),
        ValueType::DurationOrMilliseconds { min } => match field.node().as_integer() {
            Some(ms) => {
                let nanoseconds = ms.saturating_mul(1_000_000);
                match i64::try_from(nanoseconds) {
                    Ok(nanoseconds) => check_duration(walker, field, nanoseconds, (min, i64::MAX)),
                    Err(_) => integer(
                        walker,
                        field,
                        (min / MILLISECOND, i64::MAX / MILLISECOND),
                        Unit::Milliseconds,
                    ),
                }
            },
            None => duration(walker, field, (min, i64::MAX)),
        },
        ValueType::Map(_)
        | ValueType::NamedMaps(_)
        | ValueType::Secrets
        | ValueType::MapList(_)
        | ValueType::BindingList(_)
        | ValueType::Any => None,
    }
}

fn string_value<'tree>(walker: &mut Walker<'_>, field: &Field<'tree>) -> Option<&'tree str> {
    let text = field.node().as_str();
    if text.is_none() {
        walker.wrong_type(field, "a string");
    }
    text
}

fn string_list(walker: &mut Walker<'_>, field: &Field<'_>, text: StringFormat) -> Option<Json> {
    let Some(items) = field.items() else {
        walker.wrong_type(field, "a list of strings");
        return None;
    };
    let mut values = Vec::new();
    for item in &items {
        let path = report_path(field, item);
        if let Some(written) = item.node().as_str() {
            values.extend(string_format::check(walker, item, written, text, &path));
        } else {
            walker.wrong_type_at(&path, item, "a string");
        }
    }
    let keeps_rest = walker.fallback == Fallback::Replacement && !values.is_empty();
    (values.len() == items.len() || keeps_rest).then_some(Json::Array(values))
}

fn enum_value(
    walker: &mut Walker<'_>,
    field: &Field<'_>,
    words: &'static [&'static str],
) -> Option<Json> {
    let text = string_value(walker, field)?;
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

/// As [`enum_value`], in any case; an empty string means the default.
fn enum_ignore_case(
    walker: &mut Walker<'_>,
    field: &Field<'_>,
    key: &Key,
    words: &'static [&'static str],
) -> Option<Json> {
    let text = string_value(walker, field)?;
    if text.is_empty() {
        return key.default.map(|word| json!(word));
    }
    match words.iter().find(|word| word.eq_ignore_ascii_case(text)) {
        Some(word) => Some(json!(word)),
        None => enum_value(walker, field, words),
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
    warn_octal(walker, field, number);
    let fits = (i128::from(min)..=i128::from(max)).contains(&number);
    if !fits {
        let nearest = number.clamp(i128::from(min), i128::from(max));
        let bounds = match (min, max) {
            (min, max) if min == max => format!("{min}"),
            (min, i64::MAX) => format!("at least {min}"),
            (min, max) if max == i64::MAX / MILLISECOND && number < i128::from(min) => {
                format!("at least {min}")
            },
            (min, max) => format!("from {min} to {max}"),
        };
        let message = format!("`{}` must be {bounds}, not {number}", field.path());
        let help = if min == max {
            format!("write `{}: {min}`", field.path())
        } else {
            format!("the nearest value is {nearest}")
        };
        walker
            .error(field, codes::OUT_OF_BOUNDS, message)
            .help(help);
        return None;
    }
    Some(json!(i64::try_from(number).ok()?))
}

/// Suggests the number for a duration where a plain number is expected.
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

/// Warns about octal numbers such as `010`, which is eight.
fn warn_octal(walker: &mut Walker<'_>, field: &Field<'_>, number: i128) {
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
            if key.openziti.mode == ReadMode::Float {
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
fn check_number(
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

/// Keys that OpenZiti reads leniently also accept `true` and `false` as strings, so that an
/// environment variable can set them.
fn boolean(walker: &mut Walker<'_>, field: &Field<'_>, key: &Key) -> Option<Json> {
    let text = field
        .node()
        .as_str()
        .filter(|_| key.openziti.mode == ReadMode::LenientBool);
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
        Ok(duration) => check_duration(walker, field, duration.nanoseconds(), bounds),
        Err(error) => {
            let message = format!("`{text}` is not a duration: {error}");
            let diagnostic = walker.error(field, codes::INVALID_VALUE, message);
            if diagnostic.help.is_none() {
                let form = "write a number with a unit, such as `30s`, `5m`, `1h30m` or `500ms`";
                diagnostic.help(clock_help(text).unwrap_or_else(|| form.to_owned()));
            }
            None
        },
    }
}

fn check_duration(
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

/// The items of a list that is added to the default.
fn after_default(key: &'static Key, items: Json) -> Json {
    let default = key
        .default
        .and_then(|text| parse_default(key.value_type, text));
    match (default, items) {
        (Some(Json::Array(mut all)), Json::Array(items)) => {
            all.extend(items);
            Json::Array(all)
        },
        (_, items) => items,
    }
}

/// Parses the default of a row into its effective form.
pub(super) fn parse_default(kind: ValueType, text: &str) -> Option<Json> {
    match kind {
        ValueType::Integer { .. } => text.parse::<i64>().ok().map(|number| json!(number)),
        ValueType::Number { .. } | ValueType::ExclusiveRange { .. } => {
            text.parse::<f64>().ok().map(|number| json!(number))
        },
        ValueType::Bool => Some(json!(text == "true")),
        ValueType::Duration { .. } | ValueType::DurationOrMilliseconds { .. } => text
            .parse::<GoDuration>()
            .ok()
            .map(|duration| json!(duration.to_string())),
        ValueType::StringList(_) | ValueType::StringOrList(_) => {
            let inner = text.trim_start_matches('[').trim_end_matches(']');
            let items: Vec<&str> = inner.split(", ").filter(|item| !item.is_empty()).collect();
            Some(json!(items))
        },
        ValueType::String(_) | ValueType::Enum(_) | ValueType::EnumIgnoreCase(_) => {
            Some(json!(text))
        },
        ValueType::Map(_)
        | ValueType::NamedMaps(_)
        | ValueType::Secrets
        | ValueType::MapList(_)
        | ValueType::BindingList(_)
        | ValueType::Any => None,
    }
}
