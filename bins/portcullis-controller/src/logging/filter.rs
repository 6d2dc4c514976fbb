//! Which events are logged.

use crate::usage;
use std::fmt::Display;
use tracing_subscriber::filter::{LevelFilter, Targets};
use tracing_subscriber::{EnvFilter, Layer, Registry};

const LEVELS: &str = "the levels are off, error, warn, info, debug and trace";

/// A filter of events.
pub(super) type Filter = Box<dyn Layer<Registry> + Send + Sync>;

/// Reads a filter in the syntax of [`EnvFilter`], such as `info,audit=off`.
///
/// A word alone must be a level. It would otherwise be the name of a part, of which everything is
/// logged and nothing else: a level with a slip of the pen would silence the whole log.
pub(super) fn parse(text: &str) -> anyhow::Result<Filter> {
    let directives: Vec<_> = text
        .split(',')
        .map(str::trim)
        .filter(|part| !part.is_empty())
        .collect();
    if directives.is_empty() {
        return Err(usage::error(format!(
            "--log: the filter is empty; {LEVELS}"
        )));
    }
    if let Some(word) = directives.iter().find(|part| is_unknown_word(part)) {
        return Err(usage::error(format!(
            "--log: `{word}` is not a level; {LEVELS}, and the level of a part is written like \
             `audit=info`"
        )));
    }
    let directives = directives.join(",");
    // Most filters have nothing to do with spans, and need not be told of each.
    if directives.contains(['[', ']', '{', '}']) {
        let filter = EnvFilter::try_new(directives);
        Ok(filter.map_err(|error| nonsense(text, &error))?.boxed())
    } else {
        let filter: Result<Targets, _> = directives.parse();
        Ok(filter.map_err(|error| nonsense(text, &error))?.boxed())
    }
}

fn nonsense(text: &str, error: &impl Display) -> anyhow::Error {
    usage::error(format!(
        "--log: {text:?} makes no sense ({error}); {LEVELS}"
    ))
}

/// Whether a directive names neither a level nor what gets one. One that is about spans has
/// brackets, and the commas in those do not separate directives.
fn is_unknown_word(part: &str) -> bool {
    !part.contains(['=', '[', ']', '{', '}']) && part.parse::<LevelFilter>().is_err()
}

#[cfg(test)]
mod tests {
    use super::*;

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
        ] {
            let error = parse(text).map(drop).unwrap_err();
            assert!(error.is::<usage::UsageError>(), "{text:?}");
            let said = error.to_string();
            assert!(said.contains("off, error, warn, info"), "{said}");
        }
    }
}
