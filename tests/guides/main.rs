//! The guides for newcomers: their commands show what the guides say.

mod answers;
mod document;
mod placeholders;
mod shell;
mod transcript;

use support::{Tool, tools};

#[test]
fn readme_works_literally() {
    if tools::are_available(&[Tool::Script]) {
        transcript::check("README.md");
    }
}

#[test]
fn getting_started_works_literally() {
    if tools::are_available(&[Tool::Script, Tool::Python]) {
        transcript::check("docs/getting-started.md");
    }
}
