//! Groups of links.

use std::collections::BTreeSet;

use portcullis_yaml::{Diagnostics, Section};

use crate::codes;
use crate::semantics::query::{entries, push_note, string_items};

/// Notes dialers that share no group with the listeners of the same file.
///
/// This can be intended, since a router dials others and not itself. If all files of a network are
/// written alike, it is a misspelling.
pub(super) fn check(root: &Section<'_>, diagnostics: &mut Diagnostics) {
    let listeners = entries(root, &["link", "listeners"]);
    if listeners.is_empty() {
        return;
    }
    let offered: BTreeSet<&str> = listeners.iter().flat_map(groups).collect();
    for dialer in entries(root, &["link", "dialers"]) {
        let wanted: BTreeSet<&str> = groups(&dialer).into_iter().collect();
        if wanted.is_disjoint(&offered) {
            let list =
                |names: &BTreeSet<&str>| names.iter().copied().collect::<Vec<_>>().join(", ");
            let message = format!(
                "no listener in this file has a group of this dialer ({}); they have {}",
                list(&wanted),
                list(&offered)
            );
            let place = dialer
                .get("groups")
                .map_or(dialer.location(), |field| field.key_location());
            push_note(
                diagnostics,
                codes::UNREACHABLE,
                dialer.path().key("groups"),
                place,
                message,
            )
            .help("a dialer dials only listeners that share a group with it");
        }
    }
}

fn groups<'tree>(section: &Section<'tree>) -> Vec<&'tree str> {
    let field = section.get("groups");
    let names: Vec<&str> = field
        .iter()
        .flat_map(string_items)
        .map(|name| name.text)
        .collect();
    if names.is_empty() {
        vec!["default"]
    } else {
        names
    }
}
