//! One request head of HTTP/1: whether it is taken, and how its body is delimited.
//!
//! Judged by the parser that the HTTP library uses, before that library sees it: the library answers
//! what it refuses with an empty body of its own, and could not be told to do otherwise.

use std::mem::MaybeUninit;

use super::refusal::Refusal;
use super::{Limits, request_target};

/// Longest target that the HTTP library handles, bytes.
const LONGEST_TARGET: usize = 65_534;

/// Header lines for which there is room on the stack.
const USUAL_HEADERS: usize = 100;

/// Largest body that the HTTP library can count.
const LARGEST_BODY: u64 = u64::MAX - 2;

/// Where the body of a request ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum BodyEnd {
    /// After this many bytes.
    After(u64),
    /// Where its chunks say.
    Chunked,
}

/// A head that is taken.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Accepted {
    /// Where its body ends.
    pub(super) body: BodyEnd,
    /// The head with another target, where that had to be percent-encoded.
    pub(super) rewritten: Option<Vec<u8>>,
}

/// Bounds of a head.
#[derive(Clone, Copy, Debug)]
pub(super) struct HeadLimits {
    /// Most bytes, after percent-encoding too.
    pub(super) bytes: usize,
    /// Most header lines.
    pub(super) headers: usize,
}

impl HeadLimits {
    /// Those of a listener.
    pub(super) fn of(limits: &Limits) -> Self {
        Self {
            bytes: limits.head_bytes(),
            headers: limits.max_headers,
        }
    }
}

/// Judges a complete head.
pub(super) fn judge(head: &[u8], limits: HeadLimits) -> Result<Accepted, Refusal> {
    let rewritten = rewrite(head);
    let body = judge_as_sent(rewritten.as_deref().unwrap_or(head), limits)?;
    Ok(Accepted { body, rewritten })
}

/// Judges the beginning of a head, which may say already that it cannot be taken.
pub(super) fn judge_beginning(beginning: &[u8], limits: HeadLimits) -> Result<(), Refusal> {
    let rewritten = rewrite(beginning);
    let beginning = rewritten.as_deref().unwrap_or(beginning);
    with_room(limits.headers, |headers| {
        httparse::Request::new(&mut [])
            .parse_with_uninit_headers(beginning, headers)
            .map(|_status| ())
            .map_err(refusal)
    })
}

/// Judges a head in the form in which the library gets it.
fn judge_as_sent(head: &[u8], limits: HeadLimits) -> Result<BodyEnd, Refusal> {
    with_room(limits.headers, |headers| {
        let mut request = httparse::Request::new(&mut []);
        let parsed = request.parse_with_uninit_headers(head, headers);
        let is_whole = parsed.map_err(refusal)? == httparse::Status::Complete(head.len());
        let target = request.path.filter(|_| is_whole);
        check_target(target.ok_or(Refusal::RequestLine)?)?;
        if head.len() > limits.bytes {
            return Err(Refusal::HeadTooLarge);
        }
        body_end(request.headers, request.version == Some(1))
    })
}

/// Runs `parse` with room for this many header lines.
fn with_room<'h, T>(
    count: usize,
    parse: impl FnOnce(&mut [MaybeUninit<httparse::Header<'h>>]) -> T,
) -> T {
    let mut usual = [const { MaybeUninit::uninit() }; USUAL_HEADERS];
    match usual.get_mut(..count) {
        Some(room) => parse(room),
        None => parse(&mut vec![MaybeUninit::uninit(); count]),
    }
}

fn refusal(error: httparse::Error) -> Refusal {
    match error {
        httparse::Error::HeaderName | httparse::Error::HeaderValue => Refusal::Header,
        httparse::Error::TooManyHeaders => Refusal::TooManyHeaders,
        httparse::Error::NewLine
        | httparse::Error::Status
        | httparse::Error::Token
        | httparse::Error::Version => Refusal::RequestLine,
    }
}

/// Returns the head with a percent-encoded target, where that is another one.
fn rewrite(head: &[u8]) -> Option<Vec<u8>> {
    let is_blank = |byte: &u8| matches!(byte, b'\r' | b'\n');
    let line = head.iter().position(|byte| !is_blank(byte))?;
    let start = line + memchr::memchr(b' ', head.get(line..)?)? + 1;
    let end = start + memchr::memchr3(b' ', b'\r', b'\n', head.get(start..)?)?;
    let encoded = request_target::encode(head.get(start..end)?)?;
    Some([head.get(..start)?, &encoded, head.get(end..)?].concat())
}

fn check_target(target: &str) -> Result<(), Refusal> {
    if target.len() > LONGEST_TARGET {
        return Err(Refusal::TargetTooLong);
    }
    // Only harmless bytes are left, so a path is a URL; other forms have more to them.
    if !target.starts_with('/') && http::Uri::try_from(target).is_err() {
        return Err(Refusal::RequestLine);
    }
    Ok(())
}

/// Reads from the headers where the body ends (RFC 9112, section 6.3).
fn body_end(headers: &[httparse::Header<'_>], is_http_11: bool) -> Result<BodyEnd, Refusal> {
    let mut length = None;
    let mut is_chunked = None;
    for header in headers {
        if header.name.eq_ignore_ascii_case("content-length") {
            let given = digits(header.value).ok_or(Refusal::BodyLength)?;
            if length.replace(given).is_some() {
                return Err(Refusal::BodyLength);
            }
        } else if header.name.eq_ignore_ascii_case("transfer-encoding") {
            let last = header.value.rsplit(|byte| *byte == b',').next();
            let last = last.unwrap_or_default().trim_ascii();
            is_chunked = Some(last.eq_ignore_ascii_case(b"chunked"));
        }
    }
    match (length, is_chunked) {
        (length, None) => Ok(BodyEnd::After(length.unwrap_or(0))),
        (None, Some(true)) if is_http_11 => Ok(BodyEnd::Chunked),
        _ => Err(Refusal::BodyLength),
    }
}

/// A number of digits alone: no sign, no list.
fn digits(value: &[u8]) -> Option<u64> {
    let text = std::str::from_utf8(value).ok()?;
    let is_number = text.bytes().all(|byte| byte.is_ascii_digit());
    let number = text.parse().ok().filter(|_| is_number)?;
    (number <= LARGEST_BODY).then_some(number)
}

#[cfg(test)]
#[path = "request_head/tests.rs"]
mod tests;
