//! What holds for every text, whoever wrote it.

use crate::naive::{KIND, read};
use crate::support::Entity;
use jiff::Timestamp;
use portcullis_filter::{
    Limit, Listing, MAX_BYTES, Offset, Parameters, Problem, Query, QueryError, parse_sort,
};
use std::sync::LazyLock;
use std::time::{Duration, Instant};

/// Longest time for one text of any length, with much room for a busy machine and a build without
/// optimization: a text of 64 KiB takes some milliseconds there.
const LONGEST: Duration = Duration::from_secs(10);
/// Longest text that is evaluated, since the naive reading recurses with the length.
const EVALUATED: usize = 4_000;

static ROWS: LazyLock<Vec<Entity>> = LazyLock::new(rows);

/// Checks every promise, and yields what kind of place in the crate the text leads to.
///
/// # Errors
///
/// The promise that is broken.
pub(crate) fn check(text: &str) -> Result<String, String> {
    let start = Instant::now();
    let parsed = Query::parse(&KIND, text);
    let _ = parse_sort(&KIND, text);
    let listing = Listing::from_parameters(
        &KIND,
        &Parameters {
            filter: Some(text),
            limit: Some(text),
            offset: Some(text),
            sort: Some(text),
        },
    );
    let elapsed = start.elapsed();
    ensure(elapsed < LONGEST, || format!("it takes {elapsed:?}"))?;
    match parsed {
        Ok(query) => accepted(text, &query),
        Err(error) => {
            ensure(text.is_empty() || listing.is_err(), || {
                "a list takes it".to_owned()
            })?;
            refused(text, &error)
        },
    }
}

fn ensure(holds: bool, otherwise: impl Fn() -> String) -> Result<(), String> {
    if holds { Ok(()) } else { Err(otherwise()) }
}

fn accepted(text: &str, query: &Query) -> Result<String, String> {
    ensure(text.len() <= MAX_BYTES, || "it is too long".to_owned())?;
    let printed = query.to_string();
    match Query::parse(&KIND, &printed) {
        Ok(again) => {
            ensure(again == *query, || {
                format!("it prints as another query: {printed}")
            })?;
            ensure(again.to_string() == printed, || {
                "it prints in two ways".to_owned()
            })?;
        },
        // Brackets and blanks that were added may be too much for the largest texts.
        Err(error) => ensure(matches!(error.problem, Problem::TooLong { .. }), || {
            format!("it prints as what is refused: {printed}: {error}")
        })?,
    }
    if text.len() <= EVALUATED {
        evaluated(text, query)?;
    }
    Ok(format!("accepted {}", shape(&printed)))
}

/// Compares the meaning with that of the naive reading.
fn evaluated(text: &str, query: &Query) -> Result<(), String> {
    let naive = read(text);
    for row in ROWS.iter() {
        let (found, expected) = (query.matches(row), naive.condition.holds(row));
        ensure(found == expected, || {
            format!("it is {found}, not {expected}, on {row:?}")
        })?;
    }
    let skipped = query.skip.map_or(0, Offset::rows);
    ensure(skipped == naive.skipped(), || format!("it skips {skipped}"))?;
    let most = query.limit.and_then(Limit::rows);
    ensure(most == naive.most(), || {
        format!("it is limited to {most:?}")
    })
}

fn refused(text: &str, error: &QueryError) -> Result<String, String> {
    let span = error.span;
    let piece = text.get(span.start..span.end);
    ensure(piece.is_some(), || format!("{span:?} is no piece of it"))?;
    let before: Vec<_> = text[..span.start].split('\n').collect();
    let column = before.last().map_or(1, |line| line.chars().count() + 1);
    let place = (error.location.line, error.location.column);
    ensure(place == (before.len(), column), || {
        format!("{place:?} is another place")
    })?;
    let message = error.to_string();
    ensure(message.len() < 400, || {
        format!("the message is long: {message}")
    })?;
    ensure(error.point_at(text).contains('^'), || {
        "nothing is pointed at".to_owned()
    })?;
    Ok(format!("refused {}", shape(&error.problem.to_string())))
}

/// The first words of a text without what is of no interest: names, literals and numbers of brackets.
fn shape(text: &str) -> String {
    let words = text.split([' ', '(', '"', '`']);
    let words = words.filter(|word| {
        word.len() > 1
            && word
                .bytes()
                .all(|b| b.is_ascii_lowercase() || b"=<>!".contains(&b))
    });
    words.take(8).collect::<Vec<_>>().join(" ")
}

/// Rows with every type of value in every place, and with nothing at all.
fn rows() -> Vec<Entity> {
    let full = Entity::new("a")
        .with("name", "aB2\"\\".to_owned())
        .with("cost", 2_i64)
        .with("load", 1.5)
        .with("flag", true)
        .with("seen", Timestamp::from_second(1).unwrap())
        .with("tags.x", 2.0)
        .with("tags.a.b-c", "B".to_owned())
        .with_set("roles", &["", "a", "aB2"]);
    let other = Entity::new("2")
        .with("name", String::new())
        .with("cost", -1_i64)
        .with("load", f64::NAN)
        .with("flag", false)
        .with("seen", Timestamp::from_millisecond(1_500).unwrap())
        .with("tags.x", true)
        .with("tags.a.b-c", 20_i64)
        .with_set("roles", &["b"])
        .with_references("friends", vec![full.clone()]);
    let last = Entity::new("")
        .with("tags.x", "2".to_owned())
        .with_references(
            "friends",
            vec![full.clone(), other.clone(), Entity::new("n")],
        );
    vec![full, other, last, Entity::new("n")]
}
