use super::*;

const LIMITS: HeadLimits = HeadLimits {
    bytes: 80 * 1024,
    headers: 100,
};

fn framing_of(headers: &str) -> Result<BodyFraming, HeadRefusal> {
    let head = format!("POST / HTTP/1.1\r\nHost: a\r\n{headers}\r\n\r\n");
    validate(head.as_bytes(), LIMITS).map(|accepted| accepted.framing)
}

#[test]
fn body_ends_where_the_headers_say() {
    for (headers, expected) in [
        ("A: b", BodyFraming::Length(0)),
        ("content-length: 17", BodyFraming::Length(17)),
        ("Transfer-Encoding: gzip, Chunked", BodyFraming::Chunked),
    ] {
        assert_eq!(framing_of(headers), Ok(expected), "{headers}");
    }
}

#[test]
fn body_with_two_ends_is_refused() {
    for headers in [
        "Content-Length: 3\r\nContent-Length: 3",
        "Content-Length: 3\r\nTransfer-Encoding: chunked",
        "Transfer-Encoding: chunked\r\nContent-Length: 3",
        "Transfer-Encoding: chunked\r\nTransfer-Encoding: gzip",
        "Transfer-Encoding: chunked, gzip",
        "Content-Length: +3",
        "Content-Length: 3, 3",
        "Content-Length:",
        "Content-Length: 18446744073709551615",
    ] {
        assert_eq!(
            framing_of(headers),
            Err(HeadRefusal::BodyLength),
            "{headers}"
        );
    }
    let old = b"POST / HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n";
    assert_eq!(validate(old, LIMITS), Err(HeadRefusal::BodyLength));
}

#[test]
fn target_alone_is_rewritten() {
    let head = b"\r\nGET /a?f=\"<\xE9>\"#b HTTP/1.1\r\nHost: \"<a>\"\r\n\r\n";
    let rewritten = validate(head, LIMITS).unwrap().rewritten.unwrap();
    assert_eq!(
        String::from_utf8(rewritten).unwrap(),
        "\r\nGET /a?f=%22%3C%E9%3E%22%23b HTTP/1.1\r\nHost: \"<a>\"\r\n\r\n"
    );
}

#[test]
fn refusals_say_what_is_wrong() {
    let long = format!("GET /{} HTTP/1.1\r\nHost: a\r\n\r\n", "a".repeat(65_535));
    // Short enough as sent, but not after encoding.
    let quotes = format!("GET /{} HTTP/1.1\r\nHost: a\r\n\r\n", "\"".repeat(22_000));
    let large = format!("GET / HTTP/1.1\r\nA: {}\r\n\r\n", "a".repeat(LIMITS.bytes));
    let many = format!("GET / HTTP/1.1\r\n{}\r\n", "a: b\r\n".repeat(101));
    for (head, expected) in [
        (long.as_str(), HeadRefusal::TargetTooLong),
        (&quotes, HeadRefusal::TargetTooLong),
        (&large, HeadRefusal::HeadTooLarge),
        (&many, HeadRefusal::TooManyHeaders),
        ("GET /a b HTTP/1.1\r\n\r\n", HeadRefusal::RequestLine),
        ("GET /a\r\n\r\n", HeadRefusal::RequestLine),
        ("GET /\x01 HTTP/1.1\r\n\r\n", HeadRefusal::RequestLine),
        ("GET a?b=c HTTP/1.1\r\n\r\n", HeadRefusal::RequestLine),
        ("GET http://[/ HTTP/1.1\r\n\r\n", HeadRefusal::RequestLine),
        ("PRI * HTTP/2.0\r\n\r\n", HeadRefusal::RequestLine),
        ("GET / HTTP/1.1\r\nno colon\r\n\r\n", HeadRefusal::Header),
        ("GET / HTTP/1.1\r\nA : b\r\n\r\n", HeadRefusal::Header),
        ("GET / HTTP/1.1\r\nA: b\r\n c\r\n\r\n", HeadRefusal::Header),
    ] {
        let shown = head.get(..40).unwrap_or(head);
        assert_eq!(validate(head.as_bytes(), LIMITS), Err(expected), "{shown}");
    }
}

#[test]
fn beginning_is_refused_only_for_what_it_has() {
    assert_eq!(
        validate_beginning(b"GET /\" HTTP/1.1\r\nHos", LIMITS),
        Ok(())
    );
    let nonsense = validate_beginning(b"\x16\x03\x01\n", LIMITS);
    assert_eq!(nonsense, Err(HeadRefusal::RequestLine));
}
