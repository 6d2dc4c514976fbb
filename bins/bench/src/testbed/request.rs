//! Requests, written once and sent many times.

use serde_json::Value;
use std::fmt::Write as _;

/// Where the client API lies.
pub(crate) const CLIENT: &str = "/edge/client/v1";
/// Where the management API lies.
pub(crate) const MANAGEMENT: &str = "/edge/management/v1";
/// Where the fabric API lies.
pub(crate) const FABRIC: &str = "/fabric/v1";

/// The host that requests name; most of the controller does not care.
const HOST: &str = "localhost";

const JSON: &str = "application/json";
const FORM: &str = "application/x-www-form-urlencoded";

/// Writes a GET.
pub(crate) fn get(path: &str, session: Option<&str>) -> Vec<u8> {
    write("GET", path, HOST, session.map(session_header), None)
}

/// Writes a POST with a JSON body.
pub(crate) fn post(path: &str, session: Option<&str>, body: &str) -> Vec<u8> {
    let header = session.map(session_header);
    write("POST", path, HOST, header, Some((JSON, body)))
}

/// Writes a PATCH with a JSON body.
pub(crate) fn patch(path: &str, session: Option<&str>, body: &str) -> Vec<u8> {
    let header = session.map(session_header);
    write("PATCH", path, HOST, header, Some((JSON, body)))
}

/// Writes a DELETE.
pub(crate) fn delete(path: &str, session: Option<&str>) -> Vec<u8> {
    write("DELETE", path, HOST, session.map(session_header), None)
}

/// Writes a GET that presents a bearer token.
pub(crate) fn get_with_bearer(path: &str, token: &str) -> Vec<u8> {
    write("GET", path, HOST, Some(bearer_header(token)), None)
}

/// Writes a POST without a body, that presents a bearer token.
pub(crate) fn post_with_bearer(path: &str, token: &str) -> Vec<u8> {
    write("POST", path, HOST, Some(bearer_header(token)), None)
}

/// Writes a GET to a host by its name.
pub(crate) fn get_from(host: &str, path: &str) -> Vec<u8> {
    write("GET", path, host, None, None)
}

/// Writes a POST with a JSON body to a host by its name.
pub(crate) fn post_to(host: &str, path: &str, body: &str) -> Vec<u8> {
    write("POST", path, host, None, Some((JSON, body)))
}

/// Writes a POST with a form to a host by its name.
pub(crate) fn post_form_to(host: &str, path: &str, form: &str) -> Vec<u8> {
    write("POST", path, host, None, Some((FORM, form)))
}

fn session_header(session: &str) -> (&'static str, String) {
    ("zt-session", session.to_owned())
}

fn bearer_header(token: &str) -> (&'static str, String) {
    ("authorization", format!("Bearer {token}"))
}

fn write(
    method: &str,
    path: &str,
    host: &str,
    header: Option<(&str, String)>,
    body: Option<(&str, &str)>,
) -> Vec<u8> {
    let mut text = format!("{method} {path} HTTP/1.1\r\nhost: {host}\r\n");
    if let Some((name, value)) = header {
        // Writing to a string cannot fail.
        let _ = write!(text, "{name}: {value}\r\n");
    }
    if let Some((media_type, body)) = body {
        let length = body.len();
        let _ = write!(
            text,
            "content-type: {media_type}\r\ncontent-length: {length}\r\n"
        );
    }
    text.push_str("\r\n");
    text.push_str(body.map_or("", |(_, body)| body));
    text.into_bytes()
}

/// Writes `text` for a place in a query.
pub(crate) fn escaped(text: &str) -> String {
    text.bytes().fold(String::new(), |mut escaped, byte| {
        if byte.is_ascii_alphanumeric() {
            escaped.push(char::from(byte));
        } else {
            // Writing to a string cannot fail.
            let _ = write!(escaped, "%{byte:02X}");
        }
        escaped
    })
}

/// A login with a password.
pub(crate) fn password_login(username: &str, password: &str) -> Vec<u8> {
    let body = serde_json::json!({ "username": username, "password": password });
    post(
        &format!("{CLIENT}/authenticate?method=password"),
        None,
        &body.to_string(),
    )
}

/// A login with the certificate of the connection.
pub(crate) fn certificate_login() -> Vec<u8> {
    post(
        &format!("{CLIENT}/authenticate?method=cert"),
        None,
        &client_details().to_string(),
    )
}

/// What an SDK says of itself when it logs in.
pub(crate) fn client_details() -> Value {
    serde_json::json!({
        "configTypes": ["all"],
        "envInfo": {
            "arch": "x86_64",
            "hostname": "laptop.example.test",
            "os": "Linux",
            "osRelease": "6.8.0",
            "osVersion": "#1 SMP"
        },
        "sdkInfo": {
            "appId": "bench",
            "appVersion": "1.0",
            "branch": "main",
            "revision": "0123456789ab",
            "type": "portcullis-bench",
            "version": "1.0.0"
        }
    })
}

/// The creation of an identity with a one-time token.
pub(crate) fn create(name: &str, session: &str) -> Vec<u8> {
    let body = format!(
        r#"{{"name":"{name}","type":"Device","isAdmin":false,"enrollment":{{"ott":true}}}}"#
    );
    post(&format!("{MANAGEMENT}/identities"), Some(session), &body)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn request_says_how_long_its_body_is() {
        let text = String::from_utf8(post("/x", Some("abc"), "{}")).unwrap();
        let (head, body) = text.split_once("\r\n\r\n").unwrap();
        assert!(head.starts_with("POST /x HTTP/1.1\r\n"), "{head}");
        assert!(head.contains("\r\nzt-session: abc\r\n"), "{head}");
        assert!(head.ends_with("\r\ncontent-length: 2"), "{head}");
        assert_eq!(body, "{}");
    }

    #[test]
    fn query_is_escaped() {
        assert_eq!(escaped("a = \"ä\""), "a%20%3D%20%22%C3%A4%22");
    }

    #[test]
    fn creation_is_json() {
        let text = String::from_utf8(create("a-1", "abc")).unwrap();
        let (_, body) = text.split_once("\r\n\r\n").unwrap();
        let body: Value = serde_json::from_str(body).unwrap();
        assert_eq!(body["enrollment"]["ott"], true);
    }
}
