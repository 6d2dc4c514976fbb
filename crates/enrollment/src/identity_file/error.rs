//! What is wrong with an identity file.

use portcullis_client::BuildError;
use portcullis_files::FileError;
use portcullis_pki::CertificateError;
use std::io;
use std::path::PathBuf;

/// An identity file cannot be used, or not be written.
#[derive(Debug, thiserror::Error)]
pub enum IdentityFileError {
    #[error("{name} cannot be read")]
    Read {
        name: String,
        #[source]
        source: io::Error,
    },
    #[error("{name} is not an identity file: it is not JSON at line {line}, column {column}")]
    NotJson {
        name: String,
        line: usize,
        column: usize,
    },
    #[error("`{field}` of {name} {problem}")]
    Field {
        name: String,
        /// Path of the member, such as `id.cert`.
        field: String,
        #[source]
        problem: FieldProblem,
    },
    #[error("the identity file cannot be written as JSON")]
    Encode,
    #[error(transparent)]
    Write(#[from] FileError),
}

/// What is wrong with a member of an identity file.
#[derive(Debug, thiserror::Error)]
pub enum FieldProblem {
    #[error("is missing")]
    Missing,
    #[error("has the wrong type")]
    Type,
    #[error("is not the address of a controller: it must have the form https://host:port")]
    NotAController,
    #[error("must start with `pem:` or `file://`, or be the path of a file")]
    Location,
    #[error("names {}, which cannot be read", path.display())]
    File {
        path: PathBuf,
        #[source]
        source: io::Error,
    },
    #[error("contains no certificate")]
    NoCertificate,
    #[error("contains something that is not a certificate")]
    Certificate(#[source] CertificateError),
    #[error("contains no private key")]
    NoKey,
    #[error("cannot be used")]
    Unusable(#[source] BuildError),
}

impl IdentityFileError {
    /// The messages of the library may quote the file, and with it the key.
    pub(super) fn of_json(
        name: String,
        error: &serde_path_to_error::Error<serde_json::Error>,
    ) -> Self {
        let json = error.inner();
        if json.is_data() {
            return Self::Field {
                name,
                field: error.path().to_string(),
                problem: FieldProblem::Type,
            };
        }
        Self::NotJson {
            name,
            line: json.line(),
            column: json.column(),
        }
    }
}
