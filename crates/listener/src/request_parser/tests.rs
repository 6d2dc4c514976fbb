use super::*;

const LIMITS: HeadLimits = HeadLimits {
    bytes: 8 * 1024,
    headers: 100,
};

/// Sends these pieces, and returns what hyper gets and which request is refused.
fn pass<'t>(pieces: impl IntoIterator<Item = &'t [u8]>) -> (Vec<u8>, Option<HeadRefusal>) {
    let refused = Arc::new(RefusedRequest::default());
    let mut parser = RequestParser::new(LIMITS, Arc::clone(&refused));
    let mut output = Vec::new();
    for piece in pieces {
        let mut out = Vec::new();
        let unchanged = parser.feed(piece, &mut out);
        output.extend_from_slice(&piece[..unchanged]);
        output.extend(out);
    }
    let refusal = (0..parser.head_count).find_map(|_| refused.begin().1);
    (output, refusal)
}

/// Sends `text` in one piece, in two pieces split at each byte, and byte by byte, to the same
/// effect.
#[track_caller]
fn pass_split(text: &[u8]) -> (Vec<u8>, Option<HeadRefusal>) {
    let whole = pass([text]);
    for at in 0..=text.len() {
        let (first, second) = text.split_at(at);
        assert_eq!(pass([first, second]), whole, "split at {at}");
    }
    assert_eq!(pass(text.chunks(1)), whole, "byte by byte");
    whole
}

#[test]
fn requests_pass_as_they_are() {
    let text = b"GET /a?b=c HTTP/1.1\r\nHost: a\r\n\r\n\
        \r\nPOST /\x20HTTP/1.1\nHost: a\nContent-Length: 20\n\n\"GET /<> HTTP/1.1\r\n\r\n\
        POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n\
        14\r\nGET /\"#< HTTP/1.1\r\n\r\n\r\n0\r\nA: \"<>\r\n\r\n\
        GET / HTTP/1.1\r\n\r\n";
    assert_eq!(pass_split(text), (text.to_vec(), None));
}

#[test]
fn targets_are_encoded_wherever_requests_begin() {
    let text = b"POST /a?f=n=\"x\" HTTP/1.1\r\nContent-Length: 7\r\n\r\n{\"a\":1}\
        POST /<a> HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n\"\"\r\n0\r\n\r\n\
        GET /#a HTTP/1.1\r\nA: \"#\"\r\n\r\n";
    let expected = "POST /a?f=n=%22x%22 HTTP/1.1\r\nContent-Length: 7\r\n\r\n{\"a\":1}\
        POST /%3Ca%3E HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n\"\"\r\n0\r\n\r\n\
        GET /%23a HTTP/1.1\r\nA: \"#\"\r\n\r\n";
    let (passed, refusal) = pass_split(text);
    assert_eq!(
        (String::from_utf8(passed).unwrap().as_str(), refusal),
        (expected, None)
    );
}

#[test]
fn nothing_follows_a_refused_request() {
    let first = b"GET / HTTP/1.1\r\nHost: a\r\n\r\n";
    let second = b"GET /a b HTTP/1.1\r\nHost: a\r\n\r\nGET /secret HTTP/1.1\r\n\r\n";
    let (passed, refusal) = pass_split(&[&first[..], second].concat());
    assert_eq!(passed, [&first[..], PLACEHOLDER].concat());
    assert_eq!(refusal, Some(HeadRefusal::RequestLine));
}

#[test]
fn placeholder_from_a_client_is_a_request() {
    let (passed, refusal) = pass_split(PLACEHOLDER);
    assert_eq!((passed.as_slice(), refusal), (PLACEHOLDER, None));
}

#[test]
fn what_is_no_chunked_body_is_left_to_the_library() {
    let text =
        b"POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\nx\r\nGET /\" HTTP/1.1\r\n\r\n";
    assert_eq!(pass_split(text), (text.to_vec(), None));
}

#[test]
fn refusal_does_not_wait_for_the_end_of_a_head() {
    for (text, expected) in [
        (b"hello there friend\r\n".to_vec(), HeadRefusal::RequestLine),
        (vec![b'a'; LIMITS.bytes + 1], HeadRefusal::HeadTooLarge),
    ] {
        let (passed, refusal) = pass([text.as_slice()]);
        assert_eq!((passed.as_slice(), refusal), (PLACEHOLDER, Some(expected)));
    }
}

#[test]
fn head_is_refused_by_one_of_its_method() {
    let (passed, refusal) = pass_split(b"\r\nHEAD /a b HTTP/1.1\r\nHost: a\r\n\r\n");
    assert_eq!(passed, HEAD_PLACEHOLDER);
    assert_eq!(refusal, Some(HeadRefusal::RequestLine));
}

#[test]
fn empty_lines_begin_no_head() {
    let mut parser = RequestParser::new(LIMITS, Arc::default());
    for (text, begins) in [("\r", false), ("\n\n\r\n", false), ("G", true)] {
        parser.feed(text.as_bytes(), &mut Vec::new());
        assert_eq!(parser.pending().in_head(), begins, "{text:?}");
    }
}

#[test]
fn late_head_is_refused_once_it_has_begun() {
    let refused = Arc::new(RefusedRequest::default());
    let mut parser = RequestParser::new(LIMITS, Arc::clone(&refused));
    let mut out = Vec::new();
    parser.refuse_late_head(&mut out);
    assert!(out.is_empty());
    assert_eq!(parser.feed(b"GET / HT", &mut out), 0);
    parser.refuse_late_head(&mut out);
    parser.refuse_late_head(&mut out);
    assert_eq!(out, PLACEHOLDER);
    assert_eq!(parser.feed(b"TP/1.1\r\n\r\n", &mut out), 0);
    assert_eq!((out.as_slice(), parser.partial.len()), (PLACEHOLDER, 0));
    assert_eq!(refused.begin(), (1, Some(HeadRefusal::HeadTooSlow)));
}
