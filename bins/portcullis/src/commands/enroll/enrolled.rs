//! What an enrollment has brought.

use crate::shell;
use crate::table::Table;
use serde::Serialize;

/// The result for programs.
#[derive(Default, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Enrolled {
    /// The identity; unknown where it comes about only now.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) identity_id: Option<String>,
    /// Where the controller is.
    pub(super) url: String,
    /// The identity file that was written.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) file: Option<String>,
    /// The username that the chosen password belongs to.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) username: Option<String>,
    /// The file of the JWT that lets in from now on.
    #[serde(skip)]
    pub(super) ext_jwt: Option<String>,
}

impl Enrolled {
    /// Writes it for people.
    pub(super) fn table(&self) -> Table {
        let table = Table::of_properties()
            .property("enrolled at", &self.url)
            .property("identity", self.identity_id.as_deref().unwrap_or_default())
            .property("file", self.file.as_deref().unwrap_or_default())
            .property("username", self.username.as_deref().unwrap_or_default());
        match self.next_step() {
            Some(next) => table.footer(format!("next: {next}")),
            None => table,
        }
    }

    /// The command that shows that it worked.
    fn next_step(&self) -> Option<String> {
        let url = shell::word(&self.url);
        if let Some(file) = &self.file {
            let file = shell::word(file);
            return Some(format!("portcullis whoami --identity {file}"));
        }
        if let Some(file) = &self.ext_jwt {
            let file = shell::word(file);
            return Some(format!("portcullis login {url} --ext-jwt {file}"));
        }
        let username = shell::word(self.username.as_deref()?);
        Some(format!("portcullis login {url} --username {username}"))
    }
}
