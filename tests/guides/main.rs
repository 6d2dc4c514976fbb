//! The guides for newcomers: their commands show what the guides say.

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
