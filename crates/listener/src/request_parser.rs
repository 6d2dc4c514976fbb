//! HTTP/1 parser between client and hyper (`docs/adr/0022-trackers-beside-hyper.md`).
//!
//! Heads are validated, and rewritten if their target has to be percent-encoded; bodies pass
//! unchanged.

use std::mem;
use std::sync::Arc;

use crate::chunked::ChunkedState;
use crate::protocol_tracker::PendingInput;
use crate::refusal::{HeadRefusal, RefusedRequest};
use crate::request_head::{self, BodyFraming, HeadLimits};

/// Replaces a refused head; the handler recognizes it by its number alone.
const PLACEHOLDER: &[u8] = b"GET / HTTP/1.1\r\nHost: refused\r\nConnection: close\r\n\r\n";

/// The same for HEAD, whose response has no body.
const HEAD_PLACEHOLDER: &[u8] = b"HEAD / HTTP/1.1\r\nHost: refused\r\nConnection: close\r\n\r\n";

/// Validates and rewrites the heads in a byte stream.
pub(crate) struct RequestParser {
    limits: HeadLimits,
    refused: Arc<RefusedRequest>,
    head_count: u64,
    position: Position,
    /// Bytes of an incomplete head.
    partial: Vec<u8>,
    line: LineState,
    /// Bytes of the last read that were passed on for requests that had not begun.
    pipelined: usize,
}

/// Position of the next byte in the stream.
enum Position {
    Head,
    Body(u64),
    Chunks(ChunkedState),
    /// In bytes that hyper will not take for requests: they pass.
    Unknown,
    /// After a refused request: nothing is read any more.
    Refused,
}

/// State of the last line of an incomplete head.
#[derive(Clone, Copy, Default)]
struct LineState {
    /// Whether it has anything but a carriage return at its start.
    has_text: bool,
    has_return: bool,
    /// Whether a line before it had text.
    is_after_text: bool,
}

impl RequestParser {
    pub(crate) fn new(limits: HeadLimits, refused: Arc<RefusedRequest>) -> Self {
        Self {
            limits,
            refused,
            head_count: 0,
            position: Position::Head,
            partial: Vec::new(),
            line: LineState::default(),
            pipelined: 0,
        }
    }

    /// Takes the bytes of one read. Returns how many of them, from the start, go to hyper
    /// unchanged; what follows these is appended to `out`. The usual request is not copied.
    pub(crate) fn feed(&mut self, bytes: &[u8], out: &mut Vec<u8>) -> usize {
        let mut output = Output {
            unchanged: 0,
            is_unchanged: self.partial.is_empty(),
            out,
        };
        // Hyper reads again when it has used up its buffer: it holds nothing of earlier reads.
        self.pipelined = 0;
        let begun = self.refused.begun_count();
        let mut rest = bytes;
        while !rest.is_empty() {
            let buffered = self.partial.len();
            let length = self.feed_part(rest, &mut output);
            if self.head_count > begun && self.partial.is_empty() {
                self.pipelined += buffered + length;
            }
            rest = rest.get(length..).unwrap_or_default();
        }
        output.unchanged
    }

    /// Returns what is buffered of requests that have not begun.
    pub(crate) fn pending(&self) -> PendingInput {
        let has_begun = self.line.has_text || self.line.is_after_text;
        PendingInput::Http1 {
            in_head: has_begun && !self.partial.is_empty(),
            partial: self.partial.len(),
            pipelined: self.pipelined,
            last: self.head_count,
        }
    }

    /// Refuses an incomplete head whose time is over; `out` gets the placeholder.
    pub(crate) fn refuse_late_head(&mut self, out: &mut Vec<u8>) {
        if self.partial.is_empty() {
            return;
        }
        let partial = mem::take(&mut self.partial);
        let mut output = Output {
            unchanged: 0,
            is_unchanged: false,
            out,
        };
        self.refuse(&partial, HeadRefusal::HeadTooSlow, &mut output);
    }

    /// Consumes the beginning of `bytes` as far as the position stays the same, and returns its
    /// length.
    fn feed_part(&mut self, bytes: &[u8], output: &mut Output<'_>) -> usize {
        match &mut self.position {
            Position::Head => return self.feed_head(bytes, output),
            Position::Refused => return bytes.len(),
            Position::Unknown => output.pass(bytes),
            Position::Body(left) => {
                let here = usize::try_from(*left)
                    .unwrap_or(usize::MAX)
                    .min(bytes.len());
                *left -= here as u64;
                if *left == 0 {
                    self.position = Position::Head;
                }
                return output.pass_first(bytes, here);
            },
            Position::Chunks(chunks) => {
                let here = chunks.feed(bytes);
                match chunks {
                    ChunkedState::End => self.position = Position::Head,
                    // Hyper refuses the body and with it what follows.
                    ChunkedState::Malformed => self.position = Position::Unknown,
                    _ => {},
                }
                return output.pass_first(bytes, here);
            },
        }
        bytes.len()
    }

