//! Detection of PEM certificates and keys inside the file (RFC 7468).

const BEGIN: &str = "-----BEGIN ";
const END: &str = "\n-----END ";

/// Labels of the PEM blocks of a text, and the text after the last block.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct PemBlocks<'text> {
    labels: Vec<&'text str>,
    rest: &'text str,
}

impl<'text> PemBlocks<'text> {
    /// Finds the blocks; damaged ones are skipped.
    pub(crate) fn parse(text: &'text str) -> Self {
        let mut labels = Vec::new();
        let mut rest = text;
        let mut ahead = text;
        // Every end is looked for once, however many beginnings there are.
        let mut end = None;
        while let Some((_, after)) = ahead.split_once(BEGIN) {
            ahead = after;
            let start = text.len() - after.len();
            if end.is_none_or(|at| at < start) {
                end = after.find(END).map(|at| start + at);
            }
            let Some(at) = end else { break };
            if let Some((label, next)) =
                parse_block(text.get(start..at), text.get(at + END.len()..))
            {
                labels.push(label);
                (ahead, rest) = (next, next);
            }
        }
        Self { labels, rest }
    }

    pub(crate) fn has_certificate(&self) -> bool {
        self.labels.contains(&"CERTIFICATE")
    }

    pub(crate) fn has_key(&self) -> bool {
        let keys = ["EC PRIVATE KEY", "RSA PRIVATE KEY", "PRIVATE KEY"];
        self.labels.iter().any(|label| keys.contains(label))
    }

    /// Whether nothing follows the last block.
    pub(crate) fn ends_with_block(&self) -> bool {
        self.rest.is_empty()
    }
}

/// Parses a block from the text before and after `END`; returns its label and the rest.
fn parse_block<'text>(
    inner: Option<&'text str>,
    behind: Option<&'text str>,
) -> Option<(&'text str, &'text str)> {
    let (label, body) = inner?.split_once("-----")?;
    let after = behind?.strip_prefix(label)?.strip_prefix("-----")?;
    let (line, next) = after.split_once('\n').unwrap_or((after, ""));
    (line.trim().is_empty() && is_encoded(body)).then_some((label, next))
}

/// Whether lines are base64, after lines such as `Proc-Type: 4,ENCRYPTED`.
fn is_encoded(body: &str) -> bool {
    if body.contains("-----") {
        return false;
    }
    let lines = body.trim_start().lines();
    let encoded: String = lines.skip_while(|line| line.contains(':')).collect();
    let packed: String = encoded.chars().filter(|c| !c.is_whitespace()).collect();
    let digits = packed.trim_end_matches('=');
    packed.len().is_multiple_of(4)
        && packed.len() - digits.len() <= 2
        && digits
            .bytes()
            .all(|b| b.is_ascii_alphanumeric() || matches!(b, b'+' | b'/'))
}

#[cfg(test)]
mod tests {
    use super::PemBlocks;

    #[test]
    fn blocks_are_found_between_other_text() {
        let text = "x\n-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n\
                    -----BEGIN EC PRIVATE KEY-----\nProc-Type: 4\n\nAA==\n-----END EC PRIVATE KEY----- \ny";
        let blocks = PemBlocks::parse(text);
        assert_eq!(blocks.labels, ["CERTIFICATE", "EC PRIVATE KEY"]);
        assert!(blocks.has_certificate() && blocks.has_key());
        assert_eq!(blocks.rest, "y");
    }

    #[test]
    fn beginnings_without_end_take_no_time() {
        let many = "-----BEGIN A-----\n".repeat(200_000);
        let text = format!("{many}-----END B-----\n");
        assert_eq!(PemBlocks::parse(&text).labels, Vec::<&str>::new());
    }

    #[test]
    fn what_is_damaged_is_no_block() {
        for text in [
            "",
            "garbage",
            "-----BEGIN CERTIFICATE-----",
            "-----BEGIN CERTIFICATE-----\nAAAA",
            "-----BEGIN CERTIFICATE-----\nAAAA\n-----END PRIVATE KEY-----\n",
            "-----BEGIN CERTIFICATE-----\nA\n-----END CERTIFICATE-----\n",
            "-----BEGIN CERTIFICATE-----\n\u{e4}\u{e4}\n-----END CERTIFICATE-----\n",
            "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----x\n",
        ] {
            assert_eq!(PemBlocks::parse(text).labels, Vec::<&str>::new(), "{text}");
        }
    }
}
