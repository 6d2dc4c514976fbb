//! Ways through the tree.

use portcullis_yaml::{Diagnostic, Diagnostics, Field, KeyPath, Node, Place, Section, Severity};

use crate::check::path_in_list;

/// Finds a key by the way to it; lists cannot be on the way.
pub(super) fn at<'tree>(root: &Section<'tree>, path: &[&str]) -> Option<Field<'tree>> {
    let (last, way) = path.split_last()?;
    let mut section = root.clone();
    for name in way {
        section = section.get(name)?.as_section()?;
    }
    section.get(last)
}

/// Finds a section.
pub(super) fn section<'tree>(root: &Section<'tree>, path: &[&str]) -> Option<Section<'tree>> {
    at(root, path)?.as_section()
}

/// Gives the maps of a list.
pub(super) fn entries<'tree>(root: &Section<'tree>, path: &[&str]) -> Vec<Section<'tree>> {
    let items = at(root, path)
        .and_then(|field| field.items())
        .unwrap_or_default();
    items.iter().filter_map(Field::as_section).collect()
}

/// Gives the listeners with one of these bindings.
pub(super) fn listeners<'tree>(root: &Section<'tree>, bindings: &[&str]) -> Vec<Section<'tree>> {
    let is_meant = |node: &Node| {
        let binding = node.as_map().and_then(|map| map.get("binding"));
        let name = binding.and_then(|entry| entry.value.as_str());
        name.is_some_and(|name| bindings.contains(&name))
    };
    let Some(listeners) = at(root, &["listeners"]) else {
        return Vec::new();
    };
    let items = listeners.node().as_list().into_iter().flatten();
    let meant = items.enumerate().filter(|(_, node)| is_meant(node));
    meant
        .filter_map(|(index, _)| listeners.item(index)?.as_section())
        .collect()
}

/// Gives the text of a key.
pub(super) fn text<'tree>(section: &Section<'tree>, name: &str) -> Option<&'tree str> {
    section.map().get(name)?.value.as_str()
}

/// Gives the first of several keys that is there with a text.
pub(super) fn first_text<'tree>(
    section: &Section<'tree>,
    names: &[&str],
) -> Option<(Field<'tree>, &'tree str)> {
    names.iter().find_map(|name| {
        let field = section.get(name)?;
        let text = field.node().as_str()?;
        Some((field, text))
    })
}

/// One text of several.
pub(super) struct Item<'tree> {
    /// The way under which it is shown.
    pub(super) path: KeyPath,
    pub(super) field: Field<'tree>,
    pub(super) text: &'tree str,
}

/// Gives the texts of a string or a list of strings.
pub(super) fn texts<'tree>(list: &Field<'tree>) -> Vec<Item<'tree>> {
    let items = list.items().unwrap_or_else(|| vec![list.clone()]);
    let text = |field: Field<'tree>| {
        let text = field.node().as_str()?;
        let path = path_in_list(list, &field);
        Some(Item { path, field, text })
    };
    items.into_iter().filter_map(text).collect()
}

/// Adds a note.
pub(super) fn note<'list>(
    diagnostics: &'list mut Diagnostics,
    code: &'static str,
    path: KeyPath,
    place: Place,
    message: impl Into<String>,
) -> &'list mut Diagnostic {
    diagnostics.push(Diagnostic::new(Severity::Note, code, path, place, message))
}