    fn feed_head(&mut self, bytes: &[u8], output: &mut Output<'_>) -> usize {
        let had_first_line = self.line.is_after_text;
        let Some(end) = self.line.find_head_end(bytes) else {
            self.partial.extend_from_slice(bytes);
            let is_first_line = self.line.is_after_text && !had_first_line;
            let refusal = if self.partial.len() > self.limits.bytes {
                Some(HeadRefusal::HeadTooLarge)
            } else if is_first_line {
                // Clients that do not speak HTTP may never send the end of a head.
                request_head::validate_beginning(&self.partial, self.limits).err()
            } else {
                None
            };
            if let Some(refusal) = refusal {
                let partial = mem::take(&mut self.partial);
                self.refuse(&partial, refusal, output);
            }
            output.is_unchanged = false;
            return bytes.len();
        };
        let (here, _rest) = bytes.split_at_checked(end).unwrap_or((bytes, &[]));
        let partial = mem::take(&mut self.partial);
        self.line = LineState::default();
        if partial.is_empty() {
            self.finish_head(here, output);
        } else {
            self.finish_head(&[&partial, here].concat(), output);
        }
        here.len()
    }

    /// Passes on a complete head, or its placeholder.
    fn finish_head(&mut self, head: &[u8], output: &mut Output<'_>) {
        match request_head::validate(head, self.limits) {
            Ok(accepted) => {
                self.head_count += 1;
                match accepted.rewritten {
                    Some(rewritten) => output.replace(&rewritten),
                    None => output.pass(head),
                }
                self.position = match accepted.framing {
                    BodyFraming::Length(0) => Position::Head,
                    BodyFraming::Length(length) => Position::Body(length),
                    BodyFraming::Chunked => Position::Chunks(ChunkedState::START),
                };
            },
            Err(refusal) => self.refuse(head, refusal, output),
        }
    }

    /// Ends the stream with the placeholder of a refused `head`, as far as that has arrived.
    fn refuse(&mut self, head: &[u8], refusal: HeadRefusal, output: &mut Output<'_>) {
        self.head_count += 1;
        self.refused.record(self.head_count, refusal);
        self.position = Position::Refused;
        output.replace(if head.trim_ascii_start().starts_with(b"HEAD ") {
            HEAD_PLACEHOLDER
        } else {
            PLACEHOLDER
        });
    }
}

/// Output to hyper: a prefix of the read that passes unchanged, then `out`.
struct Output<'o> {
    unchanged: usize,
    is_unchanged: bool,
    out: &'o mut Vec<u8>,
}

impl Output<'_> {
    /// Passes bytes that arrived.
    fn pass(&mut self, bytes: &[u8]) {
        if self.is_unchanged {
            self.unchanged += bytes.len();
        } else {
            self.out.extend_from_slice(bytes);
        }
    }

    /// Passes the first `count` of the bytes that arrived, and returns their number.
    fn pass_first(&mut self, bytes: &[u8], count: usize) -> usize {
        let first = bytes.get(..count).unwrap_or(bytes);
        self.pass(first);
        first.len()
    }

    /// Passes other bytes instead of those that arrived.
    fn replace(&mut self, bytes: &[u8]) {
        self.is_unchanged = false;
        self.out.extend_from_slice(bytes);
    }
}

impl LineState {
    /// Returns where the head ends in `bytes`: after the first empty line that follows a line with
    /// text.
    fn find_head_end(&mut self, bytes: &[u8]) -> Option<usize> {
        let mut start = 0;
        loop {
            let rest = bytes.get(start..).unwrap_or_default();
            let Some(length) = memchr::memchr(b'\n', rest) else {
                self.extend(rest);
                return None;
            };
            self.extend(rest.get(..length).unwrap_or_default());
            start += length + 1;
            if !self.has_text && self.is_after_text {
                return Some(start);
            }
            *self = Self {
                is_after_text: self.is_after_text || self.has_text,
                ..Self::default()
            };
        }
    }

    fn extend(&mut self, more: &[u8]) {
        match more {
            [] => {},
            [b'\r'] if !self.has_text && !self.has_return => self.has_return = true,
            _ => self.has_text = true,
        }
    }
}

#[cfg(test)]
#[path = "request_parser/tests.rs"]
mod tests;
