//! Errors that prevent parsing a file.

use crate::diagnostic::{Diagnostic, Severity};
use crate::location::SourceLocation;
use crate::path::KeyPath;

/// A file could not be parsed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("line {line}, column {column}: {kind}", line = location.line, column = location.column)]
pub struct ParseError {
    pub kind: ParseErrorKind,
    /// Where the problem was noticed.
    pub location: SourceLocation,
    /// Path of the value that was being read; boxed to keep the error small.
    pub path: Box<KeyPath>,
}

/// Kinds of [`ParseError`].
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ParseErrorKind {
    /// The bytes are not text.
    #[error("the file is not valid {encoding}")]
    NotText {
        /// Expected encoding.
        encoding: &'static str,
    },
    /// There is no document.
    #[error("the file is empty")]
    Empty,
    /// The file is larger than [`Limits::size`](crate::Limits::size).
    #[error("the file is larger than {limit} bytes")]
    TooLarge {
        /// Bytes allowed.
        limit: usize,
    },
    /// Lists and maps are nested deeper than [`Limits::depth`](crate::Limits::depth).
    #[error("lists and maps are nested more than {limit} levels deep; deeper ones are left out")]
    NestingOmitted {
        /// Levels that are kept.
        limit: usize,
    },
    /// Lists and maps are nested deeper than [`Limits::skipped_depth`](crate::Limits::skipped_depth).
    #[error("lists and maps are nested more than {limit} levels deep")]
    TooDeep {
        /// Levels allowed.
        limit: usize,
    },
    /// There are more values than [`Limits::values`](crate::Limits::values).
    #[error("there are more than {limit} keys and values")]
    TooManyValues {
        /// Values allowed.
        limit: usize,
    },
    /// Aliases add more to the tree than [`Limits`](crate::Limits) allow.
    #[error("the aliases up to here expand to more than {limit} {unit}")]
    AliasesTooLarge {
        /// Maximum that aliases may add.
        limit: usize,
        /// Unit of the limit.
        unit: &'static str,
    },
    /// A character that YAML does not allow, such as NUL or a form feed.
    #[error("the control character U+{code:04X} is not allowed")]
    ControlCharacter {
        /// Code point.
        code: u32,
    },
    /// The text is not YAML.
    #[error("{problem}")]
    Syntax {
        /// Problem reported by the parser.
        problem: String,
    },
    /// A `%YAML` directive requests another version than 1.1.
    #[error("the file is for YAML {major}.{minor}; only 1.1 is supported")]
    Version {
        /// Major number asked for.
        major: i32,
        /// Minor number asked for.
        minor: i32,
    },
    /// An alias refers to an unknown anchor.
    #[error("the alias `*{name}` refers to no earlier anchor `&{name}`")]
    UnknownAnchor {
        /// Name of the alias.
        name: String,
    },
    /// An alias is inside the value that it refers to.
    #[error("the anchor `&{name}` contains itself")]
    RecursiveAnchor {
        /// Name of the alias.
        name: String,
    },
    /// A list or a map was used as a key.
    #[error("a list or a map cannot be a key")]
    CompositeKey,
    /// The value of `<<` is neither a map nor a list of maps.
    #[error("`<<` can only merge a map")]
    MergeOfScalar,
    /// An explicit tag such as `!!int` does not match the text.
    #[error("this cannot be read as `{tag}`")]
    Tag {
        /// Tag as written, in its short form.
        tag: String,
    },
}

impl ParseError {
    pub fn new(kind: ParseErrorKind, place: SourceLocation) -> Self {
        Self {
            kind,
            location: place,
            path: Box::default(),
        }
    }

    /// Sets the path of the value that was being read.
    #[must_use]
    pub fn with_path(mut self, path: &KeyPath) -> Self {
        *self.path = path.clone();
        self
    }

    /// The final error for a text in which too deep nesting could not be skipped.
    pub(crate) fn into_final(mut self) -> Self {
        if let ParseErrorKind::NestingOmitted { limit } = self.kind {
            self.kind = ParseErrorKind::TooDeep { limit };
        }
        self
    }

