//! JSON that grows member by member, and no further than a limit.

use serde_json::Value as Json;

/// The text of an object or a list. What would make it too long is left out, and counted.
///
/// # Examples
///
/// ```
/// use portcullis_router::LimitedJson;
///
/// let mut numbers = LimitedJson::object(20);
/// assert!(numbers.insert("one", &1.into()));
/// assert!(!numbers.insert("a large one", &2.into()));
/// assert_eq!(numbers.left_out(), 1);
/// assert_eq!(numbers.into_text(), r#"{"one":1}"#);
/// ```
#[derive(Debug, Clone)]
pub struct LimitedJson {
    /// Without its end.
    text: String,
    end: char,
    /// Bytes of the text.
    most: usize,
    left_out: usize,
}

impl LimitedJson {
    /// An object, whose text has so many bytes at most. An empty one is always possible.
    pub fn object(most: usize) -> Self {
        Self::begin('{', '}', most)
    }

    /// The same as a list.
    pub fn list(most: usize) -> Self {
        Self::begin('[', ']', most)
    }

    fn begin(start: char, end: char, most: usize) -> Self {
        Self {
            text: start.to_string(),
            end,
            most,
            left_out: 0,
        }
    }

    /// Adds a member of an object, unless that is too much. Returns whether it was added.
    pub fn insert(&mut self, name: &str, value: &Json) -> bool {
        self.add(&format!("{}:{value}", Json::from(name)))
    }

    /// Adds an element of a list, unless that is too much. Returns whether it was added.
    pub fn push(&mut self, value: &Json) -> bool {
        self.add(&value.to_string())
    }

    fn add(&mut self, text: &str) -> bool {
        let is_first = self.text.len() == 1;
        let separator = if is_first { "" } else { "," };
        let end = self.end.len_utf8();
        if self.text.len() + separator.len() + text.len() + end > self.most {
            self.left_out += 1;
            return false;
        }
        self.text.push_str(separator);
        self.text.push_str(text);
        true
    }

    /// How much was too much.
    pub const fn left_out(&self) -> usize {
        self.left_out
    }

    pub fn into_text(mut self) -> String {
        self.text.push(self.end);
        self.text
    }
}
