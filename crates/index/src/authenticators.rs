//! Catalog columns of authenticators.

use crate::catalog::{CatalogColumns, CatalogEntry};
use crate::column::{ColumnRef, Constant};
use crate::slot_bits::set_flag;
use crate::slots::Slot;
use portcullis_domain::authenticator::{Authenticator, Credential};
use portcullis_domain::clock::Timestamp;
use roaring::RoaringBitmap;

impl CatalogEntry for Authenticator {
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

/// Columns of authenticators.
///
/// Fingerprints and usernames are only in the records: they are long and distinct, and the store
/// has unique indexes for them.
#[derive(Debug, Default)]
pub struct AuthenticatorColumns {
    network_certs: RoaringBitmap,
    foreign_certs: RoaringBitmap,
}

impl AuthenticatorColumns {
    /// Certificates issued by the network.
    pub const fn network_certs(&self) -> &RoaringBitmap {
        &self.network_certs
    }

    /// Certificates of other issuers. Authenticators in neither set are passwords.
    pub const fn foreign_certs(&self) -> &RoaringBitmap {
        &self.foreign_certs
    }

    /// Whether the authenticator in a slot is a certificate of any issuer.
    pub fn is_certificate(&self, slot: Slot) -> bool {
        self.network_certs.contains(slot.bit()) || self.foreign_certs.contains(slot.bit())
    }

    fn set_issuer(&mut self, slot: Slot, is_own: Option<bool>) {
        set_flag(&mut self.network_certs, slot, is_own == Some(true));
        set_flag(&mut self.foreign_certs, slot, is_own == Some(false));
    }
}

impl CatalogColumns<Authenticator> for AuthenticatorColumns {
    fn set(&mut self, slot: Slot, authenticator: &Authenticator) {
        let is_own = match &authenticator.credential {
            Credential::Cert(cert) => Some(cert.is_issued_by_network),
            Credential::Updb(_) => None,
        };
        self.set_issuer(slot, is_own);
    }

    fn column(&self, symbol: &str) -> Option<ColumnRef<'_>> {
        let cases = |own, foreign, password| {
            ColumnRef::constants(
                [(&self.network_certs, own), (&self.foreign_certs, foreign)],
                password,
            )
        };
        let cert = Constant::Text("cert");
        Some(match symbol {
            "method" => cases(cert, cert, Constant::Text("updb")),
            "isIssuedByNetwork" => cases(
                Constant::Boolean(true),
                Constant::Boolean(false),
                Constant::Missing,
            ),
            _ => return None,
        })
    }

    fn clear(&mut self, slot: Slot) {
        self.set_issuer(slot, None);
    }

    fn heap_bytes(&self) -> usize {
        self.network_certs.serialized_size() + self.foreign_certs.serialized_size()
    }
}
