//! How many bytes of text reports have.

use super::ProcessKey;
use portcullis_domain::posture::{Os, Process, Reported};

/// Something that was reported and has texts.
pub(super) trait Texts {
    /// The bytes of all of them.
    fn bytes(&self) -> usize;
}

impl Texts for Os {
    fn bytes(&self) -> usize {
        self.kind.len() + self.version.len() + self.build.len()
    }
}

impl Texts for String {
    fn bytes(&self) -> usize {
        self.len()
    }
}

impl Texts for Vec<String> {
    fn bytes(&self) -> usize {
        self.iter().map(String::len).sum()
    }
}

impl Texts for Process {
    fn bytes(&self) -> usize {
        let signers = self.signers.iter().map(String::len);
        self.hash.len() + signers.sum::<usize>()
    }
}

impl<T: Texts> Texts for Reported<T> {
    fn bytes(&self) -> usize {
        self.check.as_str().len() + self.value.bytes()
    }
}

impl<T: Texts> Texts for Option<T> {
    fn bytes(&self) -> usize {
        self.as_ref().map_or(0, T::bytes)
    }
}

impl Texts for ProcessKey {
    fn bytes(&self) -> usize {
        match self {
            Self::Path(path) => path.len(),
            Self::Check(check) => check.as_str().len(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_byte_of_every_text_counts() {
        let system = Os {
            kind: "Linux".to_owned(),
            version: "6.1".to_owned(),
            build: "42".to_owned(),
        };
        assert_eq!(system.bytes(), 10);
        assert_eq!(Texts::bytes(&"domain".to_owned()), 6);
        assert_eq!(vec!["ab".to_owned(), "cde".to_owned()].bytes(), 5);
    }
}
