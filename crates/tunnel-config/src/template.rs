//! Texts with placeholders.

use std::collections::BTreeMap;
use std::net::SocketAddr;

/// A text with placeholders, such as `$src_ip:$src_port`.
///
/// | Placeholder | Stands for |
/// |---|---|
/// | `$src_ip`, `$src_port` | the program that connected |
/// | `$dst_ip`, `$dst_port` | where it connected to |
/// | `$dst_hostname` | the name that it connected to; nothing if it used an address |
/// | `$tunneler_id.name` | the identity of the tunneler |
/// | `$tunneler_id.appData[x]` | what `x` is in the identity's app data |
///
/// `$tunneler_id.tag[x]` means the same as `appData[x]`: schemas promise the one, OpenZiti does the other.
/// Other texts with `$` stand for themselves.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Template(Vec<Piece>);

#[derive(Debug, Clone, PartialEq, Eq)]
enum Piece {
    Text(String),
    SourceIp,
    SourcePort,
    DestinationIp,
    DestinationPort,
    DestinationName,
    TunnelerName,
    TunnelerData(String),
}

/// A template that cannot be filled in.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum TemplateError {
    #[error("`{0}` is not followed by a name in brackets")]
    Unclosed(&'static str),
    #[error("the identity has no app data named `{0}`")]
    NoData(String),
    #[error("the template names the connection, but there is none")]
    NoConnection,
}

/// The identity that a tunneler is.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct TunnelerIdentity {
    pub name: String,
    pub app_data: BTreeMap<String, String>,
}

/// What placeholders stand for.
#[derive(Debug, Clone, Copy)]
pub struct TemplateContext<'c> {
    pub tunneler: &'c TunnelerIdentity,
    /// Absent where a server is offered, before anybody connects.
    pub connection: Option<(SocketAddr, SocketAddr)>,
    pub destination_name: Option<&'c str>,
}

const PLACEHOLDERS: [(&str, Piece); 6] = [
    ("$src_ip", Piece::SourceIp),
    ("$src_port", Piece::SourcePort),
    ("$dst_ip", Piece::DestinationIp),
    ("$dst_port", Piece::DestinationPort),
    ("$dst_hostname", Piece::DestinationName),
    ("$tunneler_id.name", Piece::TunnelerName),
];
const DATA: [&str; 2] = ["$tunneler_id.appData[", "$tunneler_id.tag["];

impl Template {
    /// # Errors
    ///
    /// If a bracket is not closed.
    pub fn new(text: &str) -> Result<Self, TemplateError> {
        let mut pieces = Vec::new();
        let mut plain = String::new();
        let mut rest = text;
        while let Some(next) = rest.chars().next() {
            let Some((piece, behind)) = placeholder(rest)? else {
                plain.push(next);
                rest = rest.get(next.len_utf8()..).unwrap_or_default();
                continue;
            };
            if !plain.is_empty() {
                pieces.push(Piece::Text(std::mem::take(&mut plain)));
            }
            pieces.push(piece);
            rest = behind;
        }
        if !plain.is_empty() {
            pieces.push(Piece::Text(plain));
        }
        Ok(Self(pieces))
    }

    /// # Errors
    ///
    /// If the identity has no such app data, or if there is no connection to speak of.
    pub fn fill(&self, context: TemplateContext<'_>) -> Result<String, TemplateError> {
        let mut filled = String::new();
        let connection = context.connection.ok_or(TemplateError::NoConnection);
        for (index, piece) in self.0.iter().enumerate() {
            let next = self.0.get(index + 1);
            match piece {
                Piece::Text(text) => filled.push_str(text),
                Piece::SourceIp => filled.push_str(&ip(connection.clone()?.0, next)),
                Piece::SourcePort => filled.push_str(&connection.clone()?.0.port().to_string()),
                Piece::DestinationIp => filled.push_str(&ip(connection.clone()?.1, next)),
                Piece::DestinationPort => {
                    filled.push_str(&connection.clone()?.1.port().to_string());
                },
                Piece::DestinationName => {
                    filled.push_str(context.destination_name.unwrap_or_default());
                },
                Piece::TunnelerName => filled.push_str(&context.tunneler.name),
                Piece::TunnelerData(name) => {
                    let data = context.tunneler.app_data.get(name);
                    filled.push_str(data.ok_or_else(|| TemplateError::NoData(name.clone()))?);
                },
            }
        }
        Ok(filled)
    }
}

