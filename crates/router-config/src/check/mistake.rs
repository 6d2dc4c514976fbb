//! What is wrong with a text.

/// Why a text does not have its form, and what would.
pub(super) struct Mistake {
    pub(super) what: String,
    pub(super) help: Option<String>,
}

impl Mistake {
    pub(super) fn new(what: impl Into<String>, help: impl Into<String>) -> Self {
        Self {
            what: what.into(),
            help: Some(help.into()),
        }
    }
}
