//! Certificates that were written aside, and not put in place: the program ended in between.

use std::path::Path;

use super::write::Staged;
use super::{IdentityError, IdentityFiles, LoadedIdentity};
use portcullis_domain::error_sources::with_sources;

/// Certificates that lie beside those in place.
pub(super) struct LeftOver {
    pub(super) loaded: LoadedIdentity,
    pub(super) staged: Staged,
}

impl IdentityFiles {
    /// Puts certificates in place that an interrupted enrollment has left aside, if what is in place cannot be
    /// used without them: its token is spent. Returns whether there were any.
    ///
    /// # Errors
    ///
    /// The files cannot be moved.
    pub fn finish_enrollment(&self) -> Result<bool, IdentityError> {
        if self.load().is_ok() {
            return Ok(false);
        }
        let Some(left_over) = self.left_over() else {
            return Ok(false);
        };
        left_over.staged.put_in_place()?;
        Ok(true)
    }

    /// What is aside, if it can be used. What is of no use is removed.
    pub(super) fn left_over(&self) -> Option<LeftOver> {
        let staged = self.staged();
        let client = self.client.certificate.file()?;
        if staged.of(client).is_none() {
            // The client certificate is written and moved last: nobody has confirmed the others.
            staged.discard();
            return None;
        }
        match self.with(&staged).load() {
            Ok(loaded) => Some(LeftOver { loaded, staged }),
            Err(error) => {
                let error = with_sources(&error);
                tracing::warn!(error, "certificates that a renewal has left are discarded");
                staged.discard();
                None
            },
        }
    }

    fn staged(&self) -> Staged {
        let server = self.server.as_ref().map(|pair| &pair.certificate);
        let client = Some(&self.client.certificate);
        let written = [self.authorities.as_ref(), server, client];
        let places = written
            .into_iter()
            .flatten()
            .filter_map(|value| value.file());
        Staged::found(places.map(Path::to_owned))
    }

    /// The same files, but for those that are aside.
    fn with(&self, staged: &Staged) -> Self {
        let mut files = self.clone();
        let server = files.server.as_mut().map(|pair| &mut pair.certificate);
        let client = Some(&mut files.client.certificate);
        let written = [files.authorities.as_mut(), server, client];
        for value in written.into_iter().flatten() {
            if let Some(draft) = value.file().and_then(|place| staged.of(place)) {
                *value = value.in_file(draft);
            }
        }
        files
    }
}
