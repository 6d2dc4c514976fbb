//! Expansion of environment variables in values.

use crate::diagnostic::Diagnostics;
use crate::location::SourceLocation;
use crate::node::{Entry, Node, Value, Variable};
use crate::path::KeyPath;
use std::collections::HashMap;

/// Maximum number of bytes that variables may add to a document.
const MAX_EXPANDED_BYTES: usize = 16 << 20;

/// Maximum number of variables that are recorded per value; all are expanded.
const MAX_VARIABLES: usize = 64;

/// Maximum number of further places that a finding about a variable names.
const MAX_PLACES: usize = 8;

/// Expands environment variables in every string value of the tree, but not in keys.
///
/// The result stays a string: `${N}` never becomes a number. The rules are those of Go's
/// `os.Expand`, see [`expand`]. Each node records its variables, and an unset variable, which is
/// replaced by an empty string, causes one warning with the code `env-unset`, at its first use.
/// `lookup` is the environment; OpenZiti also sets `TMP`, `TEMP` and `TMPDIR` to the directory for temporary files.
pub fn expand_environment(
    root: &mut Node,
    lookup: &dyn Fn(&str) -> Option<String>,
    diagnostics: &mut Diagnostics,
) {
    let mut expander = Expander {
        lookup,
        diagnostics,
        remaining_bytes: MAX_EXPANDED_BYTES,
        unset: Vec::new(),
        unset_names: HashMap::new(),
    };
    expander.expand_node(root, &KeyPath::root());
    let Expander { unset, .. } = expander;
    for variable in &unset {
        variable.report(diagnostics);
    }
}

/// An unset variable and its uses.
struct Unset {
    name: String,
    path: KeyPath,
    location: SourceLocation,
    /// Paths and lines of further uses, and how many more there are.
    others: Vec<(KeyPath, u32)>,
    omitted: usize,
}

impl Unset {
    fn add_use(&mut self, path: &KeyPath, location: SourceLocation) {
        if self.others.len() < MAX_PLACES {
            self.others.push((path.clone(), location.line));
        } else {
            self.omitted += 1;
        }
    }

    fn report(&self, diagnostics: &mut Diagnostics) {
        let name = &self.name;
        let message = format!(
            "the environment variable `{name}` is not set; it is replaced by an empty string{}",
            self.other_places()
        );
        let diagnostic = diagnostics.warning("env-unset", &self.path, self.location, message);
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

    fn other_places(&self) -> String {
        let mut places: Vec<String> = self
            .others
            .iter()
            .map(|(path, line)| format!("`{}` (line {line})", path.dotted()))
            .collect();
        if self.omitted > 0 {
            places.push(format!("{} more places", self.omitted));
        }
        match places.split_last() {
            None => String::new(),
            Some((only, [])) => format!(", also in {only}"),
            Some((last, places)) => format!(", also in {} and {last}", places.join(", ")),
        }
    }
}

struct Expander<'walk> {
    lookup: &'walk dyn Fn(&str) -> Option<String>,
    diagnostics: &'walk mut Diagnostics,
    remaining_bytes: usize,
    /// In the order of their first uses.
    unset: Vec<Unset>,
    /// Where each of them is in that list.
    unset_names: HashMap<String, usize>,
}

impl Expander<'_> {
    fn expand_node(&mut self, node: &mut Node, path: &KeyPath) {
        match &mut node.value {
            Value::String(text) if text.contains('$') => {
                let (expanded, variables) = expand(text, self.lookup);
                let Some(left) = self.remaining_bytes.checked_sub(expanded.len()) else {
                    let message = "environment variables make the file too large";
                    self.diagnostics
                        .error("env-limit", path, node.location, message);
                    return;
                };
                self.remaining_bytes = left;
                let written = std::mem::replace(text, expanded);
                node.text.get_or_insert(written.into_boxed_str());
                node.variables = variables;
                self.note_unset(node, path);
            },
            Value::List(items) => {
                for (index, item) in items.iter_mut().enumerate() {
                    self.expand_node(item, &path.index(index));
                }
            },
            Value::Map(map) => {
                let named = |entry: &&mut Entry| contains_variable(&entry.value);
                for entry in map.entries.iter_mut().filter(named) {
                    self.expand_node(
                        &mut entry.value,
                        &path.key(entry.key.text().unwrap_or_default()),
                    );
                }
            },
            _ => {},
        }
    }

    fn note_unset(&mut self, node: &Node, path: &KeyPath) {
        for Variable { name, .. } in node.variables.iter().filter(|variable| !variable.is_set) {
            let known = self.unset_names.get(name).copied();
            if let Some(unset) = known.and_then(|index| self.unset.get_mut(index)) {
                unset.add_use(path, node.location);
            } else {
                self.unset_names.insert(name.clone(), self.unset.len());
                self.unset.push(Unset {
                    name: name.clone(),
                    path: path.clone(),
                    location: node.location,
                    others: Vec::new(),
                    omitted: 0,
                });
            }
        }
    }
}

