//! The file in which a router keeps the addresses of its controllers.

use portcullis_files::SECRET_MODE;
use portcullis_pki::EnrollmentClaims;
use portcullis_router::control::ControlAddress;
use portcullis_router_io::RouterFile;
use serde_json::Value;

/// Writes the addresses of the token, unless the configuration names some. Those of an earlier enrollment go:
/// they would win over both.
pub(super) fn write(file: &RouterFile, claims: &EnrollmentClaims) -> anyhow::Result<()> {
    let ctrl = &file.config.ctrl;
    let listed = ctrl.endpoints.as_ref();
    let is_configured =
        ctrl.endpoint.is_some() || listed.is_some_and(|listed| !listed.value.is_empty());
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

/// Says so if the router is going to dial none of the addresses of the token. That may be as it should be,
/// behind a forwarded port for instance.
pub(super) fn warn_about_others(file: &RouterFile, claims: &EnrollmentClaims) {
    let addresses = claims.ctrls.as_deref().unwrap_or_default();
    if let Some((key, configured)) = foreign(file, addresses) {
        tracing::warn!(
            "`{key}` is {}, and the token's controller serves routers at {}; the router cannot connect \
             unless the controller is reached there as well",
            configured.join(", "),
            addresses.join(", "),
        );
    }
}

/// The configured addresses with their key, if none of them is one of these.
fn foreign<'file>(
    file: &'file RouterFile,
    addresses: &[String],
) -> Option<(&'static str, &'file [String])> {
    let ctrl = &file.config.ctrl;
    let (key, configured) = match (&ctrl.endpoint, &ctrl.endpoints) {
        (Some(one), _) => ("ctrl.endpoint", std::slice::from_ref(&one.value)),
        (None, Some(many)) if !many.value.is_empty() => ("ctrl.endpoints", many.value.as_slice()),
        (None, _) => return None,
    };
    let parse = |text: &String| text.parse::<ControlAddress>().ok();
    let known: Vec<_> = addresses.iter().filter_map(parse).collect();
    let is_known = |text| parse(text).is_some_and(|address| known.contains(&address));
    (!known.is_empty() && !configured.iter().any(is_known)).then_some((key, configured))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::Path;

    #[test]
    fn addresses_that_the_token_does_not_have_are_found() {
        let foreign_key = |ctrl: &str, addresses: &[&str]| {
            let text = format!(
                "v: 3\nctrl: {{{ctrl}}}\nidentity: {{cert: c, server_cert: s, key: k, ca: a}}\n\
                 csr: {{sans: {{dns: [localhost]}}}}\n"
            );
            let judged = RouterFile::judge(Path::new("r1.yml"), text.as_bytes(), |_path| true);
            let file = judged.accepted.unwrap();
            let addresses: Vec<_> = addresses.iter().map(|&one| one.to_owned()).collect();
            foreign(&file, &addresses).map(|(key, _)| key)
        };
        let token = ["tls:ctrl.example.test:6262"];
        for [ctrl, key] in [
            ["endpoint: tls:ctrl.example.test:1280", "ctrl.endpoint"],
            ["endpoints: [tls:ctrl.example.test:1280]", "ctrl.endpoints"],
        ] {
            assert_eq!(foreign_key(ctrl, &token), Some(key));
            assert_eq!(foreign_key(ctrl, &[]), None, "old tokens have none");
        }
        for ctrl in [
            "endpoint: tls:ctrl.example.test:6262",
            "endpoints: [tls:other.example.test:6262, tls:ctrl.example.test:6262]",
            "",
        ] {
            assert_eq!(foreign_key(ctrl, &token), None);
        }
    }
}
