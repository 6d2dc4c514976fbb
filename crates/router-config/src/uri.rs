//! Syntax of URIs.

/// Whether Go's URL parser accepts a text.
pub(crate) fn is_parsable(text: &str) -> bool {
    if text.bytes().any(|b| b < b' ' || b == 0x7F) {
        return false;
    }
    let body = text.split_once('#').map_or(text, |(body, _)| body);
    let Some((scheme, rest)) = split_scheme(body) else {
        return false;
    };
    let path = rest.split_once('?').map_or(rest, |(path, _)| path);
    if scheme.is_empty() && !path.starts_with('/') {
        // A colon in the first step of a path would be taken for a scheme.
        let first = path.split('/').next().unwrap_or_default();
        if first.contains(':') {
            return false;
        }
    }
    let (authority, path) = match path.strip_prefix("//") {
        Some(after) => after.split_at(after.find('/').unwrap_or(after.len())),
        None => ("", path),
    };
    is_authority(authority) && has_valid_escapes(path)
}

/// Splits off the optional scheme; `None` if the text starts with a colon.
pub(crate) fn split_scheme(text: &str) -> Option<(&str, &str)> {
    for (at, byte) in text.bytes().enumerate() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' => {},
            b'0'..=b'9' | b'+' | b'-' | b'.' if at > 0 => {},
            b':' if at == 0 => return None,
            b':' => return text.split_once(':'),
            _ => break,
        }
    }
    Some(("", text))
}

fn is_authority(text: &str) -> bool {
    let host = text.rsplit_once('@').map_or(text, |(_, host)| host);
    let (name, port) = match host.strip_prefix('[') {
        Some(inner) => match inner.split_once(']') {
            Some((name, rest)) => (
                name,
                rest.strip_prefix(':').or(rest.is_empty().then_some("")),
            ),
            None => return false,
        },
        None => match host.rsplit_once(':') {
            Some((name, port)) => (name, Some(port)),
            None => (host, Some("")),
        },
    };
    let good = |b: u8| {
        b > b' '
            && !matches!(
                b,
                b'"' | b'<' | b'>' | b'^' | b'`' | b'{' | b'|' | b'}' | b'\\' | b'%'
            )
    };
    name.bytes().all(good) && port.is_some_and(|port| port.bytes().all(|b| b.is_ascii_digit()))
}

/// Whether two hexadecimal digits follow every `%`.
pub(crate) fn has_valid_escapes(path: &str) -> bool {
    path.split('%').skip(1).all(|rest| {
        let digits: Vec<char> = rest.chars().take(2).collect();
        digits.len() == 2 && digits.iter().all(char::is_ascii_hexdigit)
    })
}

#[cfg(test)]
mod tests {
    use super::is_parsable;

    #[test]
    fn uris_are_told_from_other_texts() {
        for text in [
            "",
            "a b",
            "spiffe://a.b/c",
            "urn:x",
            "https://[::1]:80/",
            "/a:b",
            "http://a:/",
        ] {
            assert!(is_parsable(text), "{text}");
        }
        for text in [
            "::bad",
            "http://a b/",
            "%zz",
            "http://[::1",
            "http://a:x/",
            "a\u{7f}",
            "1a:b",
        ] {
            assert!(!is_parsable(text), "{text}");
        }
    }
}
