//! Checks that everything a configuration references exists and is valid.

use super::file_permissions::{self, Tolerance};
use super::home_keys::HomeKeys;
use crate::files;
use crate::output;
use crate::pem::{self, CertKeySettings, PemSetting};
use portcullis_controller_config::{
    self as model, CertKeyReference, ExternalReferences, IdentityReferences, PemSource,
    StoreReference,
};
use portcullis_pki::{Certificate, SigningKey};
use portcullis_yaml::{Diagnostic, KeyPath, Severity, SourceLocation};
use std::io;
use std::path::Path;

/// A referenced file does not exist.
const MISSING_FILE: &str = "missing-file";
/// A referenced file cannot be read.
pub(crate) const UNREADABLE_FILE: &str = "unreadable-file";
/// A referenced file contains no certificate.
const NO_CERTIFICATE: &str = "no-certificate";
/// A referenced file contains no private key.
const NO_KEY: &str = "no-key";
/// A key does not match its certificate.
const KEY_MISMATCH: &str = "key-mismatch";
/// The certificate of a key is not the first in its file.
const WRONG_ORDER: &str = "wrong-order";
/// A certificate is not a CA certificate, or its issuer is not trusted.
const NO_AUTHORITY: &str = "no-authority";
/// A file with secrets is accessible to others.
pub(super) const EXPOSED_FILE: &str = "exposed-file";
/// The folder of the store does not exist.
const MISSING_FOLDER: &str = "missing-folder";

/// Checks all references and reports problems at the values that reference them.
pub(super) fn check(named: &ExternalReferences, own_keys: &HomeKeys) -> Vec<Diagnostic> {
    let mut findings = EnvironmentChecker {
        own_keys,
        diagnostics: Vec::new(),
    };
    for pair in named.identities.iter().flat_map(IdentityReferences::pairs) {
        findings.check_pair(pair);
    }
    let trusted = findings.load_trusted(named);
    findings.check_signing(&named.signing, trusted.as_deref());
    for certificate in named.scrape_certs.iter().chain(&named.otlp_ca) {
        findings.load_certificates(certificate);
    }
    if let Some(store) = &named.store {
        findings.check_store(store);
    }
    findings.check_unnamed_keys();
    findings.diagnostics
}

struct EnvironmentChecker<'k> {
    own_keys: &'k HomeKeys,
    diagnostics: Vec<Diagnostic>,
}

