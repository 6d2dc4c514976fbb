//! Log filters.

use tracing_subscriber::filter::{LevelFilter, Targets};
use tracing_subscriber::{EnvFilter, Layer, Registry};

const LEVELS: &str = "the levels are off, error, warn, info, debug and trace";

/// Where rustls complains of what peers send, such as an address in SNI, which the C SDK sends with each
/// handshake.
const COMPLAINTS: &str = "rustls::msgs::handshake";

pub(super) type Filter = Box<dyn Layer<Registry> + Send + Sync>;

/// A filter that cannot be used.
#[derive(Debug, thiserror::Error)]
#[error("{problem}; {help}")]
pub struct InvalidFilterError {
    pub problem: String,
    pub help: String,
}

impl InvalidFilterError {
    fn new(problem: impl Into<String>, help: impl Into<String>) -> Self {
        Self {
            problem: problem.into(),
            help: help.into(),
        }
    }
}

/// Parses a filter in the syntax of [`EnvFilter`], such as `info,audit=off`.
///
/// A single word must be a level. [`EnvFilter`] would read it as a target for which everything is logged,
/// and nothing else: a misspelled level would silence the whole log.
///
/// Complaints about peers count as details. At the usual levels, strangers could fill the log with
/// them; they are logged from `debug` on, or where the filter names `rustls`.
pub(super) fn parse(text: &str) -> Result<Filter, InvalidFilterError> {
    let mut directives: Vec<_> = text
        .split(',')
        .map(str::trim)
        .filter(|part| !part.is_empty())
        .collect();
    if directives.is_empty() {
        return Err(InvalidFilterError::new("the filter is empty", LEVELS));
    }
    if let Some(word) = directives.iter().find(|part| is_unknown_level(part)) {
        return Err(InvalidFilterError::new(
            format!("`{word}` is not a level"),
            format!("{LEVELS}, and the level of a part is written like `audit=info`"),
        ));
    }
    let quiet = format!("{COMPLAINTS}=error");
    if hides_complaints(&directives) {
        directives.push(&quiet);
    }
    let filter = EnvFilter::try_new(directives.join(",")).map_err(|_unreadable| {
        InvalidFilterError::new(
            format!("`{text}` is not a filter"),
            format!(
                "write a level, or part=level pairs such as `warn,portcullis_listener=debug`; {LEVELS}"
            ),
        )
    })?;
    // A filter without span directives need not track spans.
    let levels: Option<Targets> = directives.iter().map(|part| level_of_part(part)).collect();
    Ok(match levels {
        Some(levels) => levels.boxed(),
        None => filter.boxed(),
    })
}

/// Whether complaints about peers are details that were not asked for.
fn hides_complaints(directives: &[&str]) -> bool {
    let mut levels = directives.iter().filter_map(|part| part.parse().ok());
    let general: Option<LevelFilter> = levels.next_back();
    let names_rustls = directives.iter().any(|part| part.starts_with("rustls"));
    !names_rustls && matches!(general, Some(LevelFilter::WARN | LevelFilter::INFO))
}

/// Whether a filter has a directive such as `audit=off` for a component. Levels for everything do not count:
/// this asks about components that are not part of the log.
pub(super) fn silences(text: &str, component: &str) -> bool {
    let levels = text.split(',').filter_map(|part| part.split_once('='));
    levels
        .rev()
        .find(|(part, _)| part.trim() == component)
        .is_some_and(|(_, level)| matches!(level.trim().parse(), Ok(LevelFilter::OFF)))
}

/// Target and level of a directive that [`EnvFilter`] accepted; the empty target means all. `None` for
/// other directives.
fn level_of_part(directive: &str) -> Option<(&str, LevelFilter)> {
    let (part, level) = directive.split_once('=').unwrap_or(("", directive));
    // A missing level means all levels in `EnvFilter`, but only the highest in `Targets`.
    let is_plain = !level.is_empty() && !part.contains(['[', '{']);
    is_plain.then_some((part, level.parse().ok()?))
}

/// Whether a directive is a single word but not a level. Directives about spans have brackets, in which
/// commas do not separate directives.
fn is_unknown_level(part: &str) -> bool {
    !part.contains(['=', '[', ']', '{', '}']) && part.parse::<LevelFilter>().is_err()
}

#[cfg(test)]
mod tests {
    use super::*;
    use tracing_subscriber::layer::SubscriberExt as _;

    #[test]
    fn levels_and_levels_of_parts_are_taken() {
        for text in [
            "info",
            "WARN",
            "off",
            "warn,audit=info,portcullis_http=debug",
            " info , audit=off ",
            "audit=info",
            "info,[{name=a}]=debug",
        ] {
            assert!(parse(text).is_ok(), "{text:?}");
        }
    }

    /// Which of the events that occur in this test a filter lets through.
    fn let_through(filter: impl Layer<Registry> + Send + Sync) -> [bool; 4] {
        tracing::subscriber::with_default(Registry::default().with(filter), || {
            [
                tracing::enabled!(target: "audit", tracing::Level::INFO),
                tracing::enabled!(target: "audit::more", tracing::Level::TRACE),
                tracing::enabled!(target: "portcullis_http", tracing::Level::WARN),
                tracing::enabled!(target: "portcullis_http", tracing::Level::DEBUG),
            ]
        })
    }

    #[test]
    fn filters_say_what_they_say_to_the_library() {
        for text in [
            "info",
            "off",
            "audit=",
            "info,audit=",
            "warn,audit=off",
            "off,audit=trace",
            "info,portcullis=debug,portcullis_http=error",
            "3,audit=0",
            "info,audit::more=trace",
            "info,[{name=a}]=debug",
        ] {
            let expected = let_through(EnvFilter::try_new(text).unwrap());
            assert_eq!(let_through(parse(text).unwrap()), expected, "{text:?}");
        }
    }

    #[test]
    fn complaints_about_peers_are_details_of_rustls() {
        for (text, expected) in [
            ("info", [false, true]),
            ("WARN", [false, true]),
            ("info,[{name=a}]=debug", [false, true]),
            ("debug", [true, true]),
            ("debug,info", [false, true]),
            ("info,rustls=warn", [true, true]),
            ("info,rustls::msgs::handshake=warn", [true, true]),
            ("error", [false, false]),
            ("off", [false, false]),
        ] {
            let log = Registry::default().with(parse(text).unwrap());
            let found = tracing::subscriber::with_default(log, || {
                [
                    tracing::enabled!(target: "rustls::msgs::handshake", tracing::Level::WARN),
                    tracing::enabled!(target: "rustls::server", tracing::Level::WARN),
                ]
            });
            assert_eq!(found, expected, "{text:?}");
        }
        let off = Registry::default().with(parse("off").unwrap());
        tracing::subscriber::with_default(off, || {
            assert!(!tracing::enabled!(target: "rustls::msgs::handshake", tracing::Level::ERROR));
        });
    }

    #[test]
    fn what_would_silence_the_log_is_refused_with_the_levels() {
        for text in [
            "inof",
            "",
            " , ",
            "!!",
            "a=b=c",
            "info,audit",
            "audit=loud",
            "debug info",
            "info,=off",
            "=info",
            "!!=info",
            "info,*=debug",
            "+3",
        ] {
            let error = parse(text).map(drop).unwrap_err();
            let said = error.to_string();
            assert!(said.contains("off, error, warn, info"), "{said}");
        }
    }
}
