//! Whether what a configuration names is there, and is what it has to be.

use super::exposure::{self, Tolerance};
use super::own_keys::OwnKeys;
use crate::material::{self, Named, PairOf};
use crate::output;
use portcullis_controller_config::{self as model, Material, NamedPair, NamedStore, NamedThings};
use portcullis_pki::{Certificate, SigningKey};
use portcullis_yaml::{Diagnostic, KeyPath, Place, Severity};
use std::io;
use std::path::Path;

/// A file that is named is not there.
const MISSING_FILE: &str = "missing-file";
/// A file that is named cannot be read.
pub(super) const UNREADABLE_FILE: &str = "unreadable-file";
/// There is no certificate where one is named.
const NO_CERTIFICATE: &str = "no-certificate";
/// There is no private key where one is named.
const NO_KEY: &str = "no-key";
/// A key is not that of its certificate.
const KEY_MISMATCH: &str = "key-mismatch";
/// A certificate that has to be that of an authority is none, or nobody knows who issued it.
const NO_AUTHORITY: &str = "no-authority";
/// A file with secrets is open to others.
pub(super) const EXPOSED_FILE: &str = "exposed-file";
/// The folder of the store is not there.
const MISSING_FOLDER: &str = "missing-folder";

/// Finds everything that is wrong around the file, each at the value that names it.
pub(super) fn check(named: &NamedThings, own_keys: &OwnKeys) -> Vec<Diagnostic> {
    let mut findings = Findings {
        own_keys,
        found: Vec::new(),
    };
    for pair in named.identities.iter().flat_map(|each| &each.pairs) {
        findings.pair(pair);
    }
    let trusted = findings.trusted(named);
    findings.signing(&named.signing, trusted.as_deref());
    if let Some(store) = &named.store {
        findings.store(store);
    }
    findings.unnamed_keys();
    findings.found
}

struct Findings<'k> {
    own_keys: &'k OwnKeys,
    found: Vec<Diagnostic>,
}

