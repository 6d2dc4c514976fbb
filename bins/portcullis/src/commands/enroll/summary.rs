//! Result of an enrollment.

use crate::shell;
use crate::table::Table;
use serde::Serialize;

/// Machine-readable result.
#[derive(Default, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct EnrollmentSummary {
    /// The identity id; unknown if the identity was just created.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) identity_id: Option<String>,
    pub(super) url: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) file: Option<String>,
    /// Username for the chosen password.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) username: Option<String>,
    /// File of the JWT to log in with.
    #[serde(skip)]
    pub(super) ext_jwt: Option<String>,
    /// Profile that was created to trust the controller.
    #[serde(skip)]
    pub(super) new_profile: Option<String>,
}

impl EnrollmentSummary {
    /// Renders the result as a table.
    pub(super) fn table(&self) -> Table {
        let profile = self.new_profile.as_ref();
        let profile = profile.map(|name| format!("{name}, which trusts this controller"));
        Table::with_properties()
            .property("enrolled at", &self.url)
            .property("identity", self.identity_id.as_deref().unwrap_or_default())
            .property("file", self.file.as_deref().unwrap_or_default())
            .property("username", self.username.as_deref().unwrap_or_default())
            .property("profile", profile.unwrap_or_default())
            .next(self.next_step())
    }

    /// Suggested next command.
    fn next_step(&self) -> Option<String> {
        let url = shell::quote(&self.url);
        if let Some(file) = &self.file {
            let file = shell::quote(file);
            return Some(format!("portcullis whoami --identity {file}"));
        }
        if let Some(file) = &self.ext_jwt {
            let file = shell::quote(file);
            return Some(format!("portcullis login {url} --ext-jwt {file}"));
        }
        let username = shell::quote(self.username.as_deref()?);
        Some(format!("portcullis login {url} --username {username}"))
    }
}
