//! Check of the directories of web applications.

use portcullis_controller_config::WebAppReference;
use portcullis_yaml::{Diagnostic, Severity};
use std::path::Path;

/// A web application has no index file.
const MISSING_INDEX: &str = "missing-index";

/// Finds directories without an index. All of this is a warning, for a console may be put there while
/// the controller runs.
pub(super) fn check(apps: &[WebAppReference]) -> impl Iterator<Item = Diagnostic> {
    apps.iter().filter_map(|app| {
        let location = Path::new(&app.location);
        if location.join(&app.index_file).is_file() {
            return None;
        }
        let (location, index) = (location.display(), &app.index_file);
        let mut missing = Diagnostic::new(
            Severity::Warning,
            MISSING_INDEX,
            app.path.clone(),
            app.place,
            format!("there is no file `{index}` in `{location}`, so the web application answers 404"),
        );
        missing.help(
            "name the directory with the built files of the application; a relative path starts at the \
             working directory",
        );
        Some(missing)
    })
}
