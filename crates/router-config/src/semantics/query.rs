//! Queries on the tree.

use portcullis_yaml::{
    Diagnostic, Diagnostics, Field, KeyPath, Node, Section, Severity, SourceLocation,
};

use crate::binding::Binding;
use crate::place::report_path;

/// Finds a key by its path, which must not lead through lists.
pub(super) fn field_at<'tree>(root: &Section<'tree>, path: &[&str]) -> Option<Field<'tree>> {
    let (last, way) = path.split_last()?;
    let mut section = root.clone();
    for name in way {
        section = section.get(name)?.as_section()?;
    }
    section.get(last)
}

pub(super) fn section_at<'tree>(root: &Section<'tree>, path: &[&str]) -> Option<Section<'tree>> {
    field_at(root, path)?.as_section()
}

/// Returns the maps of a list.
pub(super) fn entries<'tree>(root: &Section<'tree>, path: &[&str]) -> Vec<Section<'tree>> {
    let items = field_at(root, path)
        .and_then(|field| field.items())
        .unwrap_or_default();
    items.iter().filter_map(Field::as_section).collect()
}

/// Returns the listeners with one of these bindings.
pub(super) fn listeners<'tree>(root: &Section<'tree>, bindings: &[Binding]) -> Vec<Section<'tree>> {
    let is_meant = |node: &Node| {
        let binding = node.as_map().and_then(|map| map.get("binding"));
        let name = binding.and_then(|entry| entry.value.as_str());
        let binding = name.and_then(Binding::from_name);
        binding.is_some_and(|binding| bindings.contains(&binding))
    };
    let Some(listeners) = field_at(root, &["listeners"]) else {
        return Vec::new();
    };
    let items = listeners.node().as_list().into_iter().flatten();
    let meant = items.enumerate().filter(|(_, node)| is_meant(node));
    meant
        .filter_map(|(index, _)| listeners.item(index)?.as_section())
        .collect()
}

/// Returns the string value of a key.
pub(super) fn string_at<'tree>(section: &Section<'tree>, name: &str) -> Option<&'tree str> {
    section.map().get(name)?.value.as_str()
}

/// Returns the first of several keys that has a string value.
pub(super) fn first_string<'tree>(
    section: &Section<'tree>,
    names: &[&str],
) -> Option<(Field<'tree>, &'tree str)> {
    names.iter().find_map(|name| {
        let field = section.get(name)?;
        let text = field.node().as_str()?;
        Some((field, text))
    })
}

/// A string, possibly from a list.
pub(super) struct StringItem<'tree> {
    /// Path under which it is reported.
    pub(super) path: KeyPath,
    pub(super) field: Field<'tree>,
    pub(super) text: &'tree str,
}

/// Returns the items of a string or a list of strings.
pub(super) fn string_items<'tree>(list: &Field<'tree>) -> Vec<StringItem<'tree>> {
    let items = list.items().unwrap_or_else(|| vec![list.clone()]);
    let text = |field: Field<'tree>| {
        let text = field.node().as_str()?;
        let path = report_path(list, &field);
        Some(StringItem { path, field, text })
    };
    items.into_iter().filter_map(text).collect()
}

pub(super) fn push_note<'list>(
    diagnostics: &'list mut Diagnostics,
    code: &'static str,
    path: KeyPath,
    place: SourceLocation,
    message: impl Into<String>,
) -> &'list mut Diagnostic {
    diagnostics.push(Diagnostic::new(Severity::Note, code, path, place, message))
}
