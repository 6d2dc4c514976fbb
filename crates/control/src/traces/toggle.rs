//! A request to turn traces on or off.

use portcullis_wire::trace::PipeTraces;
use regex::{Regex, RegexBuilder};

/// Longest expression, bytes.
const MAX_EXPRESSION: usize = 4 * 1024;

/// Memory that a compiled expression may take.
const MAX_COMPILED: usize = 1 << 20;

/// Whose traces are to be turned on or off.
#[derive(Debug)]
pub(super) struct Toggle {
    is_on: bool,
    programs: Regex,
    pipes: Regex,
    reports_matches: bool,
    reports_misses: bool,
}

impl Toggle {
    /// # Errors
    ///
    /// A text for the client, that names the expression.
    pub(super) fn parse(request: &PipeTraces) -> Result<Self, String> {
        Ok(Self {
            is_on: request.is_enabled,
            programs: expression("app regex", &request.app_regex)?,
            pipes: expression("pipe regex", &request.pipe_regex)?,
            reports_matches: matches!(request.verbosity, 1 | 3),
            reports_misses: matches!(request.verbosity, 2 | 3),
        })
    }

    pub(super) const fn is_on(&self) -> bool {
        self.is_on
    }

    pub(super) fn names_program(&self, id: &str) -> bool {
        self.programs.is_match(id)
    }

    pub(super) fn names_pipe(&self, name: &str) -> bool {
        self.pipes.is_match(name)
    }

    /// What is said of a program, if anything is.
    pub(super) fn program_line(&self, program: &str, is_matched: bool) -> Option<String> {
        self.reports(is_matched)
            .then(|| format!("App {program} matched? {is_matched}"))
    }

    /// What is said of a channel, if anything is.
    pub(super) fn pipe_line(
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
        .build()
        .map_err(|error| format!("the {name} cannot be used: {error}"))
}
