//! The bytes of an HTTP/1 connection on their way to the HTTP library.
//!
//! Heads are judged, and rewritten where their target has to be percent-encoded; bodies pass as they
//! are. For that it has to be known where each body ends: the same headers are read for it, by the
//! same rules, as the library reads.

use std::mem;
use std::sync::Arc;

use super::chunked::Chunks;
use super::inbound::Pending;
use super::refusal::{Refusal, RefusedRequest};
use super::request_head::{self, BodyEnd, HeadLimits};

/// Stands for a head that is refused; the handler answers it by its number alone.
const PLACEHOLDER: &[u8] = b"GET / HTTP/1.1\r\nHost: refused\r\nConnection: close\r\n\r\n";

/// The same for HEAD, whose answer has no body.
const PLACEHOLDER_OF_HEAD: &[u8] = b"HEAD / HTTP/1.1\r\nHost: refused\r\nConnection: close\r\n\r\n";

/// Judges and rewrites the heads in a byte stream.
pub(super) struct RequestParser {
    limits: HeadLimits,
    refused: Arc<RefusedRequest>,
    heads: u64,
    place: Place,
    /// What has arrived of a head that is not complete.
    partial: Vec<u8>,
    line: Line,
    /// Bytes of the last read that were passed on for requests that had not begun.
    ahead: usize,
}

/// Where in the stream the next byte belongs.
enum Place {
    Head,
    Body(u64),
    Chunks(Chunks),
    /// Whatever this is, the library will not take it for requests: it passes.
    Unknown,
    /// Behind a refused request: nobody is to read it.
    Refused,
}

/// The last line of an incomplete head, as far as it has arrived.
#[derive(Clone, Copy, Default)]
struct Line {
    /// Whether it has anything but a carriage return at its start.
    has_text: bool,
    has_return: bool,
    /// Whether a line before it had text.
    is_after_text: bool,
}

impl RequestParser {
    /// Starts at the first byte of a connection.
    pub(super) fn new(limits: HeadLimits, refused: Arc<RefusedRequest>) -> Self {
        Self {
            limits,
            refused,
            heads: 0,
            place: Place::Head,
            partial: Vec::new(),
            line: Line::default(),
            ahead: 0,
        }
    }

    /// Takes in what has arrived. Returns how many bytes at its beginning go to the library as they
    /// are; what goes there behind them is added to `out`. The usual request is not copied.
    pub(super) fn take(&mut self, fresh: &[u8], out: &mut Vec<u8>) -> usize {
        let mut passed = Passed {
            as_is: 0,
            is_as_is: self.partial.is_empty(),
            out,
        };
        // The library reads on when it has used up what it had: of earlier reads it holds nothing.
        self.ahead = 0;
        let begun = self.refused.begun();
        let mut rest = fresh;
        while !rest.is_empty() {
            let held = self.partial.len();
            let length = self.step(rest, &mut passed);
            if self.heads > begun && self.partial.is_empty() {
                self.ahead += held + length;
            }
            rest = rest.get(length..).unwrap_or_default();
        }
        passed.as_is
    }

    /// What is held of requests that have not begun.
    pub(super) fn pending(&self) -> Pending {
        let has_begun = self.line.has_text || self.line.is_after_text;
        Pending::Http1 {
            in_head: has_begun && !self.partial.is_empty(),
            partial: self.partial.len(),
            ahead: self.ahead,
            last: self.heads,
        }
    }

    /// Refuses a head that is not complete, since its time is over; `out` gets what stands for it.
    pub(super) fn refuse_late_head(&mut self, out: &mut Vec<u8>) {
        if self.partial.is_empty() {
            return;
        }
        let partial = mem::take(&mut self.partial);
        let mut passed = Passed {
            as_is: 0,
            is_as_is: false,
            out,
        };
        self.refuse(&partial, Refusal::HeadTooSlow, &mut passed);
    }

