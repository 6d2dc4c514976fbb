//! Summary that is printed once the network is served.

use super::administrator::{AdministratorSummary, PasswordSource, StoredPassword};
use crate::audit::AuditDestination;
use crate::commands::summary_rows::{command, row, shown};
use crate::home::Home;
use crate::output::{one_line, print_line, shell_quoted};
use portcullis_pki::Sha256Fingerprint;
use secrecy::ExposeSecret as _;

/// What is said about a network.
pub(super) struct Summary<'a> {
    /// URL of the APIs.
    pub(super) address: &'a str,
    /// Address for routers.
    pub(super) routers: &'a str,
    /// Where clients reach the router that runs beside the controller, if there is one.
    pub(super) router: Option<&'a str>,
    /// URL of the web console, if one is served.
    pub(super) console: Option<String>,
    /// Whether only this machine can reach it.
    pub(super) is_local: bool,
    pub(super) home: &'a Home,
    /// Fingerprints of the root CAs.
    pub(super) ca: &'a [Sha256Fingerprint],
    pub(super) administrator: &'a AdministratorSummary,
    pub(super) audit: &'a AuditDestination,
}

/// Prints the addresses and files of the network, and the next commands.
pub(super) fn print(summary: &Summary<'_>) {
    print_line(text(summary));
}

fn text(summary: &Summary<'_>) -> String {
    let Summary { address, home, .. } = summary;
    let name = &summary.administrator.name;
    let ca = home.ca.display().to_string();
    let mut rows = vec![row("Address", &[address])];
    rows.extend(summary.console.iter().map(|url| row("Console", &[url])));
    rows.push(row("Routers", &[&one_line(summary.routers)]));
    rows.extend(summary.router.map(|at| row("Router", &[&one_line(at)])));
    rows.push(row("CA bundle", &[&one_line(&ca)]));
    rows.extend(summary.ca.iter().map(|ca| row("CA SHA-256", &ca.halves())));
    rows.push(row("Administrator", &[&one_line(name)]));
    rows.push(row("Password", &password(summary)));
    if let AuditDestination::File(file) = summary.audit {
        rows.push(row("Audit trail", &[&shown(file)]));
    }
    let login = command(&[
        "portcullis login",
        &shell_quoted(address),
        &format!("--username {}", shell_quoted(name)),
        &format!("--ca {}", shell_quoted(&ca)),
    ]);
    let elsewhere = if summary.is_local {
        String::new()
    } else {
        login_elsewhere(summary)
    };
    format!(
        "\
Portcullis is ready.

{rows}
Next, in another terminal:

{login}
  portcullis identity create laptop --type device --output-jwt laptop.jwt
  portcullis enroll laptop.jwt
{elsewhere}",
        rows = rows.concat(),
    )
}

/// The first login from a machine that does not have the CA bundle.
fn login_elsewhere(summary: &Summary<'_>) -> String {
    let Some(ca) = summary.ca.first() else {
        return String::new();
    };
    let login = command(&[
        "portcullis login",
        &shell_quoted(summary.address),
        &format!("--username {}", shell_quoted(&summary.administrator.name)),
        "--fingerprint",
        &ca.to_string().replace(':', ""),
    ]);
    format!("\nOr, on another machine:\n\n{login}\n")
}

fn password(summary: &Summary<'_>) -> Vec<String> {
    let file = shown(&summary.home.password);
    match &summary.administrator.password {
        PasswordSource::FromCommandLine => vec!["as given".to_owned()],
        PasswordSource::Generated(password) => vec![
            password.expose_secret().to_owned(),
            format!("(also in {file})"),
        ],
        PasswordSource::FromEarlierStart(StoredPassword::None) => vec!["as before".to_owned()],
        PasswordSource::FromEarlierStart(StoredPassword::Current) => {
            vec!["as before".to_owned(), format!("(in {file})")]
        },
        PasswordSource::FromEarlierStart(StoredPassword::Outdated) => vec![
            "as before".to_owned(),
            format!("(not the one in {file}, which is out of date)"),
        ],
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::commands::summary_rows::WIDTH;
    use std::path::Path;

    fn text_of(home: &str, name: &str, password: PasswordSource) -> String {
        text_at("https://localhost:1280", home, name, password)
    }

    fn text_at(address: &str, home: &str, name: &str, password: PasswordSource) -> String {
        let ca = [Sha256Fingerprint::of_der(b"abc")];
        text(&Summary {
            address,
            routers: "tls:localhost:1280",
            router: Some("localhost:3022"),
            console: Some(format!("{address}/zac/")),
            is_local: address.contains("localhost"),
            home: &Home::at(Path::new(home)),
            ca: &ca,
            administrator: &AdministratorSummary {
                name: name.to_owned(),
                password,
            },
            audit: &AuditDestination::Stream,
        })
    }

    #[test]
    fn commands_can_be_pasted_as_they_stand() {
        let text = text_of("/tmp/my home", "o'neil", PasswordSource::FromCommandLine);
        let login = "  portcullis login https://localhost:1280 --username 'o'\\''neil' \\\n    \
                     --ca '/tmp/my home/ca.pem'\n";
        assert!(text.contains(login), "{text}");
        let text = text_of("/srv/net", "admin", PasswordSource::FromCommandLine);
        let login =
            "  portcullis login https://localhost:1280 --username admin --ca /srv/net/ca.pem\n";
        assert!(text.contains(login), "{text}");
    }

    #[test]
    fn other_machines_know_the_ca_by_its_fingerprint() {
        let password = PasswordSource::FromCommandLine;
        let text = text_at(
            "https://ctrl.example.test:1280",
            "/srv/net",
            "admin",
            password,
        );
        let login = "\nOr, on another machine:\n\n  portcullis login \
                     https://ctrl.example.test:1280 --username admin --fingerprint \\\n    \
                     BA7816BF8F01CFEA414140DE5DAE2223B00361A396177A9CB410FF61F20015AD\n";
        assert!(text.ends_with(login), "{text}");
        let text = text_of("/srv/net", "admin", PasswordSource::FromCommandLine);
        assert!(!text.contains("another machine"), "{text}");
    }

    #[test]
    fn lines_fit_a_small_terminal() {
        let password = PasswordSource::Generated("s3cret-of-24-characters.".into());
        let text = text_of("/home/somebody/networks/trial", "admin", password);
        for line in text.lines() {
            assert!(line.chars().count() <= WIDTH, "{line}");
        }
        let fingerprint = "  CA SHA-256     BA:78:16:BF:8F:01:CF:EA:41:41:40:DE:5D:AE:22:23:\n\
                           \u{20}                B0:03:61:A3:96:17:7A:9C:B4:10:FF:61:F2:00:15:AD\n";
        assert!(text.contains(fingerprint), "{text}");
    }

    #[test]
    fn generated_password_is_shown_with_its_file() {
        let text = text_of(
            "/srv/net",
            "admin",
            PasswordSource::Generated("s3cret".into()),
        );
        assert!(
            text.contains("Password       s3cret (also in /srv/net/admin-password)"),
            "{text}"
        );
    }
}
