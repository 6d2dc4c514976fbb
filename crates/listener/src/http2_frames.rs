//! HTTP/2 frame scanner: buffered bytes and open header blocks (RFC 9113, section 4).

/// Length of a frame header, bytes.
const FRAME_HEADER: usize = 9;

/// Length of the connection preface before the first frame, bytes.
const PREFACE: usize = 24;

const HEADERS: u8 = 1;
const CONTINUATION: u8 = 9;

/// Flag of the last frame of a header block.
const END_HEADERS: u8 = 4;

/// Follows the frames of a client as they arrive, without keeping their content.
pub(crate) struct FrameScanner {
    /// Remaining bytes of the current frame.
    remaining: usize,
    /// Bytes of it that have arrived.
    buffered: usize,
    header: [u8; FRAME_HEADER],
    header_length: usize,
    in_block: bool,
}

impl FrameScanner {
    pub(crate) fn new() -> Self {
        Self {
            remaining: PREFACE,
            buffered: 0,
            header: [0; FRAME_HEADER],
            header_length: 0,
            in_block: false,
        }
    }

    pub(crate) fn feed(&mut self, mut bytes: &[u8]) {
        while let Some((byte, rest)) = bytes.split_first() {
            if self.remaining > 0 {
                let length = self.remaining.min(bytes.len());
                bytes = bytes.get(length..).unwrap_or_default();
                self.skip(length);
            } else {
                bytes = rest;
                self.push_header_byte(*byte);
            }
        }
    }

    /// Returns how many bytes of an incomplete frame are buffered.
    pub(crate) fn buffered(&self) -> usize {
        self.buffered
    }

    /// Reports whether a header block is incomplete.
    pub(crate) fn in_block(&self) -> bool {
        self.in_block
    }

    /// Skips a part of the current frame.
    fn skip(&mut self, length: usize) {
        self.remaining -= length;
        self.buffered += length;
        if self.remaining == 0 {
            self.end_frame();
        }
    }

    /// Takes a byte of a frame header.
    fn push_header_byte(&mut self, byte: u8) {
        if let Some(slot) = self.header.get_mut(self.header_length) {
            *slot = byte;
        }
        self.header_length += 1;
        if self.header_length < FRAME_HEADER {
            return;
        }
        self.header_length = 0;
        let [high, middle, low, ..] = self.header;
        self.remaining = u32::from_be_bytes([0, high, middle, low]) as usize;
        if self.remaining == 0 {
            self.end_frame();
        }
    }

    /// Ends a frame.
    fn end_frame(&mut self) {
        self.buffered = 0;
        let [_, _, _, kind, flags, ..] = self.header;
        if matches!(kind, HEADERS | CONTINUATION) {
            self.in_block = flags & END_HEADERS == 0;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn frame(kind: u8, flags: u8, length: u8) -> Vec<u8> {
        let mut frame = vec![0, 0, length, kind, flags, 0, 0, 0, 1];
        frame.resize(FRAME_HEADER + usize::from(length), 0xff);
        frame
    }

    #[test]
    fn header_block_lasts_until_the_frame_that_ends_it() {
        for size in [1, 4, 1000] {
            let mut scanner = FrameScanner::new();
            let mut feed = |bytes: &[u8]| {
                for piece in bytes.chunks(size) {
                    scanner.feed(piece);
                }
                (scanner.in_block(), scanner.buffered())
            };
            assert_eq!(feed(b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"), (false, 0));
            assert_eq!(feed(&frame(4, 0, 6)), (false, 0), "settings");
            assert_eq!(feed(&frame(HEADERS, 1, 30)), (true, 0));
            assert_eq!(feed(&frame(CONTINUATION, 0, 0)), (true, 0));
            assert_eq!(feed(&frame(CONTINUATION, END_HEADERS, 9)), (false, 0));
            let whole = frame(HEADERS, END_HEADERS, 20);
            let (first, second) = whole.split_at(FRAME_HEADER + 5);
            assert_eq!(feed(first), (false, 5), "arriving");
            assert_eq!(feed(second), (false, 0));
            assert_eq!(feed(&frame(0, END_HEADERS, 5)), (false, 0), "data");
            assert_eq!(feed(&frame(0, 0, 100)[..60]), (false, 51), "half of it");
        }
    }
}
