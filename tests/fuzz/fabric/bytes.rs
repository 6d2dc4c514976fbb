//! Bytes that are read as choices.

/// The rest of a program; what is missing at its end is zero.
pub(super) struct Bytes<'a>(&'a [u8]);

impl<'a> Bytes<'a> {
    pub(super) const fn new(program: &'a [u8]) -> Self {
        Self(program)
    }

    pub(super) const fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub(super) fn next(&mut self) -> u8 {
        let (first, rest) = self.0.split_first().unwrap_or((&0, &[]));
        self.0 = rest;
        *first
    }

    /// A number below `bound`.
    pub(super) fn below(&mut self, bound: u8) -> u8 {
        self.next() % bound
    }

    pub(super) fn flag(&mut self) -> bool {
        self.below(2) == 1
    }

    /// One of these.
    pub(super) fn choose<T: Copy>(&mut self, choices: &[T]) -> T {
        choices[usize::from(self.next()) % choices.len()]
    }
}
