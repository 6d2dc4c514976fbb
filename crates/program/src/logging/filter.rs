//! Log filters.

use tracing_subscriber::filter::{LevelFilter, Targets};

const LEVELS: &str = "the levels are off, error, warn, info, debug and trace";

/// Where rustls complains of what peers send, such as an address in SNI, which the C SDK sends with each
/// handshake.
const COMPLAINTS: &str = "rustls::msgs::handshake";

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

/// Parses a filter: a level for everything, and levels of components, separated by commas, such as `info,audit=off`.
/// The longest name that a component begins with counts, and the last directive of those that say the same name.
///
/// Complaints about peers count as details. At the usual levels, strangers could fill the log with
/// them; they are logged from `debug` on, or where the filter names `rustls`.
pub(super) fn parse(text: &str) -> Result<Targets, InvalidFilterError> {
    let parts = text.split(',').map(str::trim);
    let directives: Vec<_> = parts
        .filter(|part| !part.is_empty())
        .map(|part| Directive::parse(part, text))
        .collect::<Result<_, _>>()?;
    if directives.is_empty() {
        return Err(InvalidFilterError::new("the filter is empty", LEVELS));
    }
    let complaints = hides_complaints(&directives).then_some((COMPLAINTS, LevelFilter::ERROR));
    let levels = directives.iter().map(|each| (each.component, each.level));
    Ok(levels.chain(complaints).collect())
}

/// A part of a filter.
struct Directive<'t> {
    /// Empty for everything.
    component: &'t str,
    level: LevelFilter,
}

impl<'t> Directive<'t> {
    /// Parses a part of the filter `text`. A single word must be a level: taken for a component of which everything
    /// is logged, and nothing else, a misspelled level would silence the whole log.
    fn parse(part: &'t str, text: &str) -> Result<Self, InvalidFilterError> {
        let unreadable = || {
            InvalidFilterError::new(
                format!("`{text}` is not a filter"),
                format!(
                    "write a level, or part=level pairs such as `warn,portcullis_listener=debug`; {LEVELS}"
                ),
            )
        };
        let (component, level) = match part.split_once('=') {
            Some((component, _)) if !is_component(component) => return Err(unreadable()),
            Some((component, level)) => (component, level),
            None => ("", part),
        };
        let is_word = !level.is_empty() && level.chars().all(char::is_alphanumeric);
        match is_word.then(|| level.parse().ok()).flatten() {
            Some(level) => Ok(Self { component, level }),
            None if component.is_empty() => Err(InvalidFilterError::new(
                format!("`{part}` is not a level"),
                format!("{LEVELS}, and the level of a part is written like `audit=info`"),
            )),
            None => Err(unreadable()),
        }
    }
}

/// Whether it may name a component: the path of a Rust module, or a word such as `audit`.
fn is_component(name: &str) -> bool {
    let is_part_of_name =
        |char: char| char.is_alphanumeric() || matches!(char, '_' | ':' | '-' | '.');
    !name.is_empty() && name.chars().all(is_part_of_name)
}

/// Whether complaints about peers are details that were not asked for.
fn hides_complaints(directives: &[Directive<'_>]) -> bool {
    let mut general = directives.iter().filter(|each| each.component.is_empty());
    let general = general.next_back().map(|each| each.level);
    let names_rustls = directives
        .iter()
        .any(|each| each.component.starts_with("rustls"));
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

#[cfg(test)]
mod tests {
    use super::*;
    use tracing_subscriber::Registry;
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
            "3,audit::more=0",
        ] {
            assert!(parse(text).is_ok(), "{text:?}");
        }
    }

    #[test]
    fn longest_name_and_last_directive_count() {
        for (text, expected) in [
            ("info", [true, false, true, false]),
            ("off", [false; 4]),
            ("warn,audit=off", [false, false, true, false]),
            ("off,audit=trace", [true, true, false, false]),
            (
                "info,portcullis=debug,portcullis_http=error",
                [true, false, false, false],
            ),
            ("3,audit=0", [false, false, true, false]),
            ("info,audit::more=trace", [true, true, true, false]),
            (
                "debug,portcullis_http=off,portcullis_http=debug",
                [true, false, true, true],
            ),
            ("off,debug", [true, false, true, true]),
        ] {
            let log = Registry::default().with(parse(text).unwrap());
            let found = tracing::subscriber::with_default(log, || {
                [
                    tracing::enabled!(target: "audit", tracing::Level::INFO),
                    tracing::enabled!(target: "audit::more", tracing::Level::TRACE),
                    tracing::enabled!(target: "portcullis_http", tracing::Level::WARN),
                    tracing::enabled!(target: "portcullis_http", tracing::Level::DEBUG),
                ]
            });
            assert_eq!(found, expected, "{text:?}");
        }
    }

    #[test]
    fn complaints_about_peers_are_details_of_rustls() {
        for (text, expected) in [
            ("info", [false, true]),
            ("WARN", [false, true]),
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
            "info,audit=",
            "info,[{name=a}]=debug",
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
