//! New texts out of known ones.

/// Pseudo-random numbers (`SplitMix64`), the same ones for the same seed.
pub(crate) struct Random(u64);

impl Random {
    pub(crate) const fn new(seed: u64) -> Self {
        Self(seed)
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// A number below `bound`, which is above zero.
    fn below(&mut self, bound: usize) -> usize {
        let bound = u64::try_from(bound).unwrap();
        usize::try_from(self.next() % bound).unwrap()
    }

    fn pick<'p, T>(&mut self, items: &'p [T]) -> &'p T {
        &items[self.below(items.len())]
    }
}

/// Words that lead deeper into the language than single characters do.
const WORDS: &[&str] = &[
    "name",
    "id",
    "cost",
    "load",
    "flag",
    "seen",
    "createdAt",
    "roles",
    "friends",
    "tags.x",
    "tags.a.b-c",
    "nmae",
    "'q'",
    "and",
    "OR",
    "not",
    "in",
    "not in",
    "between",
    "not between",
    "contains",
    "not contains",
    "icontains",
    "not  icontains",
    "=",
    "!=",
    "<",
    "<=",
    ">",
    ">=",
    "true",
    "FALSE",
    "null",
    "anyOf(",
    "allOf(",
    "count(",
    "isEmpty(",
    "from",
    "where",
    "sort by",
    "asc",
    "desc",
    "skip",
    "limit",
    "none",
    "(",
    ")",
    "[",
    "]",
    ",",
    "\"a\"",
    "\"aB2\"",
    "\"\"",
    "\"\\\\\"",
    "\"\\\"",
    "\"\\n",
    "\"",
    "0",
    "-1",
    "2",
    "1.5",
    "-0",
    "20e-1",
    "1e400",
    "007",
    "9223372036854775807",
    "-9223372036854775809",
    "datetime(1970-01-01T00:00:01Z)",
    "datetime(1970-01-01t02:00:02.000+02:00)",
    "datetime(",
    "datetime",
    "[1, 2.0]",
    "[\"a\",\"2\"]",
];

/// Frames around a condition, or around what is meant to be one.
const FRAMES: &[(&str, &str)] = &[
    ("(", ")"),
    ("not ", ""),
    ("not (", ") or flag"),
    ("isEmpty(from friends where ", ")"),
    ("count(from friends where ", " limit 2) >= 1"),
    ("true and ", " or false"),
    ("", " sort by cost desc, name skip 1 limit none"),
];

const CHARACTERS: &[char] = &[
    ' ',
    '\t',
    '\n',
    '\r',
    '\0',
    '\u{1f}',
    '\u{7f}',
    '"',
    '\\',
    '\'',
    '.',
    '-',
    '_',
    '+',
    '!',
    '&',
    '=',
    '(',
    ')',
    'a',
    'Z',
    '0',
    '9',
    'ß',
    'é',
    'ﬁ',
    '☂',
    '“',
    '\u{a0}',
    '\u{301}',
    '\u{feff}',
    '\u{10ffff}',
];

pub(crate) struct Mutator(Random);

impl Mutator {
    pub(crate) const fn new(random: Random) -> Self {
        Self(random)
    }

    /// A text made of one or two of `texts` by a few changes.
    pub(crate) fn mutate(&mut self, texts: &[String]) -> String {
        let mut text = self.0.pick(texts).clone();
        for _ in 0..=self.0.below(4) {
            let other = self.0.pick(texts).clone();
            text = self.change(&text, &other);
        }
        // Now and then one of the largest, which is what the limits are for.
        if self.0.below(500) == 0 && !text.is_empty() {
            let length = 60_000 + self.0.below(10_000);
            text = text.repeat(length / text.len());
        }
        text
    }

    fn change(&mut self, text: &str, other: &str) -> String {
        let (start, end) = self.piece(text);
        let (head, piece, tail) = (&text[..start], &text[start..end], &text[end..]);
        let word = self.0.pick(WORDS);
        let blank = self.0.pick(&["", " ", "  ", "\n"]);
        match self.0.below(12) {
            0 => format!("{head}{tail}"),
            1 => format!("{head}{piece}{piece}{tail}"),
            2 => format!("{head}{blank}{word}{blank}{tail}"),
            3 => format!("{head}{piece}{blank}{word} {tail}"),
            4 => format!("{head}{}{tail}", self.0.pick(CHARACTERS)),
            5 => format!("{head}{piece}{}{tail}", self.0.pick(CHARACTERS)),
            6 => format!("{text} and {other}"),
            7 => format!("{other} or {text}"),
            8 => {
                let (before, after) = self.0.pick(FRAMES);
                format!("{before}{text}{after}")
            },
            9 => {
                let (from, to) = self.piece(other);
                format!("{head}{}{tail}", &other[from..to])
            },
            10 => {
                let (from, _) = self.piece(other);
                format!("{head}{}", &other[from..])
            },
            _ if self.0.below(8) == 0 => {
                let times = 1 + self.0.below(150);
                format!("{head}{}{tail}", piece.repeat(times))
            },
            _ => format!("{head}{}{tail}", piece.to_uppercase()),
        }
    }

    /// A piece of the text: mostly a word, else anything.
    fn piece(&mut self, text: &str) -> (usize, usize) {
        let mut borders: Vec<usize> = text.char_indices().map(|(at, _)| at).collect();
        borders.push(text.len());
        if self.0.below(4) > 0 {
            let is_word = |at: &usize| text[*at..].starts_with(|c: char| c.is_alphanumeric());
            borders.retain(|at| {
                *at == 0 || is_word(at) != text[..*at].ends_with(char::is_alphanumeric)
            });
        }
        let first = self.0.below(borders.len());
        let last = (first + self.0.below(3)).min(borders.len() - 1);
        (borders[first], borders[last])
    }
}
