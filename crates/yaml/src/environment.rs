//! Environment variables in values.

use crate::diagnostic::Diagnostics;
use crate::node::{Entry, Node, Value};
use crate::path::KeyPath;

/// Bytes that variables may add to one document; more is a mistake, and no reason to run out of memory.
const MOST_ADDED: usize = 16 << 20;

/// Variables of one value that are remembered; the others are put in place all the same.
const MOST_REMEMBERED: usize = 64;

/// One use of an environment variable in a value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Variable {
    /// Name that was looked up.
    pub name: String,
    /// Whether it had a value, which may have been empty.
    pub is_set: bool,
}

/// Puts environment variables in place in every string value of the tree, not in keys.
///
/// The result stays a string: `${N}` never becomes a number. The rules are those of Go's standard
/// expansion, see [`expand`]. Each node keeps the names of its variables, and a variable that is not
/// set, and so is replaced by nothing, gets a warning with the code `env-unset`. `lookup` is the
/// environment; OpenZiti also gives `TMP`, `TEMP` and `TMPDIR` the directory for temporary files.
pub fn expand_environment(
    root: &mut Node,
    lookup: &dyn Fn(&str) -> Option<String>,
    diagnostics: &mut Diagnostics,
) {
    let mut walk = Walk {
        lookup,
        diagnostics,
        left: MOST_ADDED,
    };
    walk.node(root, &KeyPath::root());
}

struct Walk<'walk> {
    lookup: &'walk dyn Fn(&str) -> Option<String>,
    diagnostics: &'walk mut Diagnostics,
    left: usize,
}

impl Walk<'_> {
    fn node(&mut self, node: &mut Node, path: &KeyPath) {
        match &mut node.value {
            Value::String(text) if text.contains('$') => {
                let (expanded, variables) = expand(text, self.lookup);
                let Some(left) = self.left.checked_sub(expanded.len()) else {
                    let message = "environment variables make the file too large";
                    self.diagnostics
                        .error("env-limit", path, node.place, message);
                    return;
                };
                self.left = left;
                let written = std::mem::replace(text, expanded);
                node.text.get_or_insert(written.into_boxed_str());
                node.variables = variables;
                self.report_unset(node, path);
            },
            Value::List(items) => {
                for (index, item) in items.iter_mut().enumerate() {
                    self.node(item, &path.index(index));
                }
            },
            Value::Map(map) => {
                let named = |entry: &&mut Entry| names_a_variable(&entry.value);
                for entry in map.entries.iter_mut().filter(named) {
                    self.node(
                        &mut entry.value,
                        &path.key(entry.key.text().unwrap_or_default()),
                    );
                }
            },
            _ => {},
        }
    }

    fn report_unset(&mut self, node: &Node, path: &KeyPath) {
        for variable in node.variables.iter().filter(|variable| !variable.is_set) {
            let name = &variable.name;
            let message = format!(
                "the environment variable `{name}` is not set; it is replaced by an empty text"
            );
            let diagnostic = self
                .diagnostics
                .warning("env-unset", path, node.place, message);
            if let Some((before, _)) = name.split_once(":-") {
                diagnostic.help(format!(
                    "defaults are not supported; set `{before}` and write `${{{before}}}`"
                ));
            } else if name.len() == 1
                && !name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
            {
                diagnostic.help("a `$` in a value always starts a variable and cannot be escaped");
            }
        }
    }
}

/// Most of a file names no variable, and then needs no path.
fn names_a_variable(node: &Node) -> bool {
    match &node.value {
        Value::String(text) => text.contains('$'),
        Value::List(items) => items.iter().any(names_a_variable),
        Value::Map(map) => map.iter().any(|entry| names_a_variable(&entry.value)),
        _ => false,
    }
}

/// Puts environment variables in place in one text and names those that were looked up, each once and
/// at most 64 of them.
///
/// `${NAME}` and `$NAME` are replaced, the latter up to the last letter, digit or `_`; a name of one of
/// the characters `*#$@!?-` or of one digit needs no braces. `${}` and an opening `${` without an end
/// vanish. A `$` before anything else stays. There is no escape and defaults are not supported.
///
/// # Examples
///
/// ```
/// let lookup = |name: &str| (name == "PORT").then(|| "6262".to_owned());
///
/// let (text, variables) = portcullis_yaml::expand("tls:${HOST}:$PORT", &lookup);
///
/// assert_eq!(text, "tls::6262");
/// assert!(!variables[0].is_set && variables[1].is_set);
/// ```
pub fn expand(text: &str, lookup: &dyn Fn(&str) -> Option<String>) -> (String, Vec<Variable>) {
    let mut expanded = String::with_capacity(text.len());
    let mut variables: Vec<Variable> = Vec::new();
    let mut last: Option<(&str, Option<String>)> = None;
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('$') {
        expanded.push_str(before);
        let (name, remainder) = match take_name(after) {
            Taken::Nothing => {
                expanded.push('$');
                rest = after;
                continue;
            },
            Taken::BadSyntax(remainder) => {
                rest = remainder;
                continue;
            },
            Taken::Name(name, remainder) => (name, remainder),
        };
        rest = remainder;
        // A text that repeats a variable looks it up once.
        let value = match last.take() {
            Some((known, value)) if known == name => value,
            _ => {
                let value = lookup(name);
                let is_known = |known: &Variable| known.name == name;
                if variables.len() < MOST_REMEMBERED && !variables.iter().any(is_known) {
                    variables.push(Variable {
                        name: name.to_owned(),
                        is_set: value.is_some(),
                    });
                }
                value
            },
        };
        expanded.push_str(value.as_deref().unwrap_or_default());
        last = Some((name, value));
    }
    expanded.push_str(rest);
    (expanded, variables)
}