/// The placeholder that a text starts with, and what comes after it.
fn placeholder(text: &str) -> Result<Option<(Piece, &str)>, TemplateError> {
    for (name, piece) in PLACEHOLDERS {
        if let Some(behind) = text.strip_prefix(name) {
            return Ok(Some((piece, behind)));
        }
    }
    for opening in DATA {
        if let Some(behind) = text.strip_prefix(opening) {
            let (name, behind) = behind
                .split_once(']')
                .ok_or(TemplateError::Unclosed(opening))?;
            return Ok(Some((Piece::TunnelerData(name.to_owned()), behind)));
        }
    }
    Ok(None)
}

/// The IP address; one of IPv6 is in brackets if a port follows.
fn ip(address: SocketAddr, next: Option<&Piece>) -> String {
    let ip = address.ip().to_canonical();
    let is_before_port = matches!(next, Some(Piece::Text(text)) if text.starts_with(':'));
    if ip.is_ipv6() && is_before_port {
        format!("[{ip}]")
    } else {
        ip.to_string()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn filled(text: &str) -> Result<String, TemplateError> {
        let tunneler = TunnelerIdentity {
            name: "gateway".to_owned(),
            app_data: [("ip".to_owned(), "10.1.1.1".to_owned())].into(),
        };
        let source = "192.0.2.7:5000".parse().expect("an address");
        let destination = "100.64.0.2:443".parse().expect("an address");
        Template::new(text)?.fill(TemplateContext {
            tunneler: &tunneler,
            connection: Some((source, destination)),
            destination_name: Some("wiki.example.com"),
        })
    }

    #[test]
    fn placeholders_are_filled_in() {
        for (text, expected) in [
            ("$src_ip:$src_port", "192.0.2.7:5000"),
            ("$dst_ip:$dst_port", "100.64.0.2:443"),
            ("$dst_hostname", "wiki.example.com"),
            ("$tunneler_id.name-x", "gateway-x"),
            ("$tunneler_id.appData[ip]:$dst_port", "10.1.1.1:443"),
            ("$tunneler_id.tag[ip]", "10.1.1.1"),
            ("é $other $", "é $other $"),
            ("", ""),
        ] {
            assert_eq!(filled(text).as_deref(), Ok(expected), "{text}");
        }
    }

    #[test]
    fn addresses_before_ports_can_be_read_again() {
        let tunneler = TunnelerIdentity::default();
        let source = "[2001:db8::1]:5000".parse().expect("an address");
        let filled = |text| {
            let template = Template::new(text).expect("a template");
            template.fill(TemplateContext {
                tunneler: &tunneler,
                connection: Some((source, source)),
                destination_name: None,
            })
        };
        assert_eq!(filled("$src_ip").as_deref(), Ok("2001:db8::1"));
        assert_eq!(
            filled("$src_ip:$src_port").as_deref(),
            Ok("[2001:db8::1]:5000")
        );
    }

    #[test]
    fn what_is_missing_is_named() {
        let error = |text| filled(text).expect_err("incomplete").to_string();
        assert_eq!(
            error("$tunneler_id.appData[ip"),
            "`$tunneler_id.appData[` is not followed by a name in brackets"
        );
        assert_eq!(
            error("$tunneler_id.tag[x]"),
            "the identity has no app data named `x`"
        );
        let tunneler = TunnelerIdentity::default();
        let template = Template::new("$src_ip").expect("a template");
        let filled = template.fill(TemplateContext {
            tunneler: &tunneler,
            connection: None,
            destination_name: None,
        });
        assert_eq!(filled, Err(TemplateError::NoConnection));
    }
}
