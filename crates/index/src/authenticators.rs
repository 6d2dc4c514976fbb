//! Authenticators in a catalog.

use crate::bits::mark;
use crate::catalog::{Catalogued, Columns};
use crate::held::{Held, Word};
use crate::slots::Slot;
use portcullis_domain::authenticator::{Authenticator, Credential};
use portcullis_domain::clock::Timestamp;
use roaring::RoaringBitmap;

impl Catalogued for Authenticator {
    type Columns = AuthenticatorColumns;

    fn id(&self) -> &str {
        self.id.as_str()
    }

    fn name(&self) -> Option<&str> {
        None
    }

    fn created_at(&self) -> Timestamp {
        self.created_at
    }

    fn updated_at(&self) -> Timestamp {
        self.updated_at
    }
}

/// What authenticators are searched by besides their owner and times.
///
/// Fingerprints and usernames stay in the records: they are long, all differ, and the store finds
/// an authenticator by each of them.
#[derive(Debug, Default)]
pub struct AuthenticatorColumns {
    own_certs: RoaringBitmap,
    foreign_certs: RoaringBitmap,
}

impl AuthenticatorColumns {
    /// Certificates that the network's own authority issued.
    pub const fn own_certs(&self) -> &RoaringBitmap {
        &self.own_certs
    }

    /// Certificates that another authority issued. What is in neither is a password.
    pub const fn foreign_certs(&self) -> &RoaringBitmap {
        &self.foreign_certs
    }

    /// Whether the one in a slot is a certificate, whoever issued it.
    pub fn is_certificate(&self, slot: Slot) -> bool {
        self.own_certs.contains(slot.bit()) || self.foreign_certs.contains(slot.bit())
    }

    fn mark(&mut self, slot: Slot, is_own: Option<bool>) {
        mark(&mut self.own_certs, slot, is_own == Some(true));
        mark(&mut self.foreign_certs, slot, is_own == Some(false));
    }
}

impl Columns<Authenticator> for AuthenticatorColumns {
    fn set(&mut self, slot: Slot, authenticator: &Authenticator) {
        let is_own = match &authenticator.credential {
            Credential::Cert(cert) => Some(cert.is_issued_by_network),
            Credential::Updb(_) => None,
        };
        self.mark(slot, is_own);
    }

    fn held(&self, symbol: &str) -> Option<Held<'_>> {
        let cases = |own, foreign, password| {
            Held::cases(
                [(&self.own_certs, own), (&self.foreign_certs, foreign)],
                password,
            )
        };
        let cert = Word::Text("cert");
        Some(match symbol {
            "method" => cases(cert, cert, Word::Text("updb")),
            "isIssuedByNetwork" => cases(Word::Boolean(true), Word::Boolean(false), Word::Missing),
            _ => return None,
        })
    }

    fn clear(&mut self, slot: Slot) {
        self.mark(slot, None);
    }

    fn heap_bytes(&self) -> usize {
        self.own_certs.serialized_size() + self.foreign_certs.serialized_size()
    }
}
