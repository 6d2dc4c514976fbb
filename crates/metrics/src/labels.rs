//! Labels of samples.

use std::cmp::Ordering;
use std::collections::BTreeMap;
use std::fmt::{self, Write as _};

/// Labels by their names, in the order of these.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Labels(BTreeMap<String, Label>);

/// The value of a label. Labels are told apart by the names that Prometheus allows.
#[derive(Clone, Debug)]
struct Label {
    value: String,
    /// The name as it was given, where Prometheus does not allow it.
    original: Option<Box<str>>,
}

impl Labels {
    /// Adds a label, or replaces it. One without a value is none.
    ///
    /// The name may be any text: what Prometheus does not allow in names becomes `_`, and what it keeps for
    /// itself, such as `le`, gets another beginning.
    #[must_use]
    pub fn with(mut self, name: &str, value: &str) -> Self {
        let original = name;
        let name = valid_name(name);
        if value.is_empty() {
            self.0.remove(&name);
        } else {
            let label = Label {
                value: value.to_owned(),
                original: (name != original).then(|| original.into()),
            };
            self.0.insert(name, label);
        }
        self
    }

    /// Names as they were given, such as `http.route`, with their values.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &str)> {
        let labels = self.0.iter();
        labels.map(|(name, label)| (label.original.as_deref().unwrap_or(name), &*label.value))
    }

    /// Writes the labels, and after them those of one sample of several, in braces; nothing if there are none.
    pub(crate) fn written(&self, further: Option<(&str, &str)>) -> String {
        let own = self.0.iter().map(|(name, label)| (&**name, &*label.value));
        let mut text = String::new();
        for (name, value) in own.chain(further) {
            text.push(if text.is_empty() { '{' } else { ',' });
            // Writing into a text cannot fail.
            let _ = write!(text, "{name}=\"{}\"", Escaped(value));
        }
        if !text.is_empty() {
            text.push('}');
        }
        text
    }
}

impl PartialEq for Label {
    fn eq(&self, other: &Self) -> bool {
        self.value == other.value
    }
}

impl Eq for Label {}

impl PartialOrd for Label {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Label {
    fn cmp(&self, other: &Self) -> Ordering {
        self.value.cmp(&other.value)
    }
}

fn valid_name(name: &str) -> String {
    let valid = |letter: char| {
        if letter.is_ascii_alphanumeric() {
            letter
        } else {
            '_'
        }
    };
    let name: String = name.chars().map(valid).collect();
    let is_reserved = matches!(&*name, "le" | "quantile") || name.starts_with("__");
    let starts_well = name.starts_with(|first: char| !first.is_ascii_digit());
    if is_reserved || !starts_well {
        format!("tag_{name}")
    } else {
        name
    }
}

/// The value of a label, or the text of a description.
pub(crate) struct Escaped<'a>(pub(crate) &'a str);

impl fmt::Display for Escaped<'_> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        for letter in self.0.chars() {
            match letter {
                '\\' => formatter.write_str("\\\\")?,
                '"' => formatter.write_str("\\\"")?,
                '\n' => formatter.write_str("\\n")?,
                other => formatter.write_char(other)?,
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_are_sorted_and_escaped() {
        let labels = Labels::default()
            .with("source_id", "a\"b\\\n")
            .with("http.route", "/links")
            .with("empty", "")
            .with("le", "1")
            .with("__name__", "x")
            .with("4you", "y");
        assert_eq!(
            labels.written(Some(("le", "+Inf"))),
            "{http_route=\"/links\",source_id=\"a\\\"b\\\\\\n\",tag_4you=\"y\",tag___name__=\"x\",\
             tag_le=\"1\",le=\"+Inf\"}"
        );
        assert_eq!(Labels::default().written(None), "");
    }

    #[test]
    fn names_are_known_as_they_were_given() {
        let labels = Labels::default()
            .with("http.route", "/links")
            .with("le", "1");
        let named: Vec<_> = labels.iter().collect();
        assert_eq!(named, [("http.route", "/links"), ("le", "1")]);
        assert_eq!(
            labels,
            Labels::default()
                .with("tag_le", "1")
                .with("http_route", "/links")
        );
    }
}
