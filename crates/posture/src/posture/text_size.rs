//! Sizes of the strings in reports.

use super::ProcessKey;
use portcullis_domain::posture::{OsInfo, ProcessInfo, Reported};

/// Reported data with strings.
pub(super) trait TextSize {
    /// Size of all strings, in bytes.
    fn text_bytes(&self) -> usize;
}

impl TextSize for OsInfo {
    fn text_bytes(&self) -> usize {
        self.kind.len() + self.version.len() + self.build.len()
    }
}

impl TextSize for String {
    fn text_bytes(&self) -> usize {
        self.len()
    }
}

impl TextSize for Vec<String> {
    fn text_bytes(&self) -> usize {
        self.iter().map(String::len).sum()
    }
}

impl TextSize for ProcessInfo {
    fn text_bytes(&self) -> usize {
        let signers = self.signers.iter().map(String::len);
        self.hash.len() + signers.sum::<usize>()
    }
}

impl<T: TextSize> TextSize for Reported<T> {
    fn text_bytes(&self) -> usize {
        self.check.as_str().len() + self.value.text_bytes()
    }
}

impl<T: TextSize> TextSize for Option<T> {
    fn text_bytes(&self) -> usize {
        self.as_ref().map_or(0, T::text_bytes)
    }
}

impl TextSize for ProcessKey {
    fn text_bytes(&self) -> usize {
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
        let system = OsInfo {
            kind: "Linux".to_owned(),
            version: "6.1".to_owned(),
            build: "42".to_owned(),
        };
        assert_eq!(system.text_bytes(), 10);
        assert_eq!(TextSize::text_bytes(&"domain".to_owned()), 6);
        assert_eq!(vec!["ab".to_owned(), "cde".to_owned()].text_bytes(), 5);
    }
}
