//! Controller addresses as typed by users.

pub(crate) use portcullis_enrollment::{display_url as display, origin};

use crate::error::CliError;
use url::{ParseError, Url};

/// Conventional port of controllers.
const DEFAULT_PORT: u16 = 1280;

const ADDRESS_FORM: &str = "use the form https://localhost:1280";

/// Parses `https://host:port`, or `host:port` alone. A path is cut off.
pub(crate) fn parse(text: &str) -> Result<Url, CliError> {
    let invalid =
        || CliError::usage(format!("`{text}` is not a controller address")).hint(ADDRESS_FORM);
    let full = if text.contains("://") {
        text.to_owned()
    } else {
        format!("https://{text}")
    };
    let url = Url::parse(&full).map_err(|error| invalid().with_source(describe_error(error)))?;
    if url.scheme() == "http" {
        let port = url.port().unwrap_or(DEFAULT_PORT);
        let secure = url
            .host_str()
            .map(|host| format!("use https://{host}:{port}"));
        return Err(CliError::usage(format!(
            "`{text}` is not a controller address: controllers speak https only"
        ))
        .hint(secure.unwrap_or_else(|| ADDRESS_FORM.to_owned())));
    }
    if url.scheme() != "https" {
        return Err(invalid().with_source(anyhow::anyhow!("controllers speak https only")));
    }
    if !url.username().is_empty() || url.password().is_some() {
        return Err(CliError::usage(
            "the controller address must not contain a username or password",
        )
        .hint("use `--username`; you will be prompted for the password"));
    }
    origin(&url).ok_or_else(invalid)
}

fn describe_error(error: ParseError) -> anyhow::Error {
    anyhow::anyhow!(match error {
        ParseError::InvalidPort => "the port must be a number from 1 to 65535",
        ParseError::EmptyHost => "the host is missing",
        ParseError::InvalidIpv4Address | ParseError::InvalidIpv6Address => {
            "the IP address is not valid; IPv6 addresses need brackets"
        },
        _ => "the host name is not valid",
    })
}

/// A hint on the conventional port if the URL has none.
pub(crate) fn port_hint(url: &Url) -> Option<String> {
    let host = url.host_str()?;
    let is_left_out = url.port().is_none();
    is_left_out.then(|| {
        format!(
            "the address has no port; controllers usually listen on https://{host}:{DEFAULT_PORT}"
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_read_as_typed() {
        for (text, read) in [
            ("https://localhost:1280", "https://localhost:1280"),
            ("localhost:1280", "https://localhost:1280"),
            ("https://ctrl.example.test", "https://ctrl.example.test"),
            ("https://[::1]:1280/edge/client/v1", "https://[::1]:1280"),
            ("https://127.0.0.1:1280/?a=b#c", "https://127.0.0.1:1280"),
        ] {
            assert_eq!(display(&parse(text).unwrap()), read, "{text}");
        }
    }

    #[test]
    fn other_things_are_refused() {
        for text in [
            "",
            "http://localhost:1280",
            "ftp://x",
            "https://",
            "https://a b",
            "a:b:c",
        ] {
            assert!(parse(text).is_err(), "{text}");
        }
        for (typed, advised) in [
            ("http://localhost:25000", "https://localhost:25000"),
            ("http://ctrl.example.test", "https://ctrl.example.test:1280"),
            ("http://[::1]:25000/x", "https://[::1]:25000"),
        ] {
            let error = parse(typed).unwrap_err();
            assert_eq!(error.hints(), [format!("use {advised}")]);
        }
        let error = parse("https://admin:secret@localhost").unwrap_err();
        assert!(!format!("{error:?}").contains("secret"));
    }

    #[test]
    fn missing_port_is_worth_a_hint() {
        let hint = |text: &str| port_hint(&parse(text).unwrap());
        assert_eq!(
            hint("https://ctrl.example.test").unwrap(),
            "the address has no port; controllers usually listen on https://ctrl.example.test:1280"
        );
        assert_eq!(hint("https://ctrl.example.test:1280"), None);
    }
}
