//! Paths from the root of a document to a value.

use std::cmp::Ordering;
use std::fmt;
use std::hash::{Hash, Hasher};
use std::iter;
use std::sync::Arc;

use crate::redaction::{is_secret_map, is_secret_name, redact_secrets};

/// One segment of a [`KeyPath`].
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Segment {
    /// Key of a map.
    Key(String),
    /// Position in a list, counted from 0.
    Index(usize),
}

/// Path of a value by keys and list positions, as in `link.dialers[0].split`.
///
/// Paths share their prefixes, so cloning is cheap.
#[derive(Clone, Default)]
pub struct KeyPath(Option<Arc<Step>>);

/// Last segment and parent of a path.
struct Step {
    parent: KeyPath,
    segment: Segment,
}

impl KeyPath {
    /// The path of the document itself.
    pub fn root() -> Self {
        Self::default()
    }

    /// The path of `key` below this path.
    #[must_use]
    pub fn key(&self, key: &str) -> Self {
        self.child(Segment::Key(key.to_owned()))
    }

    /// The path of the item at `index` below this path.
    #[must_use]
    pub fn index(&self, index: usize) -> Self {
        self.child(Segment::Index(index))
    }

    /// The segments from the root.
    pub fn segments(&self) -> Vec<&Segment> {
        let mut segments: Vec<_> = self.backwards().collect();
        segments.reverse();
        segments
    }

    /// The last segment; `None` for the document itself.
    pub fn last(&self) -> Option<&Segment> {
        self.backwards().next()
    }

    /// Renders the path with every key as written in the file, joined by dots, without quotes. Keys
    /// that contain private keys, or are very long, are shortened.
    ///
    /// Unlike the [`Display`](fmt::Display) form this is not always unambiguous; other programs
    /// expect it.
    pub fn dotted(&self) -> String {
        let mut text = String::new();
        for segment in self.segments() {
            match segment {
                Segment::Index(index) => {
                    text.push('[');
                    text.push_str(&index.to_string());
                    text.push(']');
                },
                Segment::Key(key) => {
                    if !text.is_empty() {
                        text.push('.');
                    }
                    text.push_str(&redact_secrets(key));
                },
            }
        }
        text
    }

    /// Whether this is the path of the document itself.
    pub fn is_root(&self) -> bool {
        self.0.is_none()
    }

    /// Whether the value is a secret, by the name of its key.
    pub fn is_secret(&self) -> bool {
        let mut keys = self.backwards().filter_map(|segment| match segment {
            Segment::Key(key) => Some(key),
            Segment::Index(_) => None,
        });
        let (last, map) = (keys.next(), keys.next());
        last.is_some_and(|key| is_secret_name(key)) || map.is_some_and(|key| is_secret_map(key))
    }

    pub(crate) fn push(&mut self, segment: Segment) {
        *self = self.child(segment);
    }

    pub(crate) fn pop(&mut self) {
        if let Some(step) = self.0.take() {
            *self = step.parent.clone();
        }
    }

    fn child(&self, segment: Segment) -> Self {
        let parent = self.clone();
        Self(Some(Arc::new(Step { parent, segment })))
    }

    fn backwards(&self) -> impl Iterator<Item = &Segment> {
        let steps = iter::successors(self.0.as_deref(), |step| step.parent.0.as_deref());
        steps.map(|step| &step.segment)
    }
}

impl PartialEq for KeyPath {
    fn eq(&self, other: &Self) -> bool {
        self.backwards().eq(other.backwards())
    }
}

impl Eq for KeyPath {}

impl PartialOrd for KeyPath {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for KeyPath {
    fn cmp(&self, other: &Self) -> Ordering {
        self.segments().cmp(&other.segments())
    }
}

impl Hash for KeyPath {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.segments().hash(state);
    }
}

impl fmt::Debug for KeyPath {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "KeyPath({self})")
    }
}

impl fmt::Display for KeyPath {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (position, segment) in self.segments().into_iter().enumerate() {
            match segment {
                Segment::Index(index) => write!(formatter, "[{index}]")?,
                Segment::Key(key) => {
                    let key = redact_secrets(key);
                    match (is_simple(&key), position) {
                        (true, 0) => write!(formatter, "{key}")?,
                        (true, _) => write!(formatter, ".{key}")?,
                        (false, _) => write!(formatter, "[{key:?}]")?,
                    }
                },
            }
        }
        Ok(())
    }
}

/// Whether a key needs no quotes; those that could be mistaken for a segment, or are invisible, do.
fn is_simple(key: &str) -> bool {
    !key.is_empty()
        && key
            .chars()
            .all(|c| c.is_alphanumeric() || matches!(c, '_' | '-' | '$' | '/'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_read_like_the_keys_of_the_file() {
        let path = KeyPath::root()
            .key("link")
            .key("dialers")
            .index(0)
            .key("split");
        assert_eq!(path.to_string(), "link.dialers[0].split");
        assert_eq!(KeyPath::root().to_string(), "");
        assert_eq!(
            KeyPath::root().key("a.b").key("c").to_string(),
            r#"["a.b"].c"#
        );
        assert_eq!(KeyPath::root().index(2).key("").to_string(), r#"[2][""]"#);
        assert_eq!(
            KeyPath::root().key("a.b").index(0).key("c").dotted(),
            "a.b[0].c"
        );
    }
}
