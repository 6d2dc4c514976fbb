//! Finding rows by the path of a key.

use crate::table::key::{Group, Key, Kind};
use crate::table::root::ROOT;

/// A row found by its path.
#[derive(Clone, Copy, Debug)]
pub struct Found {
    /// The row.
    pub key: &'static Key,
    /// Value of `binding` for which it was found, where keys depend on it.
    pub binding: Option<&'static str>,
}

/// Says why a path names no key.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PathError {
    /// The path is empty.
    #[error("the key is empty")]
    Empty,
    /// A step names no key of the section before it.
    #[error("{section} has no key `{name}`{}", .similar.as_ref().map(|s| format!("; did you mean `{s}`?")).unwrap_or_default())]
    Unknown {
        /// Section that was searched, as sentences name it.
        section: String,
        /// Name that it does not have.
        name: String,
        /// Key that was probably meant.
        similar: Option<&'static str>,
    },
}

/// Finds every row that a path such as `link.dialers[0].split` names.
///
/// Positions in lists may be left out, empty or `n`: `link.dialers.split`, `link.dialers[].split`. Keys that
/// depend on a `binding` are found once per binding that has them; a path may also name the binding,
/// `listeners[tunnel].options.mode`.
///
/// # Errors
///
/// What keeps the path from naming a key.
pub fn find(path: &str) -> Result<Vec<Found>, PathError> {
    let mut found = vec![];
    let mut groups: Vec<(Option<&'static str>, &'static [Group])> = vec![(None, &[ROOT])];
    let mut section = "the file".to_owned();
    for step in path.split('.') {
        let (name, position) = split_step(step);
        let chosen: Vec<Found> = groups
            .iter()
            .filter_map(|(binding, groups)| {
                let key = keys(groups).find(|key| key.name == name)?;
                Some(Found {
                    key,
                    binding: *binding,
                })
            })
            .collect();
        if chosen.is_empty() {
            let names = groups
                .iter()
                .flat_map(|(_, groups)| keys(groups))
                .map(|key| key.name);
            return Err(if name.is_empty() {
                PathError::Empty
            } else {
                PathError::Unknown {
                    section,
                    similar: portcullis_yaml::nearest(name, names),
                    name: name.to_owned(),
                }
            });
        }
        groups = chosen
            .iter()
            .flat_map(|found| below(*found, position))
            .collect();
        section = format!("`{name}`");
        found = chosen;
    }
    Ok(found)
}

/// Calls `visit` for every row of the table with its path; lists add `[]` to it.
pub fn walk(visit: &mut dyn FnMut(&str, Found)) {
    walk_groups("", None, &[ROOT], visit);
}

fn walk_groups(
    prefix: &str,
    binding: Option<&'static str>,
    groups: &'static [Group],
    visit: &mut dyn FnMut(&str, Found),
) {
    for key in keys(groups) {
        let path = if prefix.is_empty() {
            key.name.to_owned()
        } else {
            format!("{prefix}.{}", key.name)
        };
        let found = Found { key, binding };
        visit(&path, found);
        let list = matches!(key.kind, Kind::Maps(_) | Kind::Bindings(_));
        for (binding, groups) in below(found, None) {
            let place = match binding.filter(|_| matches!(key.kind, Kind::Bindings(_))) {
                Some(binding) => format!("{path}[{binding}]"),
                None if list => format!("{path}[]"),
                None => path.clone(),
            };
            walk_groups(&place, binding, groups, visit);
        }
    }
}

pub(crate) fn keys(groups: &'static [Group]) -> impl Iterator<Item = &'static Key> {
    groups.iter().flat_map(|group| group.iter())
}

fn split_step(step: &str) -> (&str, Option<&str>) {
    match step.split_once('[') {
        Some((name, rest)) => (name, Some(rest.trim_end_matches(']'))),
        None => (step, None),
    }
}

fn below(found: Found, position: Option<&str>) -> Vec<(Option<&'static str>, &'static [Group])> {
    match found.key.kind {
        Kind::Map(groups) | Kind::Maps(groups) => vec![(found.binding, groups)],
        Kind::Bindings(variants) => variants
            .iter()
            .filter(|variant| {
                position.is_none_or(|position| {
                    position == "n"
                        || position == variant.binding
                        || position.bytes().all(|b| b.is_ascii_digit())
                })
            })
            .map(|variant| (Some(variant.binding), variant.keys))
            .collect(),
        _ => vec![],
    }
}
