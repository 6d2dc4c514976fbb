//! What an HTTP/2 connection holds between two frames (RFC 9113, section 4).

/// Length of a frame's header, bytes.
const FRAME_HEADER: usize = 9;

/// Length of the preface that precedes the first frame, bytes.
const PREFACE: usize = 24;

const HEADERS: u8 = 1;
const CONTINUATION: u8 = 9;

/// Flag of the frame with which a header block ends.
const END_HEADERS: u8 = 4;

/// Follows the frames of a client as they arrive, and keeps none of their content.
pub(super) struct Scanner {
    /// Bytes of the present frame that are still to come.
    ahead: usize,
    /// Bytes of it that are there.
    present: usize,
    header: [u8; FRAME_HEADER],
    header_length: usize,
    in_block: bool,
}

impl Scanner {
    /// Starts before the preface.
    pub(super) fn new() -> Self {
        Self {
            ahead: PREFACE,
            present: 0,
            header: [0; FRAME_HEADER],
            header_length: 0,
            in_block: false,
        }
    }

    /// Takes the next bytes in.
    pub(super) fn feed(&mut self, mut bytes: &[u8]) {
        while let Some((byte, rest)) = bytes.split_first() {
            if self.ahead > 0 {
                let length = self.ahead.min(bytes.len());
                bytes = bytes.get(length..).unwrap_or_default();
                self.pass(length);
            } else {
                bytes = rest;
                self.step(*byte);
            }
        }
    }

    /// Returns how many bytes of an unfinished frame are held.
    pub(super) fn held(&self) -> usize {
        self.present
    }

    /// Reports whether a header block has begun and not ended. What it takes in memory has little to
    /// do with its length, for it is compressed.
    pub(super) fn in_block(&self) -> bool {
        self.in_block
    }

    /// Notes that a part of the present frame has arrived.
    fn pass(&mut self, length: usize) {
        self.ahead -= length;
        self.present += length;
        if self.ahead == 0 {
            self.finish();
        }
    }

    /// Takes in a byte of a frame's header.
    fn step(&mut self, byte: u8) {
        if let Some(place) = self.header.get_mut(self.header_length) {
            *place = byte;
        }
        self.header_length += 1;
        if self.header_length < FRAME_HEADER {
            return;
        }
        self.header_length = 0;
        let [high, middle, low, ..] = self.header;
        self.ahead = u32::from_be_bytes([0, high, middle, low]) as usize;
        if self.ahead == 0 {
            self.finish();
        }
    }

    /// Notes the end of a frame.
    fn finish(&mut self) {
        self.present = 0;
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
            let mut scanner = Scanner::new();
            let mut feed = |bytes: &[u8]| {
                for piece in bytes.chunks(size) {
                    scanner.feed(piece);
                }
                (scanner.in_block(), scanner.held())
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
