//! A request to turn traces on or off.

use portcullis_wire::trace::PipeTraces;
use regex_lite::{Regex, RegexBuilder};

/// Longest expression, bytes. What is matched has the length of an id, and the time grows with both.
const MAX_EXPRESSION: usize = 1024;

/// Memory that a compiled expression may take, bytes.
const MAX_COMPILED: usize = 256 * 1024;

/// How deep an expression may be nested.
const MAX_NESTED: u32 = 32;

/// Whose traces are to be turned on or off: the programs whose ids match one expression, and of them the channels
/// whose names match another.
#[derive(Debug)]
pub struct Toggle {
    is_on: bool,
    programs: Regex,
    pipes: Regex,
    reports_matches: bool,
    reports_misses: bool,
}

impl Toggle {
    /// Reads a request.
    ///
    /// # Errors
    ///
    /// A text for the client, that names the expression: longer than 1 KiB, or none of `regex-lite`.
    pub fn parse(request: &PipeTraces) -> Result<Self, String> {
        Ok(Self {
            is_on: request.is_enabled,
            programs: expression("app regex", &request.app_regex)?,
            pipes: expression("pipe regex", &request.pipe_regex)?,
            reports_matches: matches!(request.verbosity, 1 | 3),
            reports_misses: matches!(request.verbosity, 2 | 3),
        })
    }

    /// Whether traces are turned on, and not off.
    pub const fn is_on(&self) -> bool {
        self.is_on
    }

    /// Whether a program with this id is meant.
    pub fn names_program(&self, id: &str) -> bool {
        self.programs.is_match(id)
    }

    /// Whether a channel with this name is meant.
    pub fn names_pipe(&self, name: &str) -> bool {
        self.pipes.is_match(name)
    }

    /// What is said of a program, if anything is.
    pub fn program_line(&self, program: &str, is_matched: bool) -> Option<String> {
        self.reports(is_matched)
            .then(|| format!("App {program} matched? {is_matched}"))
    }

    /// What is said of a channel, if anything is.
    pub fn pipe_line(
        &self,
        (program, pipe): (&str, &str),
        is_matched: bool,
        was_traced: bool,
    ) -> Option<String> {
        let is_traced = if is_matched { self.is_on } else { was_traced };
        self.reports(is_matched).then(|| {
            format!(
                "Link {program}.{pipe} matched? {is_matched}. Old trace state: {was_traced}, New trace state: \
                 {is_traced}"
            )
        })
    }

    const fn reports(&self, is_matched: bool) -> bool {
        if is_matched {
            self.reports_matches
        } else {
            self.reports_misses
        }
    }
}

fn expression(name: &str, text: &str) -> Result<Regex, String> {
    if text.len() > MAX_EXPRESSION {
        return Err(format!(
            "the {name} is {} bytes long; at most {MAX_EXPRESSION} are allowed",
            text.len()
        ));
    }
    RegexBuilder::new(text)
        .size_limit(MAX_COMPILED)
        .nest_limit(MAX_NESTED)
        .build()
        .map_err(|error| format!("the {name} cannot be used: {error}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reports_say_as_much_as_is_wanted() {
        let request = |verbosity, pipes: &str| PipeTraces {
            is_enabled: true,
            verbosity,
            app_regex: "^c".to_owned(),
            pipe_regex: pipes.to_owned(),
        };
        let hit = "Link ctrl.r1 matched? true. Old trace state: false, New trace state: true";
        let miss = "Link ctrl.r1 matched? false. Old trace state: false, New trace state: false";
        for (verbosity, hit, miss) in [
            (0, None, None),
            (1, Some(hit), None),
            (2, None, Some(miss)),
            (3, Some(hit), Some(miss)),
        ] {
            let toggle = Toggle::parse(&request(verbosity, "r")).unwrap();
            assert!(toggle.names_program("ctrl") && !toggle.names_program("r1"));
            let line = |is_matched| toggle.pipe_line(("ctrl", "r1"), is_matched, false);
            assert_eq!(line(true).as_deref(), hit, "{verbosity}");
            assert_eq!(line(false).as_deref(), miss, "{verbosity}");
        }
        for bad in [
            "(".to_owned(),
            "x".repeat(MAX_EXPRESSION + 1),
            "(a{1000}){1000}".to_owned(),
            "(".repeat(64) + "a" + &")".repeat(64),
        ] {
            let error = Toggle::parse(&request(3, &bad)).unwrap_err();
            assert!(error.starts_with("the pipe regex"), "{error}");
        }
    }
}
