//! Changes of inputs.

/// A generator of numbers that is the same everywhere (xorshift).
pub(crate) struct Random(u64);

impl Random {
    pub(crate) fn new(seed: u64) -> Self {
        // Zero would stay zero.
        Self(seed ^ 0x9E37_79B9_7F4A_7C15)
    }

    pub(crate) fn below(&mut self, bound: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 % u64::try_from(bound.max(1)).unwrap()).unwrap()
    }
}

/// The longest input: what is longer is refused before it is parsed.
const LONGEST: usize = 64 * 1024;
/// How often a piece is repeated, where depth and number are what is tried.
const OFTEN: usize = 300;

/// Pieces that mean something to some parser.
const PIECES: [&[u8]; 46] = [
    b"",
    b"\"",
    b"'",
    b"\\",
    b"\\u0000",
    b"\\ud800",
    b"{",
    b"}",
    b"[",
    b"]",
    b":",
    b",",
    b".",
    b"..",
    b"=",
    b"==",
    b"-",
    b"_",
    b"/",
    b"//",
    b"%",
    b"%00",
    b"%2e%2e",
    b"\n",
    b"\r\n",
    b"\t",
    b"\0",
    b"null",
    b"true",
    b"-1",
    b"0",
    b"1e999",
    b"9223372036854775808",
    b"&a ",
    b"*a",
    b"<<: ",
    b"!!int ",
    b"@",
    b"#",
    b"#all",
    b"*",
    b"\xff",
    b"\xc3",
    "\u{202e}".as_bytes(),
    "\u{200b}".as_bytes(),
    "\u{1f680}".as_bytes(),
];

/// Changes a few places of an input.
pub(crate) fn mutate(input: &[u8], other: &[u8], random: &mut Random) -> Vec<u8> {
    let mut bytes = input.to_vec();
    for _ in 0..=random.below(4) {
        change(&mut bytes, other, random);
    }
    bytes.truncate(LONGEST);
    bytes
}

fn change(bytes: &mut Vec<u8>, other: &[u8], random: &mut Random) {
    let at = random.below(bytes.len() + 1);
    match random.below(9) {
        0 | 1 => {
            let piece = PIECES[random.below(PIECES.len())];
            bytes.splice(at..at, piece.iter().copied());
        },
        2 => {
            let end = (at + random.below(16)).min(bytes.len());
            bytes.drain(at..end);
        },
        3 => {
            if let Some(byte) = bytes.get_mut(at) {
                *byte ^= 1 << random.below(8);
            }
        },
        4 => {
            if let Some(byte) = bytes.get_mut(at) {
                *byte = [0, 1, 0x7f, 0x80, 0xff][random.below(5)];
            }
        },
        5 => {
            let (from, to) = stretch(other, random);
            bytes.splice(at..at, other[from..to].iter().copied());
        },
        6 => {
            let (from, to) = stretch(bytes, random);
            let twice = bytes[from..to].to_vec();
            bytes.splice(at..at, twice);
        },
        7 => {
            let piece = PIECES[random.below(PIECES.len())].repeat(OFTEN);
            bytes.splice(at..at, piece);
        },
        _ => bytes.truncate(at),
    }
}

/// Where a stretch of some bytes begins and ends.
fn stretch(bytes: &[u8], random: &mut Random) -> (usize, usize) {
    let from = random.below(bytes.len() + 1);
    (from, (from + random.below(64)).min(bytes.len()))
}
