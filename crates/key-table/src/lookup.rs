//! Lookup of rows by the path of a key.

use crate::key::{ConfigFile, Key, KeyGroup, ValueType};

/// What stands for the names of [`ValueType::NamedMaps`] in paths.
pub(crate) const ANY_NAME: &str = "NAME";

/// A row found by its path.
#[derive(Clone, Copy, Debug)]
pub struct KeyMatch<F: ConfigFile> {
    pub key: &'static Key<F>,
    /// Value of `binding` that has the key, where keys depend on it.
    pub binding: Option<&'static str>,
}

/// Reason why a path names no key.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PathError {
    #[error("the key is empty")]
    Empty,
    /// A segment names no key of the section before it.
    #[error("{section} has no key `{name}`{}", .similar.as_ref().map(|s| format!("; did you mean `{s}`?")).unwrap_or_default())]
    Unknown {
        /// Section that was searched, as it appears in messages.
        section: String,
        name: String,
        /// Most similar key.
        similar: Option<&'static str>,
    },
}

/// Resolves a path such as `link.dialers[0].split` to all its rows.
/// List positions may be omitted, empty or `n`: `link.dialers.split`, `link.dialers[].split`. Keys that
/// depend on a `binding` have one match per binding; a path may also name the binding,
/// `listeners[tunnel].options.mode`. Any name stands for a map that the writer of the file names.
///
/// # Errors
/// [`PathError`] if the path names no key.
pub fn resolve<F: ConfigFile>(path: &str) -> Result<Vec<KeyMatch<F>>, PathError> {
    let mut found = vec![];
    let mut groups: Vec<(Option<&'static str>, &'static [KeyGroup<F>])> = vec![(None, root())];
    let mut section = "the file".to_owned();
    let mut steps = path.split('.');
    while let Some(step) = steps.next() {
        let (name, position) = split_segment(step);
        let chosen: Vec<KeyMatch<F>> = groups
            .iter()
            .filter_map(|(binding, groups)| {
                let key = keys(groups).find(|key| key.name == name)?;
                Some(KeyMatch {
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
            .flat_map(|found| children(*found, position))
            .collect();
        section = format!("`{name}`");
        let is_named =
            |found: &KeyMatch<F>| matches!(found.key.value_type, ValueType::NamedMaps(_));
        if chosen.iter().any(is_named) {
            // Any name will do.
            steps.next();
        }
        found = chosen;
    }
    Ok(found)
}

/// Calls `visit` for every row of the table with its path, in which lists have the suffix `[]` and maps
/// with names of their own are called `NAME`.
pub fn visit_keys<F: ConfigFile>(visit: &mut dyn FnMut(&str, KeyMatch<F>)) {
    walk_groups("", None, root(), visit);
}

/// Paths of all keys with a name in any case; items of lists are `[]` whatever their binding.
pub fn find_paths<F: ConfigFile>(name: &str) -> Vec<String> {
    let mut places = Vec::new();
    visit_keys(&mut |path, found: KeyMatch<F>| {
        if found.key.name.eq_ignore_ascii_case(name) {
            let place = without_bindings(path);
            if !places.contains(&place) {
                places.push(place);
            }
        }
    });
    places
}

/// Replaces `listeners[edge].bind` by `listeners[].bind`.
fn without_bindings(path: &str) -> String {
    let mut parts = path.split('[');
    let first = parts.next().unwrap_or_default().to_owned();
    parts.fold(first, |place, part| {
        let rest = part.split_once(']').map_or("", |(_, rest)| rest);
        place + "[]" + rest
    })
}

/// The top level as the groups of a section.
pub(crate) fn root<F: ConfigFile>() -> &'static [KeyGroup<F>] {
    const { &[F::ROOT] }
}

fn walk_groups<F: ConfigFile>(
    prefix: &str,
    binding: Option<&'static str>,
    groups: &'static [KeyGroup<F>],
    visit: &mut dyn FnMut(&str, KeyMatch<F>),
) {
    for key in keys(groups) {
        let path = if prefix.is_empty() {
            key.name.to_owned()
        } else {
            format!("{prefix}.{}", key.name)
        };
        let found = KeyMatch { key, binding };
        visit(&path, found);
        for (binding, groups) in children(found, None) {
            let place = match (key.value_type, binding) {
                (ValueType::BindingList(_), Some(binding)) => format!("{path}[{binding}]"),
                (ValueType::MapList(_) | ValueType::BindingList(_), _) => format!("{path}[]"),
                (ValueType::NamedMaps(_), _) => format!("{path}.{ANY_NAME}"),
                _ => path.clone(),
            };
            walk_groups(&place, binding, groups, visit);
        }
    }
}

pub(crate) fn keys<F: ConfigFile>(
    groups: &'static [KeyGroup<F>],
) -> impl Iterator<Item = &'static Key<F>> {
    groups.iter().flat_map(|group| group.iter())
}

fn split_segment(step: &str) -> (&str, Option<&str>) {
    match step.split_once('[') {
        Some((name, rest)) => (name, Some(rest.trim_end_matches(']'))),
        None => (step, None),
    }
}

fn children<F: ConfigFile>(
    found: KeyMatch<F>,
    position: Option<&str>,
) -> Vec<(Option<&'static str>, &'static [KeyGroup<F>])> {
    match found.key.value_type {
        ValueType::Map(groups) | ValueType::NamedMaps(groups) | ValueType::MapList(groups) => {
            vec![(found.binding, groups)]
        },
        ValueType::BindingList(variants) => variants
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