/// Whether a subtree contains a variable; most do not, and then need no path.
fn contains_variable(node: &Node) -> bool {
    match &node.value {
        Value::String(text) => text.contains('$'),
        Value::List(items) => items.iter().any(contains_variable),
        Value::Map(map) => map.iter().any(|entry| contains_variable(&entry.value)),
        _ => false,
    }
}

/// Expands environment variables in one text and returns those that were looked up, each once and at
/// most 64 of them.
///
/// `${NAME}` and `$NAME` are replaced, the latter up to the last letter, digit or `_`; a name that
/// is one of the characters `*#$@!?-` or one digit needs no braces. `${}` and an unclosed `${` are
/// removed. A `$` before anything else stays. There is no escape, and defaults are not supported.
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
        let (name, remainder) = match parse_name(after) {
            ParsedName::NotAName => {
                expanded.push('$');
                rest = after;
                continue;
            },
            ParsedName::BadSyntax(remainder) => {
                rest = remainder;
                continue;
            },
            ParsedName::Name(name, remainder) => (name, remainder),
        };
        rest = remainder;
        // Repeated uses of a variable are looked up once.
        let value = match last.take() {
            Some((known, value)) if known == name => value,
            _ => {
                let value = lookup(name);
                let is_known = |known: &Variable| known.name == name;
                if variables.len() < MAX_VARIABLES && !variables.iter().any(is_known) {
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

enum ParsedName<'text> {
    /// No name follows; the `$` stays.
    NotAName,
    /// `${` without a valid name, which is removed.
    BadSyntax(&'text str),
    /// The name and the text after it.
    Name(&'text str, &'text str),
}

fn parse_name(after: &str) -> ParsedName<'_> {
    if let Some(braced) = after.strip_prefix('{') {
        // One special character in braces ends the name even before looking for the brace.
        if let (Some(name), Some(rest)) = (
            braced.get(..1),
            braced.get(1..).and_then(|rest| rest.strip_prefix('}')),
        ) && name.starts_with(is_special)
        {
            return ParsedName::Name(name, rest);
        }
        return match braced.split_once('}') {
            Some(("", rest)) => ParsedName::BadSyntax(rest),
            Some((name, rest)) => ParsedName::Name(name, rest),
            None => ParsedName::BadSyntax(braced),
        };
    }
    if after.starts_with(is_special) {
        let (name, rest) = after.split_at(1);
        return ParsedName::Name(name, rest);
    }
    let end = after
        .find(|c: char| !(c.is_ascii_alphanumeric() || c == '_'))
        .unwrap_or(after.len());
    let (name, rest) = after.split_at(end);
    if name.is_empty() {
        ParsedName::NotAName
    } else {
        ParsedName::Name(name, rest)
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
    fn an_unset_variable_is_reported_once_with_its_places() {
        let mut lines = String::from("a: ${NONE}\nb: [x, $NONE]\nc: $OTHER\n");
        let mut found = |more: &str| {
            lines.push_str(more);
            let document = parse(&lines, SourceId(0), &Limits::default());
            let mut root = document.expect("text is YAML").root;
            let mut diagnostics = Diagnostics::default();
            expand_environment(&mut root, &lookup, &mut diagnostics);
            let found = diagnostics.into_sorted();
            assert_eq!(found.len(), 2, "{found:?}");
            found[0].to_string()
        };
        assert_eq!(
            found(""),
            "1:4: warning[env-unset]: the environment variable `NONE` is not set; it is replaced by \
             an empty string, also in `b[1]` (line 2) (a)"
        );
        let many = found("d: [$NONE, $NONE, $NONE, $NONE, $NONE, $NONE, $NONE, $NONE, $NONE]\n");
        assert!(
            many.ends_with("`d[6]` (line 4) and 2 more places (a)"),
            "{many}"
        );
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
