//! Parsing of a file into a tree.

use portcullis_yaml::{
    Diagnostic, Diagnostics, KeyPath, Limits, Node, ParseError, ParseErrorKind, Section, Segment,
    SourceId, SourceLocation, decode, expand_environment, parse,
};

use crate::environment::Environment;
use crate::place::report_path;

/// Maximum size of a file, in bytes.
pub const MAX_FILE_SIZE: usize = 4 << 20;

/// Name and content of a configuration file.
#[derive(Clone, Copy, Debug)]
pub struct SourceFile<'text> {
    /// Name as the user knows it; default paths beside the file are derived from it.
    pub name: &'text str,
    pub bytes: &'text [u8],
}

/// Reason why a file cannot be parsed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Unreadable {
    pub(crate) diagnostic: Diagnostic,
}

impl<'text> SourceFile<'text> {
    pub const fn new(name: &'text str, bytes: &'text [u8]) -> Self {
        Self { name, bytes }
    }
}

impl SourceFile<'_> {
    /// Returns the text that lines, columns and spans refer to: UTF-8 without a byte order mark.
    pub fn decoded(&self) -> String {
        decode(self.bytes, SourceId::default())
            .unwrap_or_else(|_| String::from_utf8_lossy(self.bytes).into_owned())
    }
}

/// Parses the first document and expands environment variables.
pub(crate) fn parse_source(
    text: &SourceFile<'_>,
    environment: Environment<'_>,
    diagnostics: &mut Diagnostics,
) -> Result<Node, Unreadable> {
    let source = SourceId::default();
    let unreadable = |error: ParseError, text: &str| Unreadable {
        diagnostic: error.to_diagnostic(text),
    };
    if text.bytes.len() > MAX_FILE_SIZE {
        return Err(unreadable(size_error(source), ""));
    }
    let decoded = decode(text.bytes, source).map_err(|error| unreadable(error, ""))?;
    let document =
        parse(&decoded, source, &limits()).map_err(|error| unreadable(error, &decoded))?;
    diagnostics.extend(document.diagnostics);
    let mut root = document.root;
    let mut variable_diagnostics = Diagnostics::default();
    expand_environment(
        &mut root,
        &|name| environment.get(name),
        &mut variable_diagnostics,
    );
    diagnostics.extend(
        variable_diagnostics
            .into_sorted()
            .into_iter()
            .map(|mut diagnostic| {
                if let Some(path) = variable_path(&root, &diagnostic.path) {
                    diagnostic.path = path;
                }
                diagnostic
            }),
    );
    Ok(root)
}

/// Path of a list item as other findings report it; `None` for everything else.
fn variable_path(root: &Node, path: &KeyPath) -> Option<KeyPath> {
    let segments = path.segments();
    let (Segment::Index(position), way) = segments.split_last()? else {
        return None;
    };
    let (Segment::Key(first), way) = way.split_first()? else {
        return None;
    };
    let root = Section::root(root, &mut Diagnostics::default())?;
    let list = way
        .iter()
        .try_fold(root.get(first)?, |field, step| match step {
            Segment::Key(name) => field.as_section()?.get(name),
            Segment::Index(index) => field.item(*index),
        })?;
    Some(report_path(&list, &list.item(*position)?))
}

/// Builds the diagnostic for a file that exceeds [`MAX_FILE_SIZE`], for callers that know its size
/// beforehand.
pub fn file_too_large() -> Diagnostic {
    size_error(SourceId::default()).to_diagnostic("")
}

fn size_error(source: SourceId) -> ParseError {
    let place = SourceLocation {
        source,
        line: 1,
        column: 1,
        ..SourceLocation::default()
    };
    ParseError::new(
        ParseErrorKind::TooLarge {
            limit: MAX_FILE_SIZE,
        },
        place,
    )
}

/// Aliases may add more nodes than a large file has, and stay well below 64 MiB.
fn limits() -> Limits {
    Limits {
        size: MAX_FILE_SIZE,
        values: 50_000,
        alias_nodes: 75_000,
        ..Limits::default()
    }
}
