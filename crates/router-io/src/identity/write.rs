//! Writing certificates and keys to the files of an identity.

use std::path::{Path, PathBuf};

use portcullis_files::{FileError, SECRET_MODE, draft_path};

use super::{IdentityError, IdentityFiles, KeyRole, PemValue};

/// Certificates that a controller has issued, and a key that was made for them. All are PEM.
#[derive(Debug, Clone, Copy)]
pub struct NewIdentity<'a> {
    /// Client certificate, with its intermediates.
    pub certificate: &'a str,
    /// Server certificate, with its intermediates.
    pub server_certificate: &'a str,
    /// What the network trusts; `None` leaves it as it is.
    pub authorities: Option<&'a str>,
}

/// Files that were checked for writing.
#[derive(Debug)]
pub struct IdentityDraft<'f> {
    certificate: &'f Path,
    server_certificate: Option<&'f Path>,
    authorities: Option<&'f Path>,
}

impl IdentityFiles {
    /// Whether everything that a controller issues can be written to files of its own. To be called before
    /// something is used that there is only once, such as a token.
    pub fn draft(&self) -> Result<IdentityDraft<'_>, IdentityError> {
        let server = self.server.as_ref().map(|pair| &pair.certificate);
        let certificates = [
            Some(&self.client.certificate),
            server,
            self.authorities.as_ref(),
        ];
        let keys = [
            Some(&self.client.key),
            self.server.as_ref().map(|it| &it.key),
        ];
        let written: Vec<&PemValue> = certificates.into_iter().flatten().collect();
        for (index, value) in written.iter().enumerate() {
            let path = writable(value)?;
            let others = written.iter().skip(index + 1).copied();
            let mut others = others.chain(keys.into_iter().flatten());
            if let Some(other) = others.find(|other| other.file() == Some(path)) {
                return Err(IdentityError::SameFile {
                    first: value.key_name().to_owned(),
                    second: other.key_name().to_owned(),
                    path: path.to_owned(),
                });
            }
        }
        Ok(IdentityDraft {
            certificate: writable(&self.client.certificate)?,
            server_certificate: server.map(writable).transpose()?,
            authorities: self.authorities.as_ref().map(writable).transpose()?,
        })
    }

    /// Replaces certificates that were renewed. The key stays. After an error, the files of before are there,
    /// unless the disk fails between them.
    pub fn write(&self, renewed: &NewIdentity<'_>) -> Result<(), IdentityError> {
        Ok(self.draft()?.write(renewed)?)
    }

    /// Writes a key that there was none of before, only for its owner to read.
    pub fn write_key(&self, role: KeyRole, pem: &str) -> Result<(), IdentityError> {
        let path = writable(self.key_value(role))?;
        Ok(portcullis_files::replace(
            path,
            pem.as_bytes(),
            SECRET_MODE,
        )?)
    }
}

impl IdentityDraft<'_> {
    /// Writes all files.
    pub fn write(&self, new: &NewIdentity<'_>) -> Result<(), FileError> {
        self.stage(new)?.put_in_place()
    }

    /// Writes all files aside.
    pub(super) fn stage(&self, new: &NewIdentity<'_>) -> Result<Staged, FileError> {
        let contents = [
            (self.authorities, new.authorities),
            (self.server_certificate, Some(new.server_certificate)),
            (Some(self.certificate), Some(new.certificate)),
        ];
        let mut staged = Staged(Vec::new());
        for (path, text) in contents
            .into_iter()
            .filter_map(|(path, text)| path.zip(text))
        {
            match portcullis_files::write_draft(path, text.as_bytes(), SECRET_MODE) {
                Ok(draft) => staged.0.push((draft, path.to_owned())),
                Err(error) => {
                    staged.discard();
                    return Err(error);
                },
            }
        }
        Ok(staged)
    }
}

/// Files that were written aside, each with its place. They stay until they are put in place or discarded:
/// a controller may have confirmed a certificate, and accept no other one, although its answer was lost.
#[derive(Debug)]
pub(super) struct Staged(Vec<(PathBuf, PathBuf)>);

impl Staged {
    /// What is aside of these places, in the order in which it is put in place.
    pub(super) fn found(places: impl IntoIterator<Item = PathBuf>) -> Self {
        let drafts = places.into_iter().map(|path| (draft_path(&path), path));
        Self(drafts.filter(|(draft, _)| draft.exists()).collect())
    }

    /// Where what belongs to a place is aside.
    pub(super) fn of(&self, place: &Path) -> Option<&Path> {
        let mut files = self.0.iter();
        let found = files.find(|(_, path)| path == place);
        found.map(|(draft, _)| draft.as_path())
    }

    /// Puts the files in place, one right after the other.
    pub(super) fn put_in_place(self) -> Result<(), FileError> {
        let mut files = self.0.iter();
        files.try_for_each(|(draft, path)| portcullis_files::rename(draft, path))
    }

    pub(super) fn discard(self) {
        for (draft, _) in &self.0 {
            let _stays = portcullis_files::remove(draft);
        }
    }
}

fn writable(value: &PemValue) -> Result<&Path, IdentityError> {
    value.file().ok_or_else(|| IdentityError::Inline {
        value: value.describe(),
    })
}