impl Findings<'_> {
    fn pair(&mut self, NamedPair { cert, key }: &NamedPair) -> Option<()> {
        let chain = cert.as_ref().and_then(|cert| self.certificates(cert));
        let loaded = key.as_ref().and_then(|key| self.key(key));
        let (chain, loaded, cert, key) = (chain?, loaded?, cert.as_ref()?, key.as_ref()?);
        let pair = PairOf {
            certificate: Named::of(cert),
            key: Named::of(key),
        };
        match pair.join(chain, loaded) {
            Ok(_) => Some(()),
            Err(error) => {
                let help = "name the key that the certificate was made for";
                self.add(key, KEY_MISMATCH, &error, help);
                None
            },
        }
    }

    fn certificates(&mut self, named: &model::Named) -> Option<Vec<Certificate>> {
        self.readable(named)?;
        Named::of(named)
            .certificates()
            .map_err(|error| {
                let help = "name a file with one or more certificates in PEM";
                self.add(named, NO_CERTIFICATE, &error, help);
            })
            .ok()
    }

    fn key(&mut self, named: &model::Named) -> Option<SigningKey> {
        self.readable(named)?;
        if let Material::File(path) = &named.material {
            let tolerance = if self.own_keys.contains(path) {
                Tolerance::GroupReads
            } else {
                Tolerance::Foreign
            };
            let file = ("the private key", &**path, tolerance);
            self.exposed((&named.path, named.place), file);
        }
        Named::of(named)
            .key()
            .map_err(|error| {
                let help = "name a PEM file with an unencrypted private key";
                self.add(named, NO_KEY, &error, help);
            })
            .ok()
    }

    fn readable(&mut self, named: &model::Named) -> Option<()> {
        let error = Named::of(named).text().err();
        let Some(error) = error else { return Some(()) };
        let is_missing = error
            .downcast_ref::<io::Error>()
            .is_some_and(|cause| cause.kind() == io::ErrorKind::NotFound);
        match &named.material {
            Material::File(path) if is_missing => {
                self.add(named, MISSING_FILE, &error, &where_to_put(path));
            },
            _ => {
                let help = "give this user the right to read it, or name another file";
                self.add(named, UNREADABLE_FILE, &error, help);
            },
        }
        None
    }

    /// Collects the authorities that are trusted; `None` if some of them cannot be known.
    fn trusted(&mut self, named: &NamedThings) -> Option<Vec<Certificate>> {
        let named: Vec<_> = named
            .identities
            .iter()
            .filter_map(|identity| identity.ca.as_ref())
            .chain(&named.signing_ca)
            .collect();
        let found: Vec<_> = named.iter().map(|each| self.certificates(each)).collect();
        let mut all: Vec<_> = found.into_iter().collect::<Option<Vec<_>>>()?.concat();
        all.retain(Certificate::is_ca);
        let (first, true) = (named.first()?, all.is_empty()) else {
            return Some(all);
        };
        let name = Named::of(first);
        let error = anyhow::anyhow!("{} contains no CA certificate", name.describe());
        let help = "name a file with the root certificates that clients trust";
        self.add(first, NO_AUTHORITY, &error, help);
        None
    }

    fn signing(&mut self, signing: &NamedPair, trusted: Option<&[Certificate]>) {
        let fits = self.pair(signing).is_some();
        if let (true, Some(trusted), Some(cert), Some(key)) =
            (fits, trusted, &signing.cert, &signing.key)
            && let Err(error) = material::authority(Named::of(cert), Named::of(key), trusted)
        {
            let help = "name a CA certificate whose issuer is in `identity.ca`";
            self.add(cert, NO_AUTHORITY, &error, help);
        }
    }

    fn store(
        &mut self,
        NamedStore {
            path,
            place,
            location,
        }: &NamedStore,
    ) {
        let store = location.store_path();
        let key = location.sealing_key_path();
        for file in [
            ("the store", &*store, Tolerance::GroupReads),
            ("the sealing key", &*key, Tolerance::Nothing),
        ] {
            self.exposed((path, *place), file);
        }
        let folder = match store.parent() {
            Some(folder) if !folder.as_os_str().is_empty() => folder,
            _ => return,
        };
        if folder.is_dir() {
            return;
        }
        let message = format!(
            "the folder {} of the store does not exist",
            folder.display()
        );
        let mut found = Diagnostic::new(
            Severity::Error,
            MISSING_FOLDER,
            path.clone(),
            *place,
            message,
        );
        found.help("create the folder, or name another one");
        self.found.push(found);
    }

    /// Looks at the keys that are kept beside those which are named: that of the root above all.
    fn unnamed_keys(&mut self) {
        for file in self.own_keys.iter() {
            let file = ("the private key", file, Tolerance::GroupReads);
            self.exposed((&KeyPath::root(), Place::default()), file);
        }
    }

    /// Looks at the mode and the owner of a file that is named at a place, and at the folders above.
    fn exposed(
        &mut self,
        (path, place): (&KeyPath, Place),
        (what, file, tolerance): (&str, &Path, Tolerance),
    ) {
        let exposures = [
            exposure::of(what, file, tolerance),
            exposure::above(what, file),
        ];
        for exposure in exposures.into_iter().flatten() {
            // One key may belong to several certificates.
            if (self.found.iter()).any(|found| found.message == exposure.message) {
                continue;
            }
            let (severity, message) = (exposure.severity, exposure.message);
            let mut found = Diagnostic::new(severity, EXPOSED_FILE, path.clone(), place, message);
            found.help(exposure.help);
            self.found.push(found);
        }
    }

    fn add(&mut self, at: &model::Named, code: &'static str, error: &anyhow::Error, help: &str) {
        let message = output::sentence(error);
        let is_known = |found: &Diagnostic| found.path == at.path && found.message == message;
        // One key may belong to several certificates.
        if !self.found.iter().any(is_known) {
            let (path, place) = (at.path.clone(), at.place);
            let mut found = Diagnostic::new(Severity::Error, code, path, place, message);
            found.help(help);
            self.found.push(found);
        }
    }
}

fn where_to_put(path: &Path) -> String {
    match std::env::current_dir() {
        Ok(folder) if path.is_relative() => format!(
            "relative paths start at the working directory {}; start the controller in the right \
             directory, correct the path, or write `relativePaths: file` if the path starts at the \
             folder of this file",
            folder.display()
        ),
        _ => "create the file, or correct the path".to_owned(),
    }
}
