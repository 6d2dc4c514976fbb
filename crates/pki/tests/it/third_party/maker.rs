//! Keys and certificates as OpenSSL makes them.

use std::path::Path;

use portcullis_pki::Certificate;
use tempfile::TempDir;

use crate::openssl::{folder, openssl};

pub(crate) const P256: [&str; 3] = ["EC", "-pkeyopt", "ec_paramgen_curve:P-256"];
pub(crate) const CA: &str = "basicConstraints=critical,CA:TRUE\nkeyUsage=critical,keyCertSign";
pub(crate) const LEAF: &str = "extendedKeyUsage=clientAuth";

/// A folder in which one file has the key and one the certificate of each name.
pub(crate) struct Maker(TempDir);

impl Maker {
    /// `None` if OpenSSL is not installed.
    pub(crate) fn new() -> Option<Self> {
        let folder = folder()?;
        let config = "[req]\ndistinguished_name=dn\n[dn]\n";
        std::fs::write(folder.path().join("openssl.cnf"), config).unwrap();
        Some(Self(folder))
    }

    pub(crate) fn path(&self) -> &Path {
        self.0.path()
    }

    pub(crate) fn run(&self, arguments: &[&str]) -> String {
        openssl(self.path(), arguments)
    }

    pub(crate) fn write(&self, file: &str, contents: impl AsRef<[u8]>) {
        std::fs::write(self.path().join(file), contents).unwrap();
    }

    pub(crate) fn read(&self, file: &str) -> Vec<u8> {
        std::fs::read(self.path().join(file)).unwrap()
    }

    /// Makes the key `name`: an algorithm and options to it.
    pub(crate) fn key(&self, name: &str, algorithm: &[&str]) {
        let file = format!("{name}.key");
        let arguments = [&["genpkey", "-out", &file, "-algorithm"], algorithm].concat();
        self.run(&arguments);
    }

    /// Makes a certificate for the key `name` under the subject `CN=name`, signed by `issuer`: by
    /// itself if that is the same.
    pub(crate) fn certify(&self, name: &str, issuer: &str, extensions: &str) -> Certificate {
        let [key, csr, pem] = ["key", "csr", "pem"].map(|suffix| format!("{name}.{suffix}"));
        self.write("extensions", extensions);
        let subject = format!("/CN={name}");
        self.run(&[
            "req",
            "-new",
            "-config",
            "openssl.cnf",
            "-key",
            &key,
            "-subj",
            &subject,
            "-out",
            &csr,
        ]);
        let [above_key, above] = ["key", "pem"].map(|suffix| format!("{issuer}.{suffix}"));
        let mut arguments = vec![
            "x509",
            "-req",
            "-in",
            &csr,
            "-days",
            "30",
            "-extfile",
            "extensions",
            "-out",
            &pem,
        ];
        if issuer == name {
            arguments.extend(["-signkey", &key]);
        } else {
            arguments.extend(["-CA", &above, "-CAkey", &above_key, "-CAcreateserial"]);
        }
        self.run(&arguments);
        let text = String::from_utf8(self.read(&pem)).unwrap();
        Certificate::from_single_pem(&text).unwrap()
    }

    /// Makes key and certificate together.
    pub(crate) fn make(&self, name: &str, issuer: &str, extensions: &str) -> Certificate {
        self.key(name, &P256);
        self.certify(name, issuer, extensions)
    }
}
