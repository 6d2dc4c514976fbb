//! HTTP/1 request head: validation and framing of the body.

use std::mem::MaybeUninit;

use crate::refusal::HeadRefusal;
use crate::{Limits, request_target};

/// Longest request target that hyper handles, bytes.
const MAX_TARGET_BYTES: usize = 65_534;

/// Header lines that fit in the buffer on the stack.
const STACK_HEADERS: usize = 100;

/// Largest body that hyper can count.
const MAX_BODY_BYTES: u64 = u64::MAX - 2;

/// Framing of a request body.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum BodyFraming {
    /// Length in bytes.
    Length(u64),
    Chunked,
}

#[derive(Debug, PartialEq, Eq)]
pub(crate) struct ValidHead {
    pub(crate) framing: BodyFraming,
    /// The head with a percent-encoded target, if that had to be changed.
    pub(crate) rewritten: Option<Vec<u8>>,
}

/// Limits of a head.
#[derive(Clone, Copy, Debug)]
pub(crate) struct HeadLimits {
    /// Most bytes, after percent-encoding.
    pub(crate) bytes: usize,
    /// Most header lines.
    pub(crate) headers: usize,
}

impl HeadLimits {
    pub(crate) fn from_limits(limits: &Limits) -> Self {
        Self {
            bytes: limits.head_bytes(),
            headers: limits.max_headers,
        }
    }
}

/// Validates a complete head.
pub(crate) fn validate(head: &[u8], limits: HeadLimits) -> Result<ValidHead, HeadRefusal> {
    let rewritten = rewrite(head);
    let framing = validate_rewritten(rewritten.as_deref().unwrap_or(head), limits)?;
    Ok(ValidHead { framing, rewritten })
}

/// Validates the beginning of a head, which may already be malformed.
pub(crate) fn validate_beginning(beginning: &[u8], limits: HeadLimits) -> Result<(), HeadRefusal> {
    let rewritten = rewrite(beginning);
    let beginning = rewritten.as_deref().unwrap_or(beginning);
    with_header_buffer(limits.headers, |headers| {
        httparse::Request::new(&mut [])
            .parse_with_uninit_headers(beginning, headers)
            .map(|_status| ())
            .map_err(refusal_for)
    })
}

/// Validates a head in the form in which hyper gets it.
fn validate_rewritten(head: &[u8], limits: HeadLimits) -> Result<BodyFraming, HeadRefusal> {
    with_header_buffer(limits.headers, |headers| {
        let mut request = httparse::Request::new(&mut []);
        let parsed = request.parse_with_uninit_headers(head, headers);
        let is_whole = parsed.map_err(refusal_for)? == httparse::Status::Complete(head.len());
        let target = request.path.filter(|_| is_whole);
        check_target(target.ok_or(HeadRefusal::RequestLine)?)?;
        if head.len() > limits.bytes {
            return Err(HeadRefusal::HeadTooLarge);
        }
        body_framing(request.headers, request.version == Some(1))
    })
}

/// Runs `parse` with a buffer for `count` header lines.
fn with_header_buffer<'h, T>(
    count: usize,
    parse: impl FnOnce(&mut [MaybeUninit<httparse::Header<'h>>]) -> T,
) -> T {
    let mut stack = [const { MaybeUninit::uninit() }; STACK_HEADERS];
    match stack.get_mut(..count) {
        Some(buffer) => parse(buffer),
        None => parse(&mut vec![MaybeUninit::uninit(); count]),
    }
}

fn refusal_for(error: httparse::Error) -> HeadRefusal {
    match error {
        httparse::Error::HeaderName | httparse::Error::HeaderValue => HeadRefusal::Header,
        httparse::Error::TooManyHeaders => HeadRefusal::TooManyHeaders,
        httparse::Error::NewLine
        | httparse::Error::Status
        | httparse::Error::Token
        | httparse::Error::Version => HeadRefusal::RequestLine,
    }
}

/// Returns the head with a percent-encoded target; `None` if nothing changes.
fn rewrite(head: &[u8]) -> Option<Vec<u8>> {
    let is_blank = |byte: &u8| matches!(byte, b'\r' | b'\n');
    let line = head.iter().position(|byte| !is_blank(byte))?;
    let start = line + memchr::memchr(b' ', head.get(line..)?)? + 1;
    let end = start + memchr::memchr3(b' ', b'\r', b'\n', head.get(start..)?)?;
    let encoded = request_target::encode(head.get(start..end)?)?;
    Some([head.get(..start)?, &encoded, head.get(end..)?].concat())
}

fn check_target(target: &str) -> Result<(), HeadRefusal> {
    if target.len() > MAX_TARGET_BYTES {
        return Err(HeadRefusal::TargetTooLong);
    }
    // Only harmless bytes are left, so a path is a valid URI; other forms need parsing.
    if !target.starts_with('/') && http::Uri::try_from(target).is_err() {
        return Err(HeadRefusal::RequestLine);
    }
    Ok(())
}

/// Determines the framing of the body from the headers (RFC 9112, section 6.3).
fn body_framing(
    headers: &[httparse::Header<'_>],
    is_http_11: bool,
) -> Result<BodyFraming, HeadRefusal> {
    let mut length = None;
    let mut is_chunked = None;
    for header in headers {
        if header.name.eq_ignore_ascii_case("content-length") {
            let given = parse_length(header.value).ok_or(HeadRefusal::BodyLength)?;
            if length.replace(given).is_some() {
                return Err(HeadRefusal::BodyLength);
            }
        } else if header.name.eq_ignore_ascii_case("transfer-encoding") {
            let last = header.value.rsplit(|byte| *byte == b',').next();
            let last = last.unwrap_or_default().trim_ascii();
            is_chunked = Some(last.eq_ignore_ascii_case(b"chunked"));
        }
    }
    match (length, is_chunked) {
        (length, None) => Ok(BodyFraming::Length(length.unwrap_or(0))),
        (None, Some(true)) if is_http_11 => Ok(BodyFraming::Chunked),
        _ => Err(HeadRefusal::BodyLength),
    }
}

/// Parses a number of digits only: no sign, no list.
fn parse_length(value: &[u8]) -> Option<u64> {
    let text = std::str::from_utf8(value).ok()?;
    let is_number = text.bytes().all(|byte| byte.is_ascii_digit());
    let number = text.parse().ok().filter(|_| is_number)?;
    (number <= MAX_BODY_BYTES).then_some(number)
}

#[cfg(test)]
#[path = "request_head/tests.rs"]
mod tests;
