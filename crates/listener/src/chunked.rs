//! Chunked transfer coding: the end of a body (RFC 9112, section 7.1).

/// State of a chunked body as it passes by; none of its data is kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ChunkedState {
    /// In the size of a chunk; `None` before its first digit.
    Size(Option<u64>),
    /// After the size, in whitespace or an extension.
    Extension(u64),
    /// Before the line feed that ends the size.
    SizeEnd(u64),
    /// In the data of a chunk.
    Data(u64),
    /// After the data.
    DataReturn,
    /// Before the line feed that ends the data.
    DataEnd,
    /// At the start of a line after the last chunk.
    Trailer,
    /// Within a trailer.
    TrailerLine,
    /// Before the line feed that ends a trailer.
    TrailerEnd,
    /// Before the line feed that ends the body.
    LastEnd,
    /// After the body.
    End,
    /// Not a chunked body.
    Malformed,
}

impl ChunkedState {
    pub(crate) const START: Self = Self::Size(None);

    /// Consumes bytes up to the end of the body, and returns how many.
    pub(crate) fn feed(&mut self, bytes: &[u8]) -> usize {
        let mut rest = bytes;
        while !matches!(self, Self::End | Self::Malformed) {
            if let Self::Data(left) = self {
                let here = usize::try_from(*left).unwrap_or(usize::MAX).min(rest.len());
                *left -= here as u64;
                rest = rest.get(here..).unwrap_or_default();
                if *left == 0 {
                    *self = Self::DataReturn;
                }
            }
            let Some((byte, after)) = rest.split_first() else {
                break;
            };
            if matches!(self, Self::Data(_)) {
                break;
            }
            *self = self.step(*byte);
            rest = after;
        }
        bytes.len() - rest.len()
    }

    /// The state after a byte that is not data.
    fn step(self, byte: u8) -> Self {
        match (self, byte) {
            (Self::Size(size), digit) if digit.is_ascii_hexdigit() => push_size_digit(size, digit),
            (Self::Size(Some(size)), b'\t' | b' ' | b';') => Self::Extension(size),
            (Self::Size(Some(size)) | Self::Extension(size), b'\r') => Self::SizeEnd(size),
            (Self::Extension(size), byte) if byte != b'\n' => Self::Extension(size),
            (Self::SizeEnd(0) | Self::TrailerEnd, b'\n') => Self::Trailer,
            (Self::SizeEnd(size), b'\n') => Self::Data(size),
            (Self::DataReturn, b'\r') => Self::DataEnd,
            (Self::DataEnd, b'\n') => Self::START,
            (Self::Trailer, b'\r') => Self::LastEnd,
            (Self::TrailerLine, b'\r') => Self::TrailerEnd,
            (Self::Trailer | Self::TrailerLine, _) => Self::TrailerLine,
            (Self::LastEnd, b'\n') => Self::End,
            _ => Self::Malformed,
        }
    }
}

/// Adds a digit to a chunk size.
fn push_size_digit(size: Option<u64>, digit: u8) -> ChunkedState {
    let value = char::from(digit).to_digit(16).map(u64::from);
    size.unwrap_or(0)
        .checked_mul(16)
        .zip(value)
        .and_then(|(size, value)| size.checked_add(value))
        .map_or(ChunkedState::Malformed, |size| {
            ChunkedState::Size(Some(size))
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Feeds `body` in pieces of `size`, and returns how many bytes were consumed.
    fn consumed(body: &[u8], size: usize) -> (usize, ChunkedState) {
        let (mut chunks, mut sum) = (ChunkedState::START, 0);
        for piece in body.chunks(size) {
            let here = chunks.feed(piece);
            sum += here;
            if here < piece.len() {
                break;
            }
        }
        (sum, chunks)
    }

    #[test]
    fn body_ends_where_it_says() {
        for body in [
            "0\r\n\r\n",
            "3\r\nabc\r\n0\r\n\r\n",
            "1F ;a=b\r\n0123456789012345678901234567890\r\n00\r\n\r\n",
            "2;x\r\n\r\n\r\n0\r\nA: b\r\nC: d\r\n\r\n",
        ] {
            let text = format!("{body}GET / HTTP/1.1\r\n");
            for size in 1..=text.len() {
                let expected = (body.len(), ChunkedState::End);
                assert_eq!(
                    consumed(text.as_bytes(), size),
                    expected,
                    "{body:?} by {size}"
                );
            }
        }
    }

    #[test]
    fn what_is_no_chunked_body_is_told() {
        for body in [
            "\r\n",
            "x\r\n",
            ";\r\n",
            "3\nabc",
            "1\r\nab",
            "1\r\na\rb",
            "10000000000000000\r\n",
            "0\r\n\rx",
        ] {
            assert_eq!(
                consumed(body.as_bytes(), 2).1,
                ChunkedState::Malformed,
                "{body:?}"
            );
        }
    }
}
