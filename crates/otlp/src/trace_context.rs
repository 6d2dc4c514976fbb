//! The trace that a request belongs to (W3C Trace Context, level 1).

use std::hash::{BuildHasher as _, RandomState};
use std::sync::atomic::{AtomicU64, Ordering};

/// Longest `tracestate` that is passed on, in bytes (section 3.3.1.5).
const MAX_STATE: usize = 512;

/// Length of `traceparent` in version 00.
const PARENT_LENGTH: usize = 55;

/// The span of a client that a request continues.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Parent {
    pub(crate) trace_id: [u8; 16],
    pub(crate) span_id: [u8; 8],
    pub(crate) is_sampled: bool,
}

impl Parent {
    /// Reads a header `traceparent`; `None` if it is not valid, which begins a new trace (section 3.2).
    pub(crate) fn parse(header: &str) -> Option<Self> {
        let version = hex::<1>(header.get(..2)?)?;
        let rest = header.get(PARENT_LENGTH..)?;
        // Later versions may have further fields.
        let is_whole = rest.is_empty() || (version != [0] && rest.starts_with('-'));
        let fields = header.get(2..PARENT_LENGTH)?.strip_prefix('-')?;
        let mut fields = fields.split('-');
        let trace_id = hex(fields.next()?)?;
        let span_id = hex(fields.next()?)?;
        let [flags] = hex(fields.next()?)?;
        let is_valid = is_whole
            && version != [0xff]
            && trace_id != [0; 16]
            && span_id != [0; 8]
            && fields.next().is_none();
        is_valid.then_some(Self {
            trace_id,
            span_id,
            is_sampled: flags & 1 == 1,
        })
    }
}

/// The header `tracestate`, if it may be passed on as it is.
pub(crate) fn state(header: &str) -> Option<String> {
    let is_plain = header
        .bytes()
        .all(|byte| matches!(byte, b'\t' | b' '..=b'~'));
    (header.len() <= MAX_STATE && is_plain).then(|| header.trim().to_owned())
}

/// Reads `N` bytes in lower-case hexadecimal digits.
fn hex<const N: usize>(text: &str) -> Option<[u8; N]> {
    if text.len() != 2 * N {
        return None;
    }
    let mut bytes = [0; N];
    for (into, pair) in bytes.iter_mut().zip(text.as_bytes().chunks_exact(2)) {
        let [high, low] = pair else { return None };
        *into = digit(*high)? << 4 | digit(*low)?;
    }
    Some(bytes)
}

const fn digit(letter: u8) -> Option<u8> {
    match letter {
        b'0'..=b'9' => Some(letter - b'0'),
        b'a'..=b'f' => Some(letter - b'a' + 10),
        _ => None,
    }
}

/// Makes ids that are unique across processes with overwhelming probability. They are not secrets, so no system
/// randomness is used.
#[derive(Debug, Default)]
pub(crate) struct IdGenerator {
    counter: AtomicU64,
    keys: [RandomState; 2],
}

impl IdGenerator {
    pub(crate) fn trace_id(&self) -> [u8; 16] {
        let number = self.counter.fetch_add(1, Ordering::Relaxed);
        let mut id = [0; 16];
        for (into, key) in id.chunks_exact_mut(8).zip(&self.keys) {
            into.copy_from_slice(&key.hash_one(number).to_be_bytes());
        }
        id
    }

    pub(crate) fn span_id(&self) -> [u8; 8] {
        let number = self.counter.fetch_add(1, Ordering::Relaxed);
        let [key, _] = &self.keys;
        // Zero means that there is none.
        key.hash_one(number).max(1).to_be_bytes()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::HashSet;

    const TRACE: &str = "4bf92f3577b34da6a3ce929d0e0e4736";
    const SPAN: &str = "00f067aa0ba902b7";

    #[test]
    fn valid_headers_are_continued() {
        let parent = Parent::parse(&format!("00-{TRACE}-{SPAN}-01")).unwrap();
        assert_eq!(parent.trace_id[..2], [0x4b, 0xf9]);
        assert_eq!(parent.span_id, [0, 0xf0, 0x67, 0xaa, 0x0b, 0xa9, 2, 0xb7]);
        assert!(parent.is_sampled);
        let other = |header: String| Parent::parse(&header).map(|parent| parent.is_sampled);
        assert_eq!(other(format!("00-{TRACE}-{SPAN}-02")), Some(false));
        assert_eq!(other(format!("cc-{TRACE}-{SPAN}-03-what-ever")), Some(true));
        assert_eq!(other(format!("cc-{TRACE}-{SPAN}-03")), Some(true));
    }

    #[test]
    fn other_headers_are_as_none() {
        let zeros = "0".repeat(32);
        for header in [
            String::new(),
            format!("00-{TRACE}-{SPAN}"),
            format!("00-{TRACE}-{SPAN}-1"),
            format!("00-{TRACE}-{SPAN}-01-more"),
            format!("cc-{TRACE}-{SPAN}-01.more"),
            format!("ff-{TRACE}-{SPAN}-01"),
            format!("0g-{TRACE}-{SPAN}-01"),
            format!("00-{zeros}-{SPAN}-01"),
            format!("00-{TRACE}-{}-01", &zeros[..16]),
            format!("00-{}-{SPAN}-01", TRACE.to_uppercase()),
            format!("00-{SPAN}-{TRACE}-01"),
            format!(" 00-{TRACE}-{SPAN}-01"),
            "é".repeat(40),
        ] {
            assert_eq!(Parent::parse(&header), None, "{header}");
        }
        assert_eq!(state("a=1,b=2").as_deref(), Some("a=1,b=2"));
        assert_eq!(state(&"x".repeat(513)), None);
        assert_eq!(state("a=\u{e9}"), None);
    }

    #[test]
    fn ids_differ() {
        let ids = IdGenerator::default();
        let traces: HashSet<_> = (0..1000).map(|_| ids.trace_id()).collect();
        let spans: HashSet<_> = (0..1000).map(|_| ids.span_id()).collect();
        assert_eq!((traces.len(), spans.len()), (1000, 1000));
    }

    proptest! {
        #[test]
        fn any_text_is_read_or_refused(header in "\\PC*") {
            let _ = Parent::parse(&header);
        }

        #[test]
        fn what_is_written_is_read(
            trace_id in any::<[u8; 16]>(),
            span_id in any::<[u8; 8]>(),
            flags in any::<u8>(),
        ) {
            let trace = u128::from_be_bytes(trace_id);
            let span = u64::from_be_bytes(span_id);
            let header = format!("00-{trace:032x}-{span:016x}-{flags:02x}");
            let expected = Parent { trace_id, span_id, is_sampled: flags & 1 == 1 };
            let is_valid = trace_id != [0; 16] && span_id != [0; 8];
            prop_assert_eq!(Parent::parse(&header), is_valid.then_some(expected));
        }
    }
}
