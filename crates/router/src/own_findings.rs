//! What this router makes of a file.

use portcullis_router_config::{Finding, LoadedConfig};

use crate::key_effects::keys_without_effect;
use crate::unsupported::unsupported_entries;

/// What this router makes of a file, beside what is said of every file: what it cannot do, and other keys that
/// have no effect.
pub fn own_findings(loaded: &LoadedConfig) -> Vec<Finding> {
    let mut findings = unsupported_entries(&loaded.config);
    let refused: Vec<_> = findings.iter().map(path).collect();
    let mut without_effect = keys_without_effect(&loaded.effective);
    without_effect.retain(|finding| {
        let entry = path(finding) + ".";
        !refused.iter().any(|path| path.starts_with(&entry))
    });
    findings.extend(without_effect);
    findings
}

fn path(finding: &Finding) -> String {
    finding.diagnostic.path.dotted()
}

#[cfg(test)]
mod tests {
    use super::*;
    use portcullis_router_config::{CheckOptions, SourceFile, load};

    #[test]
    fn what_is_refused_is_told_once() {
        let text = b"identity: {key: 'pkcs11:x'}\n";
        let file = SourceFile::new("router.yml", text);
        let found = own_findings(&load(&file, &CheckOptions::new()));
        let paths: Vec<_> = found.iter().map(path).collect();
        assert_eq!(paths, ["identity.key"]);
    }
}
