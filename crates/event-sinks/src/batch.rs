//! Lines on their way to an output.

/// Memory that a batch keeps for the next one, in bytes.
const KEPT_BYTES: usize = 512 << 10;

/// Lines of some events, and how much of them is written.
#[derive(Debug, Default)]
pub(crate) struct Batch {
    text: Vec<u8>,
    /// Where the lines of each event end.
    event_ends: Vec<usize>,
    written: usize,
}

impl Batch {
    /// Adds the lines of an event, which are written where others end.
    pub(crate) fn push(&mut self, write: impl FnOnce(&mut Vec<u8>)) {
        write(&mut self.text);
        self.event_ends.push(self.text.len());
    }

    /// Makes room for other events, in the same memory unless these were unusually large.
    pub(crate) fn clear(&mut self) {
        self.text.clear();
        self.text.shrink_to(KEPT_BYTES);
        self.event_ends.clear();
        self.written = 0;
    }

    /// Each line as that of an event.
    #[cfg(test)]
    pub(crate) fn of_lines(lines: &[&str]) -> Self {
        let mut batch = Self::default();
        for line in lines {
            batch.push(|text| text.extend_from_slice(format!("{line}\n").as_bytes()));
        }
        batch
    }

    /// What is not written yet.
    pub(crate) fn rest(&self) -> &[u8] {
        self.text.get(self.written..).unwrap_or_default()
    }

    pub(crate) fn is_written(&self) -> bool {
        self.rest().is_empty()
    }

    /// As many whole lines of the rest as fit in `room` bytes, but always one.
    pub(crate) fn lines_within(&self, room: u64) -> &[u8] {
        let rest = self.rest();
        let room = usize::try_from(room).unwrap_or(usize::MAX).min(rest.len());
        let (fitting, _) = rest.split_at(room);
        let end = match fitting.iter().rposition(|byte| *byte == b'\n') {
            Some(last) => last + 1,
            None => self.line_len(),
        };
        rest.get(..end).unwrap_or(rest)
    }

    /// Length of what is left of the next line, with its end.
    pub(crate) fn line_len(&self) -> usize {
        let rest = self.rest();
        let end = rest.iter().position(|byte| *byte == b'\n');
        end.map_or(rest.len(), |end| end + 1)
    }

    /// Whether nothing of the next line is written yet.
    pub(crate) fn is_at_line_start(&self) -> bool {
        let (done, _) = self.text.split_at(self.written.min(self.text.len()));
        done.last().is_none_or(|byte| *byte == b'\n')
    }

    /// Notes that so many more bytes are written.
    pub(crate) fn advance(&mut self, count: usize) {
        self.written = self.text.len().min(self.written + count);
    }

    /// Goes back to the start of a line of which only a part is written.
    pub(crate) fn rewind_line(&mut self) {
        let (done, _) = self.text.split_at(self.written.min(self.text.len()));
        let last_end = done.iter().rposition(|byte| *byte == b'\n');
        self.written = last_end.map_or(0, |end| end + 1);
    }

    /// Number of events of which every line is written.
    pub(crate) fn written_events(&self) -> usize {
        self.event_ends.partition_point(|end| *end <= self.written)
    }

    pub(crate) fn events(&self) -> usize {
        self.event_ends.len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_taken_whole() {
        let mut batch = Batch::of_lines(&["ab", "cde", "f"]);
        assert_eq!(batch.lines_within(0), b"ab\n");
        assert_eq!(batch.lines_within(6), b"ab\n");
        assert_eq!(batch.lines_within(7), b"ab\ncde\n");
        assert_eq!(batch.lines_within(u64::MAX), b"ab\ncde\nf\n");
        batch.advance(4);
        assert_eq!((batch.lines_within(1), batch.line_len()), (&b"de\n"[..], 3));
        assert!(!batch.is_at_line_start());
        assert_eq!((batch.written_events(), batch.events()), (1, 3));
        batch.rewind_line();
        assert_eq!(batch.rest(), b"cde\nf\n");
        assert!(batch.is_at_line_start());
        batch.advance(9);
        assert!(batch.is_written() && batch.is_at_line_start());
        assert_eq!((batch.written_events(), batch.line_len()), (3, 0));
        batch.clear();
        batch.push(|text| text.extend_from_slice(b"g\n"));
        assert_eq!((batch.events(), batch.rest()), (1, &b"g\n"[..]));
    }
}