impl EnvironmentChecker<'_> {
    fn check_pair(&mut self, CertKeyReference { cert, key }: &CertKeyReference) -> Option<()> {
        let chain = cert.as_ref().and_then(|cert| self.load_certificates(cert));
        let loaded = key.as_ref().and_then(|key| self.load_key(key));
        let (chain, loaded, cert, key) = (chain?, loaded?, cert.as_ref()?, key.as_ref()?);
        let pair = CertKeySettings {
            certificate: PemSetting::from_reference(cert),
            key: PemSetting::from_reference(key),
        };
        let is_misplaced = pem::index_of_key(&chain, &loaded).is_some();
        let Err(error) = pair.pair_up(chain, loaded) else {
            return Some(());
        };
        if is_misplaced {
            let help = "put it first, then the CA that issued it, and so on up to the root";
            self.push_error(cert, WRONG_ORDER, &error, help);
        } else {
            let help = "name the key that the certificate was made for";
            self.push_error(key, KEY_MISMATCH, &error, help);
        }
        None
    }

    fn load_certificates(&mut self, named: &model::PemReference) -> Option<Vec<Certificate>> {
        self.require_readable(named)?;
        PemSetting::from_reference(named)
            .certificates()
            .map_err(|error| {
                let help = "name a file with one or more certificates in PEM";
                self.push_error(named, NO_CERTIFICATE, &error, help);
            })
            .ok()
    }

    fn load_key(&mut self, named: &model::PemReference) -> Option<SigningKey> {
        self.require_readable(named)?;
        if let PemSource::File(path) = &named.source {
            let tolerance = if self.own_keys.contains(path) {
                Tolerance::GroupRead
            } else {
                Tolerance::Lenient
            };
            let file = ("the private key", &**path, tolerance);
            self.check_permissions((&named.path, named.place), file);
        }
        PemSetting::from_reference(named)
            .key()
            .map_err(|error| {
                let help = "name a PEM file with an unencrypted private key";
                self.push_error(named, NO_KEY, &error, help);
            })
            .ok()
    }

    fn require_readable(&mut self, named: &model::PemReference) -> Option<()> {
        let error = PemSetting::from_reference(named).text().err();
        let Some(error) = error else { return Some(()) };
        let is_missing = error
            .downcast_ref::<io::Error>()
            .is_some_and(|cause| cause.kind() == io::ErrorKind::NotFound);
        match &named.source {
            PemSource::File(path) if is_missing => {
                self.push_error(named, MISSING_FILE, &error, &missing_file_help(path));
            },
            _ => {
                let help = "give this user the right to read it, or name another file";
                self.push_error(named, UNREADABLE_FILE, &error, help);
            },
        }
        None
    }

    /// Collects the trusted authorities; `None` if some of them cannot be loaded.
    fn load_trusted(&mut self, named: &ExternalReferences) -> Option<Vec<Certificate>> {
        let named: Vec<_> = named
            .identities
            .iter()
            .filter_map(|identity| identity.ca.as_ref())
            .chain(&named.signing_ca)
            .collect();
        let found: Vec<_> = named
            .iter()
            .map(|each| self.load_certificates(each))
            .collect();
        let mut all: Vec<_> = found.into_iter().collect::<Option<Vec<_>>>()?.concat();
        all.retain(Certificate::is_ca);
        let (first, true) = (named.first()?, all.is_empty()) else {
            return Some(all);
        };
        let name = PemSetting::from_reference(first);
        let error = anyhow::anyhow!("{} contains no CA certificate", name.describe());
        let help = "name a file with the root certificates that clients trust";
        self.push_error(first, NO_AUTHORITY, &error, help);
        None
    }

    fn check_signing(&mut self, signing: &CertKeyReference, trusted: Option<&[Certificate]>) {
        let fits = self.check_pair(signing).is_some();
        if let (true, Some(trusted), Some(cert), Some(key)) =
            (fits, trusted, &signing.cert, &signing.key)
            && let Err(error) = pem::load_authority(
                PemSetting::from_reference(cert),
                PemSetting::from_reference(key),
                trusted,
            )
        {
            let help = "name a CA certificate whose issuer is in `identity.ca`";
            self.push_error(cert, NO_AUTHORITY, &error, help);
        }
    }

    fn check_store(
        &mut self,
        StoreReference {
            path,
            place,
            location,
        }: &StoreReference,
    ) {
        let store = location.store_path();
        let key = location.sealing_key_path();
        for file in [
            ("the store", &*store, Tolerance::GroupRead),
            ("the sealing key", &*key, Tolerance::Strict),
        ] {
            self.check_permissions((path, *place), file);
        }
        let folder = files::directory_of(&store);
        if folder.is_dir() {
            return;
        }
        let message = format!(
            "the directory {} of the store does not exist",
            folder.display()
        );
        let mut found = Diagnostic::new(
            Severity::Error,
            MISSING_FOLDER,
            path.clone(),
            *place,
            message,
        );
        found.help("create the directory, or name another one");
        self.diagnostics.push(found);
    }

    /// Checks keys of the home that are not referenced, above all that of the root.
    fn check_unnamed_keys(&mut self) {
        for file in self.own_keys.iter() {
            let file = ("the private key", file, Tolerance::GroupRead);
            self.check_permissions((&KeyPath::root(), SourceLocation::default()), file);
        }
    }

    /// Checks the permissions of a file and of the folders above, and reports problems at `place`.
    fn check_permissions(
        &mut self,
        (path, place): (&KeyPath, SourceLocation),
        (what, file, tolerance): (&str, &Path, Tolerance),
    ) {
        let exposures = [
            file_permissions::check_file(what, file, tolerance),
            file_permissions::check_folders(what, file),
        ];
        for exposure in exposures.into_iter().flatten() {
            // Several certificates may share a key.
            if (self.diagnostics.iter()).any(|found| found.message == exposure.message) {
                continue;
            }
            let (severity, message) = (exposure.severity, exposure.message);
            let mut found = Diagnostic::new(severity, EXPOSED_FILE, path.clone(), place, message);
            found.help(exposure.help);
            self.diagnostics.push(found);
        }
    }

    fn push_error(
        &mut self,
        at: &model::PemReference,
        code: &'static str,
        error: &anyhow::Error,
        help: &str,
    ) {
        let message = output::error_chain(error);
        let is_known = |found: &Diagnostic| found.path == at.path && found.message == message;
        // Several certificates may share a key.
        if !self.diagnostics.iter().any(is_known) {
            let (path, place) = (at.path.clone(), at.place);
            let mut found = Diagnostic::new(Severity::Error, code, path, place, message);
            found.help(help);
            self.diagnostics.push(found);
        }
    }
}

fn missing_file_help(path: &Path) -> String {
    match std::env::current_dir() {
        Ok(folder) if path.is_relative() => format!(
            "relative paths start at the working directory {}; start the controller in the right \
             directory, correct the path, or write `relativePaths: file` if the path starts at the \
             directory of this file",
            folder.display()
        ),
        _ => "create the file, or correct the path".to_owned(),
    }
}
