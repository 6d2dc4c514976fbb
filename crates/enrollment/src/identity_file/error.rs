//! What is wrong with an identity file.

use portcullis_files::FileError;
use std::error::Error;
use std::io;
use std::path::PathBuf;

/// Why something failed, in the words of whatever it failed in.
type Cause = Box<dyn Error + Send + Sync>;

/// An identity file cannot be used, or not be written.
#[derive(Debug, thiserror::Error)]
pub enum IdentityFileError {
    #[error("{name} cannot be read")]
    Read {
        name: String,
        #[source]
        source: io::Error,
    },
    #[error("{name} is not an identity file (line {line}, column {column})")]
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
        problem: FieldProblem,
        #[source]
        cause: Option<Cause>,
    },
    #[error("the identity file cannot be written as JSON")]
    Encode,
    #[error(transparent)]
    Write(#[from] FileError),
}

/// What is wrong with a member of an identity file.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum FieldProblem {
    #[error("is missing")]
    Missing,
    #[error("has the wrong type")]
    Type,
    #[error("is not the address of a controller: it must have the form https://host:port")]
    NotAController,
    #[error("must start with `pem:` or `file://`, or be the path of a file")]
    Location,
    #[error("names {}, which cannot be read", .0.display())]
    File(PathBuf),
    #[error("contains no certificate")]
    NoCertificate,
    #[error("contains something that is not a certificate")]
    NotACertificate,
    #[error("contains no private key")]
    NoKey,
    #[error("cannot be used")]
    Unusable,
}

impl IdentityFileError {
    /// What the message does not say yet.
    pub fn into_cause(self) -> Option<Cause> {
        match self {
            Self::Read { source, .. } => Some(source.into()),
            Self::Field { cause, .. } => cause,
            Self::NotJson { .. } | Self::Encode | Self::Write(_) => None,
        }
    }

    /// The messages of the library may quote the file, and with it the key.
    pub(super) fn of_json(
        name: String,
        error: &serde_path_to_error::Error<serde_json::Error>,
    ) -> Self {
        let json = error.inner();
        // What is no object has no member that could be named.
        if json.is_data() && error.path().iter().next().is_some() {
            return Self::Field {
                name,
                field: error.path().to_string(),
                problem: FieldProblem::Type,
                cause: None,
            };
        }
        Self::NotJson {
            name,
            line: json.line(),
            column: json.column(),
        }
    }
}
