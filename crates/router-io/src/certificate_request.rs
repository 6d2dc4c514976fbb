//! Certificate requests of a router, with what the section `csr` says.

use portcullis_pki::{IssueError, ServerNames, SigningKey, Subject, create_csr_with_names};
use portcullis_router_config::model::{Csr, RouterConfig, SourcedValue};

/// Adds a part to a subject.
type AddPart = fn(Subject, &str) -> Subject;

/// What requests for the certificates of a router ask for.
#[derive(Debug, Clone)]
pub struct CertificateRequest {
    subject: Subject,
    names: ServerNames,
}

impl CertificateRequest {
    /// Reads `csr`, or `edge.csr` if that is missing. Hosts that no certificate can name are left out, with a
    /// warning: the others are reached all the same.
    pub fn from_config(config: &RouterConfig) -> Self {
        let section = if config.csr == Csr::default() {
            &config.edge.csr
        } else {
            &config.csr
        };
        let texts = |list: &Option<SourcedValue<Vec<String>>>| {
            list.iter()
                .flat_map(|list| list.value.clone())
                .collect::<Vec<_>>()
        };
        let mut names = ServerNames::default();
        for host in [texts(&section.dns), texts(&section.ip)].concat() {
            if let Err(error) = names.add(&host) {
                tracing::warn!("no certificate can have a name of `csr.sans`: {error}");
            }
        }
        let names = texts(&section.uri)
            .iter()
            .fold(names, |names, uri| names.with_uri(uri));
        let names = texts(&section.email)
            .iter()
            .fold(names, |names, address| names.with_email(address));
        let parts: [(_, AddPart); 5] = [
            (&section.country, Subject::country),
            (&section.province, Subject::state),
            (&section.locality, Subject::locality),
            (&section.organization, Subject::organization),
            (&section.organizational_unit, Subject::organizational_unit),
        ];
        let subject = parts
            .into_iter()
            .fold(Subject::new(), |subject, (value, add)| {
                match value.as_ref().filter(|value| !value.value.is_empty()) {
                    Some(value) => add(subject, &value.value),
                    None => subject,
                }
            });
        Self { subject, names }
    }

    /// The request of the router with this id, in PEM, signed with its key.
    pub fn to_pem(&self, router: &str, key: &SigningKey) -> Result<String, IssueError> {
        create_csr_with_names(key, &self.subject.clone().common_name(router), &self.names)
    }
}

#[cfg(test)]
mod tests {
    use portcullis_router_config::{CheckOptions, SourceFile, load};

    use super::*;

    #[test]
    fn hosts_that_no_certificate_can_name_are_left_out() {
        let text = "csr: {sans: {dns: ['', 'bücher.example', r1.example.test], ip: [192.0.2.1]}}\n";
        let file = SourceFile::new("router.yml", text.as_bytes());
        let request = CertificateRequest::from_config(&load(&file, &CheckOptions::new()).config);
        let good = ServerNames::parse(["r1.example.test", "192.0.2.1"]).unwrap();
        assert_eq!(request.names, good);
        let key = SigningKey::generate(portcullis_pki::KeyType::P256).unwrap();
        assert!(request.to_pem("r1", &key).is_ok());
    }
}
