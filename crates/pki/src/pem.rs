//! PEM encoding of keys and certificates (RFC 7468), parsed leniently and written strictly.

use base64::{Engine as _, engine::general_purpose::STANDARD};
use zeroize::Zeroizing;

const LINE_LENGTH: usize = 64;
const BEGIN: &str = "-----BEGIN ";
const END: &str = "-----END ";
const DASHES: &str = "-----";

/// A text could not be parsed as PEM.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum PemError {
    /// A block does not end, or ends with another label.
    #[error("a PEM block is not closed by a matching END line")]
    Unterminated,
    #[error("the body of a PEM block is not valid base64")]
    NotBase64,
}

/// One block of a PEM text.
pub(crate) struct PemBlock<'a> {
    pub(crate) label: &'a str,
    /// The decoded body. It may be a private key, so it is wiped on drop.
    pub(crate) der: Zeroizing<Vec<u8>>,
    /// Whether headers say that the body is encrypted (RFC 1421, as OpenSSL writes legacy keys).
    pub(crate) is_encrypted: bool,
}

/// Parses all blocks of `text`; text outside of blocks is skipped.
///
/// White space inside a body is ignored: requests travel through JSON, forms and shells, which fold
/// and indent lines.
pub(crate) fn parse_blocks(text: &str) -> Result<Vec<PemBlock<'_>>, PemError> {
    let mut found = Vec::new();
    let mut rest = text;
    while let Some((_, after)) = rest.split_once(BEGIN) {
        let (label, after) = after.split_once(DASHES).ok_or(PemError::Unterminated)?;
        let (body, after) = after.split_once(END).ok_or(PemError::Unterminated)?;
        rest = after
            .strip_prefix(label)
            .and_then(|after| after.strip_prefix(DASHES))
            .ok_or(PemError::Unterminated)?;
        found.push(parse_block(label, body)?);
    }
    Ok(found)
}

fn parse_block<'a>(label: &'a str, body: &str) -> Result<PemBlock<'a>, PemError> {
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
    Ok(PemBlock {
        label,
        der: Zeroizing::new(der),
        is_encrypted,
    })
}

/// Encodes one block with a trailing newline.
pub(crate) fn encode(label: &str, der: &[u8]) -> String {
    let body = Zeroizing::new(base64_lines(der));
    format!(
        "{BEGIN}{label}{DASHES}\n{}\n{END}{label}{DASHES}\n",
        body.as_str()
    )
}

/// Encodes base64 in lines of 64 characters, without a trailing newline.
pub(crate) fn base64_lines(bytes: &[u8]) -> String {
    let whole = Zeroizing::new(STANDARD.encode(bytes));
    let mut lines = String::with_capacity(whole.len() + whole.len() / LINE_LENGTH);
    for (index, character) in whole.chars().enumerate() {
        if index > 0 && index % LINE_LENGTH == 0 {
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
            let blocks = parse_blocks(text).unwrap();
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
            assert_eq!(parse_blocks(text).err(), Some(expected), "{text:?}");
        }
        assert!(parse_blocks("no block here").unwrap().is_empty());
    }

    #[test]
    fn written_text_is_read_back() {
        for length in [0_u8, 1, 47, 48, 49, 200] {
            let bytes: Vec<u8> = (0..length).collect();
            let text = encode("CERTIFICATE", &bytes);
            assert!(text.lines().all(|line| line.len() <= LINE_LENGTH));
            assert!(text.ends_with("-----END CERTIFICATE-----\n"));
            assert_eq!(parse_blocks(&text).unwrap()[0].der.as_slice(), bytes);
        }
        assert_eq!(
            base64_lines(&[0; 48]).len(),
            64,
            "no break after a full last line"
        );
    }
}
