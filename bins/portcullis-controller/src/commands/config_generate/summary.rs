//! What `config generate` made, and the next commands.

use crate::commands::summary_rows::{command, row, shown};
use crate::home::NetworkFiles;
use crate::output::shell_quoted;
use std::path::Path;

/// Summary of a network.
pub(super) fn of_network(created: &NetworkFiles) -> String {
    let home = &created.home;
    let ca = [shown(&home.ca), "(for clients)".to_owned()];
    let mut rows = vec![
        row("Configuration", &[shown(&home.config)]),
        row("Certificates", &[shown(&created.pki)]),
        row("CA bundle", &ca),
    ];
    if let Some(store) = &created.store {
        rows.push(row("Store", &[shown(&store.store_path())]));
    }
    rows.push(row("CA SHA-256", &created.root.halves()));
    format!(
        "A network was created.\n\n{rows}\n\
         Back up keys and certificates now, and the store by `portcullis database\n\
         snapshot`. Keep root.key offline: it is only needed to replace the authority\n\
         that signs.\n\n{next}",
        rows = rows.concat(),
        next = next_commands(&home.config),
    )
}

/// Summary of a file for certificates that exist.
pub(super) fn of_file(config: &Path) -> String {
    format!(
        "A configuration was created: {}\n\n{}",
        shown(config),
        next_commands(config)
    )
}

fn next_commands(config: &Path) -> String {
    let config = config.display().to_string();
    let word = shell_quoted(&config);
    let check = command(&["portcullis-controller config check", &word]);
    let init = command(&["portcullis-controller init", &word, "-u admin"]);
    let run = command(&["portcullis-controller run", &word]);
    format!("Next:\n\n{check}\n{init}\n{run}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_can_be_pasted_as_they_stand() {
        let text = of_file(Path::new("/srv/my net/controller.yml"));
        let run = "  portcullis-controller run '/srv/my net/controller.yml'";
        assert!(text.lines().any(|line| line == run), "{text}");
    }
}
