//! Which program a file is for.

use std::fmt;

use crate::codes;
use crate::diagnostic::{Diagnostic, Severity};
use crate::section::{Field, Section};

/// The programs whose files share their syntax, and many of their keys.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Program {
    Controller,
    Router,
}

/// Keys that only files of controllers have.
const OF_CONTROLLERS: &[&[&str]] = &[
    &["db"],
    &["cluster"],
    &["raft"],
    &["trustDomain"],
    &["ctrl", "listener"],
    &["edge", "api"],
    &["edge", "enrollment"],
];

/// Keys that only files of routers have.
const OF_ROUTERS: &[&[&str]] = &[
    &["link"],
    &["listeners"],
    &["dialers"],
    &["forwarder"],
    &["csr"],
    &["ctrl", "endpoint"],
    &["ctrl", "endpoints"],
    &["edge", "csr"],
];

impl Program {
    /// Tells by its keys whose file this is; `None` if it has keys of both, or of neither.
    ///
    /// # Examples
    ///
    /// ```
    /// use portcullis_yaml::{Diagnostics, Limits, Program, Section, SourceId, parse};
    ///
    /// let text = "v: 3\ndb: ctrl.db\nedge: {api: {address: localhost:1280}}\n";
    /// let document = parse(text, SourceId::default(), &Limits::default())?;
    /// let root = Section::root(&document.root, &mut Diagnostics::default()).expect("it is a map");
    ///
    /// assert_eq!(Program::recognize(&root), Some(Program::Controller));
    /// # Ok::<(), portcullis_yaml::ParseError>(())
    /// ```
    pub fn recognize(root: &Section<'_>) -> Option<Self> {
        match (
            find_any(root, OF_CONTROLLERS).is_some(),
            find_any(root, OF_ROUTERS).is_some(),
        ) {
            (true, false) => Some(Self::Controller),
            (false, true) => Some(Self::Router),
            _ => None,
        }
    }

    /// The finding that a file, which should be for this program, is for the other one. Whatever else is
    /// found in such a file is not worth reading.
    pub fn report_other(self, root: &Section<'_>) -> Option<Diagnostic> {
        let other = Self::recognize(root).filter(|found| *found != self)?;
        let telling = find_any(root, other.own_keys())?;
        let message = format!(
            "this is the file of a {other}, not of a {self}: only a {other} has `{}`",
            telling.path()
        );
        let mut diagnostic = Diagnostic::new(
            Severity::Error,
            codes::OTHER_PROGRAM,
            telling.path().clone(),
            telling.key_location(),
            message,
        );
        diagnostic.help(format!("check it with `{}`", other.check_command()));
        Some(diagnostic)
    }

    /// The command that checks files of this program.
    pub const fn check_command(self) -> &'static str {
        match self {
            Self::Controller => "portcullis-controller config check",
            Self::Router => "portcullis router-config check",
        }
    }

    const fn own_keys(self) -> &'static [&'static [&'static str]] {
        match self {
            Self::Controller => OF_CONTROLLERS,
            Self::Router => OF_ROUTERS,
        }
    }
}

impl fmt::Display for Program {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.pad(match self {
            Self::Controller => "controller",
            Self::Router => "router",
        })
    }
}

fn find_any<'tree>(root: &Section<'tree>, ways: &[&[&str]]) -> Option<Field<'tree>> {
    ways.iter().find_map(|way| {
        let (last, sections) = way.split_last()?;
        let mut section = root.clone();
        for name in sections {
            section = section.get(name)?.as_section()?;
        }
        section.get(last)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Diagnostics, Limits, SourceId, parse};

    fn with_root<T>(text: &str, look: impl Fn(&Section<'_>) -> T) -> T {
        let document = parse(text, SourceId::default(), &Limits::default()).expect("it is YAML");
        let root = Section::root(&document.root, &mut Diagnostics::default()).expect("a map");
        look(&root)
    }

    #[test]
    fn files_are_recognized_by_keys_that_only_they_have() {
        for (text, expected) in [
            ("{db: ctrl.db}", Some(Program::Controller)),
            (
                "{ctrl: {listener: tls:a:1}, edge: {}}",
                Some(Program::Controller),
            ),
            (
                "{ctrl: {endpoint: tls:a:1}, edge: {}}",
                Some(Program::Router),
            ),
            ("{link: {}}", Some(Program::Router)),
            ("{db: ctrl.db, link: {}}", None),
            ("{v: 3, identity: {}, ctrl: {}, edge: {}, web: []}", None),
            ("{v: 3, ctrl: tls:a:1, edge: [api]}", None),
        ] {
            assert_eq!(with_root(text, Program::recognize), expected, "{text}");
        }
    }

    #[test]
    fn the_finding_shows_the_key_that_tells() {
        let text = "v: 3\nctrl:\n  endpoint: tls:a:1\n";
        let found = with_root(text, |root| Program::Controller.report_other(root));
        assert_eq!(
            found.expect("it is a router's").to_string(),
            "3:3: error[other-program]: this is the file of a router, not of a controller: only a \
             router has `ctrl.endpoint` (ctrl.endpoint); check it with `portcullis router-config check`"
        );
        assert_eq!(
            with_root(text, |root| Program::Router.report_other(root)),
            None
        );
    }
}
