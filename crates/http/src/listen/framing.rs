//! Requests whose end two readers could see in different places.
//!
//! The HTTP/1 parser settles `Content-Length` beside `Transfer-Encoding` in favour of the latter and
//! folds equal lengths, and both are gone from the headers it hands over. A proxy in front may settle
//! it the other way (request smuggling), so such requests are refused: RFC 9112, section 6.3.

/// Reports whether `head`, the bytes received since the last answer, states the length twice.
///
/// When `head` does not begin with a request of this `method`, the client sent several requests
/// without waiting. A chunked request among them cannot be checked, so it is reported too.
pub(super) fn is_ambiguous(head: &[u8], method: &str, is_chunked: bool) -> bool {
    let mut lines = head
        .split_inclusive(|byte| *byte == b'\n')
        // What follows the last line break is no line yet.
        .map_while(|line| line.strip_suffix(b"\n"))
        .map(|line| line.strip_suffix(b"\r").unwrap_or(line))
        .skip_while(|line| line.is_empty());
    let starts_here = lines
        .next()
        .and_then(|line| line.strip_prefix(method.as_bytes()))
        .is_some_and(|rest| rest.starts_with(b" "));
    if !starts_here {
        return is_chunked;
    }
    let (mut lengths, mut encodings, mut is_complete) = (0, 0, false);
    for line in lines {
        if line.is_empty() {
            is_complete = true;
            break;
        }
        let name = line.split(|byte| *byte == b':').next().unwrap_or_default();
        lengths += usize::from(name.eq_ignore_ascii_case(b"content-length"));
        encodings += usize::from(name.eq_ignore_ascii_case(b"transfer-encoding"));
    }
    if !is_complete {
        return is_chunked;
    }
    lengths > 1 || (lengths > 0 && encodings > 0)
}

#[cfg(test)]
mod tests {
    use super::is_ambiguous;

    #[test]
    fn length_is_stated_once() {
        let cases: &[(&[u8], bool, bool)] = &[
            (b"POST / HTTP/1.1\r\nHost: a\r\n\r\n", false, false),
            (
                b"POST / HTTP/1.1\r\nContent-Length: 3\r\n\r\nabc",
                false,
                false,
            ),
            (
                b"POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n3\r\n",
                true,
                false,
            ),
            (
                b"\r\nPOST / HTTP/1.1\r\nContent-Length: 3\r\n\r\nabc",
                false,
                false,
            ),
            (
                b"POST / HTTP/1.1\r\nA: b\r\n\r\nContent-Length: 1\r\nContent-Length: 2",
                false,
                false,
            ),
            (
                b"POST / HTTP/1.1\r\nContent-Length: 3\r\ncontent-length: 3\r\n\r\nabc",
                false,
                true,
            ),
            (
                b"POST / HTTP/1.1\r\nContent-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n",
                true,
                true,
            ),
            (
                b"POST / HTTP/1.1\nTRANSFER-ENCODING: chunked\nCONTENT-LENGTH: 3\n\n",
                true,
                true,
            ),
        ];
        for (head, is_chunked, expected) in cases {
            let shown = String::from_utf8_lossy(head);
            assert_eq!(
                is_ambiguous(head, "POST", *is_chunked),
                *expected,
                "{shown}"
            );
        }
    }

    #[test]
    fn chunked_request_that_was_not_waited_for_is_refused() {
        for head in [
            &b""[..],
            b"abcPOST / HTTP/1.1\r\n\r\n",
            b"POST / HTTP/1.1\r\nA: b\r\n",
        ] {
            assert!(is_ambiguous(head, "POST", true));
            assert!(!is_ambiguous(head, "POST", false));
        }
    }
}
