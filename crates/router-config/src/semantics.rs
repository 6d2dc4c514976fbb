//! Checks across keys and sections.

mod addresses;
mod bounds;
mod groups;
mod listeners;
mod ports;
mod query;
mod sections;

use portcullis_yaml::{Diagnostics, Section};

/// Runs all checks that involve more than one key.
pub(crate) fn check(root: &Section<'_>, diagnostics: &mut Diagnostics) {
    sections::check(root, diagnostics);
    listeners::check(root, diagnostics);
    bounds::check(root, diagnostics);
    addresses::check(root, diagnostics);
    ports::check(root, diagnostics);
    groups::check(root, diagnostics);
}
