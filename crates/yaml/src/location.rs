//! Source locations.

/// Identifies a file of one configuration, such as a generated base and an overlay.
///
/// The caller assigns the numbers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SourceId(pub u16);

/// A half-open range of bytes in the decoded text.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Span {
    pub start: usize,
    /// Exclusive; equal to `start` for a value that is not written at all.
    pub end: usize,
}

/// A piece of text by file, bytes, line and column.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SourceLocation {
    pub source: SourceId,
    pub span: Span,
    /// Line of the first character, counted from 1.
    pub line: u32,
    /// Column of the first character in characters, counted from 1.
    pub column: u32,
}

impl SourceLocation {
    /// The location of the single character that starts at `offset`.
    ///
    /// An offset past the end or inside a character is moved back to the nearest character boundary.
    pub fn from_offset(text: &str, offset: usize, source: SourceId) -> Self {
        let start = text.floor_char_boundary(offset);
        let (mut line, mut column) = (1u32, 1u32);
        let mut characters = text.char_indices().peekable();
        while let Some((at, character)) = characters.next() {
            if at >= start {
                break;
            }
            let breaks = match character {
                '\r' => characters.peek().is_none_or(|(_, next)| *next != '\n'),
                other => is_line_break(other),
            };
            if breaks {
                line = line.saturating_add(1);
                column = 1;
            } else {
                column = column.saturating_add(1);
            }
        }
        let length = text
            .get(start..)
            .and_then(|rest| rest.chars().next())
            .map_or(0, char::len_utf8);
        Self {
            source,
            span: Span {
                start,
                end: start + length,
            },
            line,
            column,
        }
    }
}

/// YAML 1.1 also counts the Unicode line breaks.
fn is_line_break(character: char) -> bool {
    matches!(character, '\n' | '\u{85}' | '\u{2028}' | '\u{2029}')
}
