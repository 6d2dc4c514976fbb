//! Textual encoding of keys and certificates (RFC 7468), read leniently and written strictly.

use base64::{Engine as _, engine::general_purpose::STANDARD};
use zeroize::Zeroizing;

const COLUMNS: usize = 64;
const BEGIN: &str = "-----BEGIN ";
const END: &str = "-----END ";
const DASHES: &str = "-----";

/// A text could not be read as PEM.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum PemError {
    /// A block begins and never ends, or ends under another label.
    #[error("a PEM block is not closed by a matching END line")]
    Unterminated,
    /// The body of a block is not base64.
    #[error("the body of a PEM block is not valid base64")]
    NotBase64,
}

/// One block of a PEM text.
pub(crate) struct Block<'a> {
    pub(crate) label: &'a str,
    /// The decoded body. It may be a private key, so it is wiped.
    pub(crate) der: Zeroizing<Vec<u8>>,
    /// Whether headers say that the body is encrypted (RFC 1421, as OpenSSL writes old keys).
    pub(crate) is_encrypted: bool,
}

/// Reads all blocks of `text`; whatever stands outside of blocks is skipped.
///
/// White space counts for nothing inside a body: requests travel through JSON, forms and shells,
/// which fold and indent lines.
pub(crate) fn blocks(text: &str) -> Result<Vec<Block<'_>>, PemError> {
    let mut found = Vec::new();
    let mut rest = text;
    while let Some((_, after)) = rest.split_once(BEGIN) {
        let (label, after) = after.split_once(DASHES).ok_or(PemError::Unterminated)?;
        let (body, after) = after.split_once(END).ok_or(PemError::Unterminated)?;
        rest = after
            .strip_prefix(label)
            .and_then(|after| after.strip_prefix(DASHES))
            .ok_or(PemError::Unterminated)?;
        found.push(block(label, body)?);
    }
    Ok(found)
}

fn block<'a>(label: &'a str, body: &str) -> Result<Block<'a>, PemError> {
    let (headers, data): (Vec<_>, Vec<_>) = body.lines().partition(|line| line.contains(':'));
    let is_encrypted = headers
        .iter()
        .any(|line| line.contains("Proc-Type") && line.contains("ENCRYPTED"));
    let mut compact = Zeroizing::new(String::with_capacity(body.len()));
    compact.extend(
        data.iter()
            .flat_map(|line| line.chars())
            .filter(|c| !c.is_ascii_whitespace()),
    );
    let der = STANDARD
        .decode(compact.as_bytes())
        .or(Err(PemError::NotBase64))?;
    Ok(Block {
        label,
        der: Zeroizing::new(der),
        is_encrypted,
    })
}

/// Writes one block with a line break at its end.
pub(crate) fn encode(label: &str, der: &[u8]) -> String {
    let body = Zeroizing::new(base64_columns(der));
    format!(
        "{BEGIN}{label}{DASHES}\n{}\n{END}{label}{DASHES}\n",
        body.as_str()
    )
}

/// Writes base64 in lines of 64 characters, without a line break at the end.
pub(crate) fn base64_columns(bytes: &[u8]) -> String {
    let whole = Zeroizing::new(STANDARD.encode(bytes));
    let mut lines = String::with_capacity(whole.len() + whole.len() / COLUMNS);
    for (index, character) in whole.chars().enumerate() {
        if index > 0 && index % COLUMNS == 0 {
            lines.push('\n');
        }
        lines.push(character);
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn white_space_and_surroundings_do_not_matter() {
        let table = [
            "-----BEGIN X-----\nAQID\n-----END X-----\n",
            "-----BEGIN X-----\r\nAQ\r\nID\r\n-----END X-----",
            "  text: before\n  -----BEGIN X-----\n  A Q\tID\n\n  -----END X-----  after",
            "-----BEGIN X----- AQID -----END X-----",
        ];
        for text in table {
            let blocks = blocks(text).unwrap();
            assert_eq!(blocks.len(), 1, "{text:?}");
            assert_eq!(
                (blocks[0].label, blocks[0].der.as_slice()),
                ("X", &[1, 2, 3][..])
            );
        }
    }

    #[test]
    fn broken_blocks_are_named() {
        let table = [
            ("-----BEGIN X-----\nAQID\n", PemError::Unterminated),
            ("-----BEGIN X", PemError::Unterminated),
            (
                "-----BEGIN X-----\nAQID\n-----END Y-----",
                PemError::Unterminated,
            ),
            (
                "-----BEGIN X-----\nAQI*\n-----END X-----",
                PemError::NotBase64,
            ),
            (
                "-----BEGIN X-----\nAQI\n-----END X-----",
                PemError::NotBase64,
            ),
        ];
        for (text, expected) in table {
            assert_eq!(blocks(text).err(), Some(expected), "{text:?}");
        }
        assert!(blocks("no block here").unwrap().is_empty());
    }

    #[test]
    fn written_text_is_read_back() {
        for length in [0_u8, 1, 47, 48, 49, 200] {
            let bytes: Vec<u8> = (0..length).collect();
            let text = encode("CERTIFICATE", &bytes);
            assert!(text.lines().all(|line| line.len() <= COLUMNS));
            assert!(text.ends_with("-----END CERTIFICATE-----\n"));
            assert_eq!(blocks(&text).unwrap()[0].der.as_slice(), bytes);
        }
        assert_eq!(
            base64_columns(&[0; 48]).len(),
            64,
            "no break after a full last line"
        );
    }
}
