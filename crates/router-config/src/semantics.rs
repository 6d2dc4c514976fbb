//! Holding the sections against each other.

mod addresses;
mod bounds;
mod groups;
mod listeners;
mod ports;
mod sections;
mod tree;

use portcullis_yaml::{Diagnostics, Section};

/// Looks at everything that one key alone does not show.
pub(crate) fn check(root: &Section<'_>, diagnostics: &mut Diagnostics) {
    sections::check(root, diagnostics);
    listeners::check(root, diagnostics);
    bounds::check(root, diagnostics);
    addresses::check(root, diagnostics);
    ports::check(root, diagnostics);
    groups::check(root, diagnostics);
}
