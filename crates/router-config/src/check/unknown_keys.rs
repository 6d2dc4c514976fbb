//! Unknown keys and suggestions for them.

use portcullis_yaml::{Entry, KeyPath, Node, Section, nearest};

use crate::check::help::is_assignment;
use crate::check::walk::Walker;
use crate::codes;
use crate::table::{Key, KeyGroup, KeyState, visit_keys};

/// Maximum number of unknown keys that get a suggestion; a file with more is no router file.
const MAX_SUGGESTIONS: usize = 200;

/// Reports every key that is not in the groups.
pub(super) fn report(walker: &mut Walker<'_>, section: &Section<'_>, groups: &[KeyGroup]) {
    for Entry { key, value } in section.map() {
        let known = groups
            .iter()
            .flat_map(|group| group.iter())
            .any(|row| key.as_str() == Some(row.name));
        if !known {
            report_one(walker, section, groups, key, value);
        }
    }
}

fn report_one(
    walker: &mut Walker<'_>,
    section: &Section<'_>,
    groups: &[KeyGroup],
    key: &Node,
    value: &Node,
) {
    let name = key.text().unwrap_or_default();
    let path = section.path().key(name);
    walker.unknown_count += 1;
    let help = if walker.unknown_count <= MAX_SUGGESTIONS {
        let meant = nearest_key(groups, name);
        if !walker.allow_unknown
            && let Some(meant) = meant
        {
            walker.misspelled.extend(missing_segments(section, meant));
        }
        help(section, groups, key, value, meant)
    } else {
        None
    };
    let message = if section.path().is_root() {
        format!("unknown section `{name}`")
    } else {
        format!("unknown key `{name}` in `{}`", section.path())
    };
    let diagnostic = if walker.allow_unknown {
        walker
            .diagnostics
            .warning(codes::UNKNOWN_KEY, &path, key.location, message)
    } else {
        walker
            .diagnostics
            .error(codes::UNKNOWN_KEY, &path, key.location, message)
    };
    if let Some(help) = help {
        diagnostic.help(help);
    }
}

/// Finds the most similar key; for an alias, the key that it stands for.
fn nearest_key(groups: &[KeyGroup], name: &str) -> Option<&'static str> {
    let rows = || groups.iter().flat_map(|group| group.iter());
    let current = rows().filter(|key| is_current(key)).map(|key| key.name);
    nearest(name, current).or_else(|| {
        let spellings = rows().filter(|key| matches!(key.state, KeyState::Alias(_)));
        let similar = nearest(name, spellings.map(|key| key.name))?;
        rows().find_map(|key| match key.state {
            KeyState::Alias(meant) if key.name == similar => Some(meant),
            _ => None,
        })
    })
}

/// Lists the paths on the way to a key that do not exist.
fn missing_segments(section: &Section<'_>, key: &str) -> Vec<KeyPath> {
    let mut absent = Vec::new();
    let mut path = section.path().clone();
    let mut inner = Some(section.clone());
    for step in key.split('.') {
        path = path.key(step);
        let field = inner.and_then(|section| section.get(step));
        if field.is_none() {
            absent.push(path.clone());
        }
        inner = field.and_then(|field| field.as_section());
    }
    absent
}

fn help(
    section: &Section<'_>,
    groups: &[KeyGroup],
    key: &Node,
    value: &Node,
    meant: Option<&str>,
) -> Option<String> {
    let name = key.text().unwrap_or_default();
    let here = || {
        groups
            .iter()
            .flat_map(|group| group.iter())
            .filter(|key| is_current(key))
    };
    if key.as_str().is_none() && here().any(|key| key.name == name) {
        return Some(format!(
            "YAML reads `{name}` as {}; write it in quotes",
            key.node_type()
        ));
    }
    if value.is_null() && is_assignment(name) {
        return Some("write `: ` instead of `=`".to_owned());
    }
    if value.is_null() && name.contains(':') {
        return Some("a space is missing after the colon".to_owned());
    }
    if let Some(similar) = meant {
        return Some(format!("did you mean `{similar}`?"));
    }
    suggest_other_section(section, name).or_else(|| {
        let mut names: Vec<&str> = Vec::new();
        for key in here() {
            if !names.contains(&key.name) {
                names.push(key.name);
            }
        }
        (!names.is_empty() && names.len() <= 12)
            .then(|| format!("known keys: {}", names.join(", ")))
    })
}

fn is_current(key: &'static Key) -> bool {
    matches!(key.state, KeyState::Active | KeyState::Deprecated(_))
}

/// Suggests the closest section that has a key of exactly this name.
fn suggest_other_section(section: &Section<'_>, name: &str) -> Option<String> {
    let first = section
        .path()
        .segments()
        .first()
        .map(|segment| match segment {
            portcullis_yaml::Segment::Key(key) => key.clone(),
            portcullis_yaml::Segment::Index(index) => index.to_string(),
        });
    let mut best: Option<(usize, String)> = None;
    visit_keys(&mut |path, found| {
        if found.key.name != name || !is_current(found.key) {
            return;
        }
        let depth = path.matches('.').count();
        let far = first
            .as_deref()
            .is_some_and(|first| !path.starts_with(first));
        let cost = depth + if far { 10 } else { 0 };
        if best.as_ref().is_none_or(|(least, _)| cost < *least) {
            best = Some((cost, describe_place(section, path, found.binding)));
        }
    });
    best.map(|(_, place)| format!("it belongs to {place}"))
}

/// Describes the path of a key: with the list positions of this section where the paths agree, with
/// `[n]` elsewhere.
fn describe_place(section: &Section<'_>, path: &str, binding: Option<&str>) -> String {
    let here = section.path().dotted();
    let mut here = here.split('.');
    let of_this = |wanted: &str| {
        let own = section
            .get("binding")
            .and_then(|field| field.node().as_str());
        own == Some(wanted)
    };
    let mut same = binding.is_none_or(of_this);
    let steps: Vec<String> = path
        .split('.')
        .map(|step| {
            let own = here.next().unwrap_or_default();
            let name = |step: &str| step.split('[').next().unwrap_or_default().to_owned();
            same &= name(own) == name(step);
            match step.contains('[') {
                true if same => own.to_owned(),
                true => format!("{}[n]", name(step)),
                false => step.to_owned(),
            }
        })
        .collect();
    let place = steps.join(".");
    match binding.filter(|_| place.contains("[n]")) {
        Some(binding) => format!("`{place}` with `binding: {binding}`"),
        None => format!("`{place}`"),
    }
}
