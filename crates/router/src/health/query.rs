//! Query parameters.

/// The first value of a parameter (WHATWG URL, `application/x-www-form-urlencoded`).
///
/// Malformed pairs are skipped, and so are those with a semicolon, which some parsers treat as a
/// separator.
pub(super) fn find_parameter(query: &str, name: &str) -> Option<String> {
    query
        .split('&')
        .filter(|pair| !pair.contains(';'))
        .filter_map(|pair| {
            let (key, value) = pair.split_once('=').unwrap_or((pair, ""));
            Some((decode(key)?, decode(value)?))
        })
        .find_map(|(key, value)| (key == name).then_some(value))
}

/// Decodes percent-encoding; `None` if there is a `%` without two hexadecimal digits.
fn decode(text: &str) -> Option<String> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.bytes();
    while let Some(byte) = rest.next() {
        bytes.push(match byte {
            b'+' => b' ',
            b'%' => digit(rest.next()?)? << 4 | digit(rest.next()?)?,
            other => other,
        });
    }
    Some(String::from_utf8_lossy(&bytes).into_owned())
}

fn digit(byte: u8) -> Option<u8> {
    let digit = char::from(byte).to_digit(16)?;
    u8::try_from(digit).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_value_counts() {
        let cases = [
            ("type=short", Some("short")),
            ("a=b&type=short&type=long", Some("short")),
            ("type", Some("")),
            ("type=", Some("")),
            ("t%79pe=sh%6Frt", Some("short")),
            ("type=a+b%20c", Some("a b c")),
            ("", None),
            ("Type=short", None),
            ("x=type=short", None),
            ("type=short;x", None),
            ("type=%zz", None),
            ("type=%4", None),
            ("type=%zz&type=short", Some("short")),
            ("type=%ff", Some("\u{fffd}")),
        ];
        for (query, expected) in cases {
            assert_eq!(
                find_parameter(query, "type").as_deref(),
                expected,
                "{query}"
            );
        }
    }
}
