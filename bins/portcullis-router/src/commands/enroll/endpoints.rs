//! The file in which a router keeps the addresses of its controllers.

use anyhow::bail;
use portcullis_files::SECRET_MODE;
use portcullis_pki::EnrollmentClaims;
use portcullis_router::control::{ControlAddress, configured, controller_addresses};
use portcullis_router_io::RouterFile;
use serde_json::Value;

/// Refuses a token that would be spent for a router that does not start, since neither it nor the configuration has an
/// address that can be dialed.
pub(super) fn check(file: &RouterFile, claims: &EnrollmentClaims) -> anyhow::Result<()> {
    if controller_addresses(&file.config.ctrl).is_empty() && of_token(claims).is_empty() {
        bail!(
            "neither the token nor {} says where the router reaches a controller; set `ctrl.endpoint`, such as \
             `tls:ctrl.example.com:6262`, and enroll it with the same token, which is not used yet",
            file.path.display(),
        );
    }
    Ok(())
}

/// Writes the addresses of the token, unless the configuration has some that can be dialed. Those of an earlier
/// enrollment go: they would win over both.
pub(super) fn write(file: &RouterFile, claims: &EnrollmentClaims) -> anyhow::Result<()> {
    let is_configured = !controller_addresses(&file.config.ctrl).is_empty();
    let addresses = claims.ctrls.as_deref().unwrap_or_default();
    if is_configured || addresses.is_empty() {
        portcullis_files::remove_if_exists(&file.endpoints_file())?;
        return Ok(());
    }
    // Strings of JSON are strings of YAML.
    let lines = addresses.iter();
    let lines = lines.map(|address| format!("  - {}\n", Value::from(address.as_str())));
    let text = format!("endpoints:\n{}", lines.collect::<String>());
    portcullis_files::replace(&file.endpoints_file(), text.as_bytes(), SECRET_MODE)?;
    Ok(())
}

/// The addresses of the token that can be dialed.
fn of_token(claims: &EnrollmentClaims) -> Vec<ControlAddress> {
    let addresses = claims.ctrls.iter().flatten();
    addresses.filter_map(|text| text.parse().ok()).collect()
}

/// Says so if the router is going to dial none of the addresses of the token. That may be as it should be,
/// behind a forwarded port for instance.
pub(super) fn warn_about_others(file: &RouterFile, claims: &EnrollmentClaims) {
    let addresses = claims.ctrls.as_deref().unwrap_or_default();
    if let Some((key, dialed)) = foreign(file, &of_token(claims)) {
        tracing::warn!(
            "`{key}` is {}, and the token's controller serves routers at {}; the router cannot connect \
             unless the controller is reached there as well",
            dialed.join(", "),
            addresses.join(", "),
        );
    }
}

/// What is configured, with its key, if none of the addresses there that can be dialed is one of these.
fn foreign<'file>(
    file: &'file RouterFile,
    addresses: &[ControlAddress],
) -> Option<(&'static str, &'file [String])> {
    let ctrl = &file.config.ctrl;
    let dialed = controller_addresses(ctrl);
    let is_foreign = !dialed.is_empty()
        && !addresses.is_empty()
        && !dialed.iter().any(|address| addresses.contains(address));
    configured(ctrl).filter(|_| is_foreign)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;
    use std::fs;
    use std::path::Path;
    use tempfile::TempDir;

    /// The file at this path, with this section, if it is accepted.
    fn judged(path: &Path, ctrl: &str, has_endpoints: fn(&Path) -> bool) -> Option<RouterFile> {
        let text = format!(
            "v: 3\nctrl: {{{ctrl}}}\nidentity: {{cert: c, server_cert: s, key: k, ca: a}}\n\
             csr: {{sans: {{dns: [localhost]}}}}\n"
        );
        RouterFile::judge(path, text.as_bytes(), has_endpoints).accepted
    }

    /// The file as it is enrolled.
    fn enrolled(path: &Path, ctrl: &str) -> RouterFile {
        judged(path, ctrl, |_endpoints| true).unwrap()
    }

    fn token(addresses: Option<&[&str]>) -> EnrollmentClaims {
        let claims = json!({
            "iss": "https://ctrl.example.test:1280",
            "sub": "r1",
            "jti": "secret",
            "em": "erott",
            "ctrls": addresses,
        });
        serde_json::from_value(claims).unwrap()
    }

    #[test]
    fn addresses_that_the_token_does_not_have_are_found() {
        let foreign_key = |ctrl: &str, addresses: &[&str]| {
            let file = enrolled(Path::new("r1.yml"), ctrl);
            let addresses = of_token(&token(Some(addresses)));
            foreign(&file, &addresses).map(|(key, _)| key)
        };
        let known = ["tls:ctrl.example.test:6262"];
        for [ctrl, key] in [
            ["endpoint: tls:ctrl.example.test:1280", "ctrl.endpoint"],
            ["endpoints: [tls:ctrl.example.test:1280]", "ctrl.endpoints"],
        ] {
            assert_eq!(foreign_key(ctrl, &known), Some(key));
            assert_eq!(foreign_key(ctrl, &[]), None, "old tokens have none");
        }
        for ctrl in [
            "endpoint: tls:ctrl.example.test:6262",
            "endpoints: [tls:other.example.test:6262, tls:ctrl.example.test:6262]",
            "endpoint: wss:ctrl.example.test:6262",
            "",
        ] {
            assert_eq!(foreign_key(ctrl, &known), None);
        }
    }

    #[test]
    fn addresses_of_the_token_are_kept_where_those_of_the_file_cannot_be_dialed() {
        let directory = TempDir::new().unwrap();
        let path = directory.path().join("r1.yml");
        let claims = token(Some(&["tls:ctrl.example.test:6262"]));
        for (ctrl, is_kept) in [
            ("", true),
            ("endpoints: []", true),
            ("endpoint: 'wss:localhost:443'", true),
            ("endpoint: 'tls:localhost:0'", true),
            ("endpoint: tls:localhost:6262", false),
            (
                "endpoints: ['wss:localhost:443', 'tls:localhost:6262']",
                false,
            ),
        ] {
            let file = enrolled(&path, ctrl);
            check(&file, &claims).unwrap();
            write(&file, &claims).unwrap();
            let written = fs::read_to_string(file.endpoints_file()).ok();
            let expected = "endpoints:\n  - \"tls:ctrl.example.test:6262\"\n";
            assert_eq!(written.as_deref(), is_kept.then_some(expected), "{ctrl}");
            let started = judged(&path, ctrl, Path::exists);
            assert!(started.is_some(), "{ctrl}");
        }
    }

    #[test]
    fn token_is_not_spent_where_no_controller_can_be_dialed() {
        let (none, others): (&[&str], &[&str]) = (&[], &["wss:localhost:443"]);
        for ctrl in ["", "endpoint: 'wss:localhost:443'"] {
            let file = enrolled(Path::new("r1.yml"), ctrl);
            for addresses in [None, Some(none), Some(others)] {
                let refused = check(&file, &token(addresses)).unwrap_err().to_string();
                assert!(refused.contains("`ctrl.endpoint`"), "{refused}");
            }
        }
        let file = enrolled(Path::new("r1.yml"), "endpoint: tls:localhost:6262");
        check(&file, &token(None)).unwrap();
    }
}