    /// Takes in the beginning of `bytes` as far as one thing goes, and returns how much that is.
    fn step(&mut self, bytes: &[u8], passed: &mut Passed<'_>) -> usize {
        match &mut self.place {
            Place::Head => return self.step_head(bytes, passed),
            Place::Refused => return bytes.len(),
            Place::Unknown => passed.on(bytes),
            Place::Body(left) => {
                let here = usize::try_from(*left)
                    .unwrap_or(usize::MAX)
                    .min(bytes.len());
                *left -= here as u64;
                if *left == 0 {
                    self.place = Place::Head;
                }
                return passed.first(bytes, here);
            },
            Place::Chunks(chunks) => {
                let here = chunks.feed(bytes);
                match chunks {
                    Chunks::End => self.place = Place::Head,
                    // The library refuses the body and with it what follows.
                    Chunks::Malformed => self.place = Place::Unknown,
                    _ => {},
                }
                return passed.first(bytes, here);
            },
        }
        bytes.len()
    }

    fn step_head(&mut self, bytes: &[u8], passed: &mut Passed<'_>) -> usize {
        let had_first_line = self.line.is_after_text;
        let Some(end) = self.line.end_of_head(bytes) else {
            self.partial.extend_from_slice(bytes);
            let is_first_line = self.line.is_after_text && !had_first_line;
            let refusal = if self.partial.len() > self.limits.bytes {
                Some(Refusal::HeadTooLarge)
            } else if is_first_line {
                // Whoever does not speak HTTP may never send the end of a head.
                request_head::judge_beginning(&self.partial, self.limits).err()
            } else {
                None
            };
            if let Some(refusal) = refusal {
                let partial = mem::take(&mut self.partial);
                self.refuse(&partial, refusal, passed);
            }
            passed.is_as_is = false;
            return bytes.len();
        };
        let (here, _rest) = bytes.split_at_checked(end).unwrap_or((bytes, &[]));
        let partial = mem::take(&mut self.partial);
        self.line = Line::default();
        if partial.is_empty() {
            self.finish_head(here, passed);
        } else {
            self.finish_head(&[&partial, here].concat(), passed);
        }
        here.len()
    }

    /// Passes a complete head on, or what stands for it.
    fn finish_head(&mut self, head: &[u8], passed: &mut Passed<'_>) {
        match request_head::judge(head, self.limits) {
            Ok(accepted) => {
                self.heads += 1;
                match accepted.rewritten {
                    Some(rewritten) => passed.instead(&rewritten),
                    None => passed.on(head),
                }
                self.place = match accepted.body {
                    BodyEnd::After(0) => Place::Head,
                    BodyEnd::After(length) => Place::Body(length),
                    BodyEnd::Chunked => Place::Chunks(Chunks::START),
                };
            },
            Err(refusal) => self.refuse(head, refusal, passed),
        }
    }

    /// Ends the stream with what stands for a refused `head`, as far as that has arrived.
    fn refuse(&mut self, head: &[u8], refusal: Refusal, passed: &mut Passed<'_>) {
        self.heads += 1;
        self.refused.note(self.heads, refusal);
        self.place = Place::Refused;
        passed.instead(if head.trim_ascii_start().starts_with(b"HEAD ") {
            PLACEHOLDER_OF_HEAD
        } else {
            PLACEHOLDER
        });
    }
}

/// Bytes on their way to the library.
struct Passed<'o> {
    as_is: usize,
    is_as_is: bool,
    out: &'o mut Vec<u8>,
}

impl Passed<'_> {
    /// Passes what arrived.
    fn on(&mut self, bytes: &[u8]) {
        if self.is_as_is {
            self.as_is += bytes.len();
        } else {
            self.out.extend_from_slice(bytes);
        }
    }

    /// Passes the first `count` of what arrived, and returns how many those are.
    fn first(&mut self, bytes: &[u8], count: usize) -> usize {
        let first = bytes.get(..count).unwrap_or(bytes);
        self.on(first);
        first.len()
    }

    /// Passes other bytes in place of what arrived.
    fn instead(&mut self, bytes: &[u8]) {
        self.is_as_is = false;
        self.out.extend_from_slice(bytes);
    }
}

impl Line {
    /// Returns where the head ends in `bytes`: behind the first empty line after one with text.
    fn end_of_head(&mut self, bytes: &[u8]) -> Option<usize> {
        let mut start = 0;
        loop {
            let rest = bytes.get(start..).unwrap_or_default();
            let Some(length) = memchr::memchr(b'\n', rest) else {
                self.grow(rest);
                return None;
            };
            self.grow(rest.get(..length).unwrap_or_default());
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

    fn grow(&mut self, more: &[u8]) {
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