enum Taken<'text> {
    /// No name follows, the `$` stays.
    Nothing,
    /// `${` without a usable name, which vanishes.
    BadSyntax(&'text str),
    /// Name and what follows it.
    Name(&'text str, &'text str),
}

fn take_name(after: &str) -> Taken<'_> {
    if let Some(braced) = after.strip_prefix('{') {
        // One special character in braces ends the name even before the brace is looked for.
        if let (Some(name), Some(rest)) = (
            braced.get(..1),
            braced.get(1..).and_then(|rest| rest.strip_prefix('}')),
        ) && name.starts_with(is_special)
        {
            return Taken::Name(name, rest);
        }
        return match braced.split_once('}') {
            Some(("", rest)) => Taken::BadSyntax(rest),
            Some((name, rest)) => Taken::Name(name, rest),
            None => Taken::BadSyntax(braced),
        };
    }
    if after.starts_with(is_special) {
        let (name, rest) = after.split_at(1);
        return Taken::Name(name, rest);
    }
    let end = after
        .find(|c: char| !(c.is_ascii_alphanumeric() || c == '_'))
        .unwrap_or(after.len());
    let (name, rest) = after.split_at(end);
    if name.is_empty() {
        Taken::Nothing
    } else {
        Taken::Name(name, rest)
    }
}

fn is_special(character: char) -> bool {
    matches!(
        character,
        '*' | '#' | '$' | '@' | '!' | '?' | '-' | '0'..='9'
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Limits, SourceId, parse};

    fn lookup(name: &str) -> Option<String> {
        match name {
            "A" => Some("alpha".to_owned()),
            "A_b" => Some("ab".to_owned()),
            "EMPTY" => Some(String::new()),
            "DOLLAR" => Some("$A".to_owned()),
            "YAML" => Some("a: b".to_owned()),
            _ => None,
        }
    }

    #[test]
    fn every_notation_expands_as_in_go() {
        let cases = [
            ("${A}", "alpha"),
            ("$A", "alpha"),
            ("x${A}y", "xalphay"),
            ("$A_b", "ab"),
            ("$A-b", "alpha-b"),
            ("$A.b", "alpha.b"),
            ("${NONE}", ""),
            ("${A:-x}", ""),
            ("${ A }", ""),
            ("${}", ""),
            ("${}x", "x"),
            ("${A", "A"),
            ("${", ""),
            ("$$", ""),
            ("pa$$word", "paword"),
            ("\\$A", "\\alpha"),
            ("$", "$"),
            ("$ x", "$ x"),
            ("$(A)", "$(A)"),
            ("%A%", "%A%"),
            ("$-x", "x"),
            ("$1abc", "abc"),
            ("${1}x", "x"),
            ("${1abc}", ""),
            ("$*x$#x$@x$!x$?x", "xxxxx"),
            ("${DOLLAR}", "$A"),
            ("$é", "$é"),
            ("${é}", ""),
            ("a", "a"),
            ("", ""),
        ];
        for (text, expected) in cases {
            assert_eq!(expand(text, &lookup).0, expected, "{text}");
        }
    }

    #[test]
    fn trees_keep_types_and_name_their_variables() {
        let text = "a: ${A}\n${A}: [\"${EMPTY}\", '$NONE']\nyaml: ${YAML}\nd: ${A:-x}\n";
        let mut document = parse(text, SourceId(0), &Limits::default()).expect("text is YAML");
        let mut diagnostics = Diagnostics::default();
        expand_environment(&mut document.root, &lookup, &mut diagnostics);

        let map = document.root.as_map().expect("root is a map");
        let a = &map.get("a").expect("a is there").value;
        assert_eq!(a.as_str(), Some("alpha"));
        assert_eq!(a.text(), Some("${A}"));
        assert_eq!(
            a.variables,
            [Variable {
                name: "A".to_owned(),
                is_set: true
            }]
        );
        assert_eq!(
            map.get("yaml").and_then(|entry| entry.value.as_str()),
            Some("a: b")
        );
        let list = map
            .get("${A}")
            .and_then(|entry| entry.value.as_list())
            .expect("keys are not expanded");
        assert_eq!(
            list.iter().map(Node::as_str).collect::<Vec<_>>(),
            [Some(""), Some("")]
        );
        assert!(list[0].variables[0].is_set);

        let found: Vec<_> = diagnostics
            .into_sorted()
            .iter()
            .map(ToString::to_string)
            .collect();
        assert_eq!(found.len(), 2, "{found:?}");
        assert!(
            found[0].starts_with("2:20: warning[env-unset]") && found[0].contains("`NONE`"),
            "{found:?}"
        );
        assert!(
            found[1].starts_with("4:4: ") && found[1].contains("defaults are not supported"),
            "{found:?}"
        );
    }
}
