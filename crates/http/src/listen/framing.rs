//! Requests whose end two readers could see in different places.
//!
//! The HTTP/1 parser settles `Content-Length` beside `Transfer-Encoding` in favour of the latter and
//! folds equal lengths, and both are gone from the headers it hands over. A proxy in front may settle
//! it the other way (request smuggling), so such requests are refused: RFC 9112, section 6.3.

const LENGTH: &[u8] = b"content-length";
const ENCODING: &[u8] = b"transfer-encoding";

/// Longest method that is recognised, bytes; all that are in use are shorter.
const LONGEST_METHOD: usize = 16;

/// Looks through a request head of HTTP/1 as it arrives, and keeps only what it found.
#[derive(Default)]
pub(super) struct Scanner {
    part: Part,
    method: [u8; LONGEST_METHOD],
    method_length: usize,
    lengths: usize,
    encodings: usize,
}

/// Where in a head the next byte belongs.
#[derive(Clone, Copy, Default)]
enum Part {
    /// The method, or empty lines before it.
    #[default]
    Method,
    /// The rest of the request line, or of a header behind its colon.
    Line,
    /// The name of a header.
    Name(Name),
    /// What follows the head; this many bytes of it were seen.
    Beyond(usize),
    /// This is no head.
    Lost,
}

/// A header name as far as it has arrived.
#[derive(Clone, Copy)]
struct Name {
    length: usize,
    may_be_length: bool,
    may_be_encoding: bool,
    is_return: bool,
}

impl Scanner {
    /// Takes the next bytes in.
    pub(super) fn feed(&mut self, mut bytes: &[u8]) {
        loop {
            match &mut self.part {
                Part::Lost => return,
                Part::Beyond(seen) => {
                    *seen += bytes.len();
                    return;
                },
                Part::Line => match bytes.iter().position(|byte| *byte == b'\n') {
                    Some(end) => {
                        bytes = bytes.get(end + 1..).unwrap_or_default();
                        self.part = Part::Name(Name::new());
                    },
                    None => return,
                },
                Part::Method | Part::Name(_) => {
                    let Some((byte, rest)) = bytes.split_first() else {
                        return;
                    };
                    bytes = rest;
                    self.step(*byte);
                },
            }
        }
    }

    /// Reports whether the head that was seen states the length of its body twice.
    ///
    /// When it does not belong to a request of this `method`, the client sent several requests
    /// without waiting. A chunked request among them cannot be checked, so it is reported too.
    pub(super) fn is_ambiguous(&self, method: &str, is_chunked: bool) -> bool {
        let is_this = self.method.get(..self.method_length) == Some(method.as_bytes());
        if !is_this || self.beyond().is_none() {
            return is_chunked;
        }
        self.lengths > 1 || (self.lengths > 0 && self.encodings > 0)
    }

    /// Returns how many bytes came after a complete head; none when there was no complete one.
    pub(super) fn beyond(&self) -> Option<usize> {
        match self.part {
            Part::Beyond(seen) => Some(seen),
            _ => None,
        }
    }

    /// Takes in a byte of a method or name.
    fn step(&mut self, byte: u8) {
        self.part = match self.part {
            Part::Method => self.step_method(byte),
            Part::Name(name) => self.step_name(name, byte),
            elsewhere => elsewhere,
        };
    }

    fn step_method(&mut self, byte: u8) -> Part {
        let is_blank = matches!(self.method.get(..self.method_length), Some([] | [b'\r']));
        match (byte, self.method.get_mut(self.method_length)) {
            (b'\n', _) if is_blank => {
                self.method_length = 0;
                Part::Method
            },
            (b'\n', _) => Part::Lost,
            (b' ', _) => Part::Line,
            (_, Some(place)) => {
                *place = byte;
                self.method_length += 1;
                Part::Method
            },
            (_, None) => Part::Lost,
        }
    }

    fn step_name(&mut self, name: Name, byte: u8) -> Part {
        match byte {
            b'\n' if name.is_blank() => Part::Beyond(0),
            b'\n' => Part::Name(Name::new()),
            b':' => {
                self.lengths += usize::from(name.may_be_length && name.length == LENGTH.len());
                self.encodings +=
                    usize::from(name.may_be_encoding && name.length == ENCODING.len());
                Part::Line
            },
            _ => Part::Name(name.with(byte)),
        }
    }
}

impl Name {
    fn new() -> Self {
        Self {
            length: 0,
            may_be_length: true,
            may_be_encoding: true,
            is_return: false,
        }
    }

    /// The name with one more byte.
    fn with(self, byte: u8) -> Self {
        let fits = |known: &[u8]| known.get(self.length) == Some(&byte.to_ascii_lowercase());
        Self {
            length: self.length + 1,
            may_be_length: self.may_be_length && fits(LENGTH),
            may_be_encoding: self.may_be_encoding && fits(ENCODING),
            is_return: self.length == 0 && byte == b'\r',
        }
    }

    /// Reports whether nothing stands here but, possibly, a carriage return.
    fn is_blank(self) -> bool {
        self.length == 0 || (self.length == 1 && self.is_return)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Judges a head that arrives in pieces of `size` bytes.
    fn is_ambiguous(head: &[u8], size: usize, is_chunked: bool) -> bool {
        let mut scanner = Scanner::default();
        for piece in head.chunks(size) {
            scanner.feed(piece);
        }
        scanner.is_ambiguous("POST", is_chunked)
    }

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
                b"\r\n\nPOST / HTTP/1.1\r\nContent-Length: 3\r\n\r\nabc",
                false,
                false,
            ),
            (
                b"POST / HTTP/1.1\r\nA: b\r\n\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n",
                false,
                false,
            ),
            (
                b"POST / HTTP/1.1\r\nX-Content-Length: 1\r\nContent-Lengths: 2\r\nContent-Length: 2\r\n\r\n",
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
            for size in [1, 7, head.len()] {
                let shown = String::from_utf8_lossy(head);
                assert_eq!(
                    is_ambiguous(head, size, *is_chunked),
                    *expected,
                    "{shown} {size}"
                );
            }
        }
    }

    #[test]
    fn chunked_request_that_was_not_waited_for_is_refused() {
        for head in [
            &b""[..],
            b"abcPOST / HTTP/1.1\r\n\r\n",
            b"POST\r\nPOST / HTTP/1.1\r\n\r\n",
            b"\rPOST / HTTP/1.1\r\n\r\n",
            b"POST / HTTP/1.1\r\nA: b\r\n",
            b"POSTPOSTPOSTPOSTPOST / HTTP/1.1\r\n\r\n",
        ] {
            assert!(is_ambiguous(head, 5, true));
            assert!(!is_ambiguous(head, 5, false));
        }
    }

    #[test]
    fn what_follows_a_head_is_counted() {
        let mut scanner = Scanner::default();
        scanner.feed(b"GET / HTTP/1.1\r\n\r");
        assert_eq!(scanner.beyond(), None);
        scanner.feed(b"\nGET");
        scanner.feed(b" / HTTP");
        assert_eq!(scanner.beyond(), Some(10));
    }
}
