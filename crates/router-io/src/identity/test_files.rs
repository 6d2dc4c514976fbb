//! Files of an identity, for tests.

use std::fs;
use std::path::{Path, PathBuf};

use portcullis_pki::{
    Authority, Certificate, KeyType, ServerNames, SigningKey, SpiffeId, Subject, TrustDomain,
};
use portcullis_router_config::model::RouterConfig;
use portcullis_router_config::{CheckOptions, SourceFile, load};
use portcullis_system::SystemEntropy;
use tempfile::TempDir;

use super::IdentityFiles;

/// A CA, and a directory that the router's files lie in.
pub(crate) struct TestFiles {
    directory: TempDir,
    authority: Authority,
    pub(crate) key: SigningKey,
}

impl TestFiles {
    /// Files of the router `r1`.
    pub(crate) fn new() -> Self {
        let key = || SigningKey::generate(KeyType::P256).unwrap();
        let domain = TrustDomain::parse("example.test").unwrap();
        let name = Subject::new().common_name("root");
        let authority =
            Authority::create_root(key(), &name, &domain, now(), &SystemEntropy).unwrap();
        let files = Self {
            directory: tempfile::tempdir().unwrap(),
            authority,
            key: key(),
        };
        files.write("r1.key", &files.key.to_pkcs8_pem().unwrap());
        files.write("r1.cert", &files.client("r1", &files.key));
        files.write(
            "r1.server.cert",
            &files.server("one.example.test", &files.key),
        );
        files.write("r1.cas", &files.authority.certificate().to_pem());
        files
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.directory.path().join(name)
    }

    pub(crate) fn folder(&self) -> &Path {
        self.directory.path()
    }

    /// Writes a file anew, with another inode.
    pub(crate) fn write(&self, name: &str, text: &str) {
        let draft = self.path("draft");
        fs::write(&draft, text).unwrap();
        fs::rename(draft, self.path(name)).unwrap();
    }

    /// A client certificate, in PEM.
    pub(crate) fn client(&self, router: &str, key: &SigningKey) -> String {
        let subject = Subject::new().common_name(router);
        let id = SpiffeId::parse("spiffe://example.test/identity/r1").unwrap();
        let issued = self.authority.issue_client_leaf(
            key.public_key(),
            &subject,
            &id,
            now(),
            &SystemEntropy,
        );
        issued.unwrap().to_pem()
    }

    /// A server certificate, in PEM.
    pub(crate) fn server(&self, host: &str, key: &SigningKey) -> String {
        let subject = Subject::new().common_name("r1");
        let names = ServerNames::parse([host]).unwrap();
        let issued = self.authority.issue_server_leaf(
            key.public_key(),
            &subject,
            &names,
            now(),
            &SystemEntropy,
        );
        issued.unwrap().to_pem()
    }

    pub(super) fn root(&self) -> &Certificate {
        self.authority.certificate()
    }

    /// What a section with these lines names.
    pub(crate) fn section(&self, lines: &str) -> Result<IdentityFiles, super::IdentityError> {
        let lines = lines.replace("DIR", self.folder().to_str().unwrap());
        IdentityFiles::from_config(&config(&lines, "").identity)
    }

    /// What the usual section names.
    pub(crate) fn usual(&self) -> IdentityFiles {
        self.section(
            "cert: DIR/r1.cert\nserver_cert: DIR/r1.server.cert\nkey: file://DIR/r1.key\nca: DIR/r1.cas",
        )
        .unwrap()
    }
}

pub(super) fn now() -> portcullis_domain::clock::Timestamp {
    portcullis_system::env().now()
}

/// A configuration with these lines in its section `identity`, and this one below.
pub(super) fn config(lines: &str, below: &str) -> RouterConfig {
    let lines = lines.lines().map(|line| format!("  {line}\n"));
    let text = format!("v: 3\nidentity:\n{}{below}\n", lines.collect::<String>());
    load(
        &SourceFile::new("r1.yml", text.as_bytes()),
        &CheckOptions::new(),
    )
    .config
}