    /// Converts the error into a diagnostic, with a hint where `text` shows a well-known mistake.
    pub fn to_diagnostic(&self, text: &str) -> Diagnostic {
        let mut diagnostic = Diagnostic::new(
            Severity::Error,
            self.kind.code(),
            (*self.path).clone(),
            self.location,
            self.kind.to_string(),
        );
        diagnostic.help = self.hint(text).map(str::to_owned);
        diagnostic
    }

    fn hint(&self, text: &str) -> Option<&'static str> {
        match &self.kind {
            ParseErrorKind::Syntax { problem } => syntax_hint(problem, text, self.location),
            ParseErrorKind::CompositeKey => {
                Some("a template such as `{{ name }}` must be filled in before the file is used")
            },
            ParseErrorKind::Version { .. } => Some("remove the `%YAML` line"),
            _ => None,
        }
    }
}

/// A hint about the usual cause of a syntax error.
fn syntax_hint(problem: &str, text: &str, place: SourceLocation) -> Option<&'static str> {
    let (before, rest) = text.split_at_checked(place.span.start)?;
    let line = before.rsplit(['\n', '\r']).next()?;
    let reserved = "put the value in quotes: it starts with a character that YAML reserves";
    let starts_line = line.chars().all(|c| c == ' ');
    if problem.starts_with("a `?`") {
        return Some("put the value in quotes if the `?` is part of it");
    }
    if problem == "the quote is never closed" {
        return Some("write the same quote where the value ends");
    }
    if problem.starts_with("a key followed by") {
        let line = rest.lines().next()?;
        return match line.find([':', '=']).and_then(|at| line.get(at..))? {
            sign if sign.starts_with('=') => Some("write `: ` instead of `=`"),
            _ => Some("a space is missing after the colon"),
        };
    }
    if problem.contains("scanning an alias") || problem.contains("scanning an anchor") {
        return Some(reserved);
    }
    if problem.contains("'-' indicator") || problem.contains("expected key") {
        match line.chars().next_back() {
            Some('\'') => return Some("a `'` within quotes is written twice: `''`"),
            Some('"') => return Some("a `\"` within quotes is written `\\\"`"),
            _ if starts_line => return Some(INDENTATION),
            _ => {},
        }
    }
    match rest.chars().next()? {
        '\t' => Some("indent with spaces; YAML does not allow tabs here"),
        '@' | '`' | '%' | '*' | '&' | '|' | '>' => Some(reserved),
        '#' => Some("put the value in quotes if the `#` is part of it"),
        '{' | '}' | '[' | ']' | ',' => {
            Some("put the value in quotes if the bracket or the `$` is part of it")
        },
        ':' if !line.contains(": ") => Some(INDENTATION),
        ':' => Some("put the value in quotes if the colon is part of it"),
        _ => None,
    }
}

/// Hint for a misaligned line.
const INDENTATION: &str = "check the indentation: all keys of a map begin in the same column, and so do all `-` of a list";

impl ParseErrorKind {
    /// Stable machine-readable code.
    pub fn code(&self) -> &'static str {
        match self {
            Self::NotText { .. } => "yaml-encoding",
            Self::Empty => "yaml-empty",
            Self::TooLarge { .. } => "too-large",
            Self::NestingOmitted { .. }
            | Self::TooDeep { .. }
            | Self::TooManyValues { .. }
            | Self::AliasesTooLarge { .. } => "yaml-limit",
            Self::ControlCharacter { .. } => "yaml-control-character",
            Self::Syntax { .. } => "yaml-syntax",
            Self::Version { .. } => "yaml-version",
            Self::UnknownAnchor { .. } | Self::RecursiveAnchor { .. } => "yaml-alias",
            Self::CompositeKey => "yaml-key",
            Self::MergeOfScalar => "yaml-merge",
            Self::Tag { .. } => "yaml-tag",
        }
    }
}
