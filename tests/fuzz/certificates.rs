//! Certificates and requests for them, in PEM, DER and PKCS #7.

use crate::driver::{corpus, fuzz, place, text};
use portcullis_domain::clock::Timestamp;
use portcullis_pki::{
    Certificate, Csr, SpiffeId, TrustAnchors, VerifyAt, certificates_from_pem, certificates_to_pem,
    pkcs7,
};
use portcullis_testkit::client_key_and_csr;
use std::cell::Cell;

/// All of what is asked of a certificate that could be read.
fn look_at(certificate: &Certificate) -> String {
    let names = [
        certificate.uri_names().count(),
        certificate.email_names().count(),
        certificate.dns_names().count(),
    ];
    let texts = [
        certificate.subject(),
        certificate.issuer(),
        certificate.serial_number(),
        certificate.fingerprint().to_string(),
        certificate.sha256().to_string(),
        certificate.key_fingerprint().to_string(),
    ];
    let empty = texts.iter().filter(|text| text.is_empty()).count();
    let key = certificate.public_key().map(|key| key.kind());
    let spiffe = SpiffeId::from_certificate(certificate);
    let is_valid = certificate.not_before() <= certificate.not_after();
    let rest = (certificate.is_self_issued(), certificate.common_name());
    place(&(names, empty, key.is_ok(), spiffe.is_ok(), is_valid, rest.0))
}

fn ders() -> Vec<Vec<u8>> {
    let files = corpus("certificates");
    let chains = files
        .iter()
        .map(|file| certificates_from_pem(&text(file)).unwrap());
    chains.flatten().map(|one| one.as_der().to_vec()).collect()
}

#[test]
fn fuzzed_certificates_are_read_as_they_were_written_or_refused() {
    fuzz("certificates", ders(), |input| {
        let certificate = match Certificate::from_der(input) {
            Ok(certificate) => certificate,
            Err(error) => return Ok(place(&error)),
        };
        // Whoever reads it after us has to see the same.
        let again = certificates_from_pem(&certificate.to_pem())
            .map_err(|error| format!("its PEM cannot be read: {error}"))?;
        match again.as_slice() {
            [one] if one.as_der() == input => Ok(look_at(&certificate)),
            _ => Err("it is written as another one".to_owned()),
        }
    });
}

/// Nothing but the certificate that the authority signed chains to it.
#[test]
fn fuzzed_certificates_do_not_chain() {
    let chain = certificates_from_pem(&text(&corpus("certificates")[0])).unwrap();
    let [leaf, authority] = chain.as_slice() else {
        panic!("the first file of the corpus is a leaf and its authority");
    };
    let anchors = TrustAnchors::new(vec![authority.clone()]).unwrap();
    let now: Timestamp = leaf.not_before();
    let verify = |leaf: &Certificate| {
        anchors
            .verify_client_chain(leaf, &[], VerifyAt::Now(now))
            .is_ok()
    };
    assert!(verify(leaf), "the leaf itself chains");
    let chained = Cell::new(0);
    fuzz("chains", vec![leaf.as_der().to_vec()], |input| {
        let Ok(forged) = Certificate::from_der(input) else {
            return Ok("no certificate".to_owned());
        };
        if verify(&forged) {
            chained.set(chained.get() + 1);
            if forged.as_der() != leaf.as_der() {
                return Err("a certificate chains that was never signed".to_owned());
            }
        }
        Ok(look_at(&forged))
    });
    assert!(chained.get() > 0, "not even the original was tried");
}

#[test]
fn fuzzed_pem_is_read_or_refused() {
    fuzz("PEM", corpus("certificates"), |input| {
        let certificates = match certificates_from_pem(&text(input)) {
            Ok(certificates) => certificates,
            Err(error) => return Ok(place(&error)),
        };
        let again = certificates_from_pem(&certificates_to_pem(&certificates));
        if !certificates.is_empty() && again.as_ref() != Ok(&certificates) {
            return Err("what was read is written otherwise".to_owned());
        }
        Ok(format!("{} certificates", certificates.len()))
    });
}

#[test]
fn fuzzed_bundles_are_read_or_refused() {
    let certificates: Vec<_> = ders()
        .into_iter()
        .map(|der| Certificate::from_der(der).unwrap())
        .collect();
    let inputs = (0..=certificates.len()).map(|count| {
        pkcs7::encode_base64(&certificates[..count])
            .unwrap()
            .into_bytes()
    });
    fuzz("PKCS #7", inputs.collect(), |input| {
        let read = pkcs7::decode_base64(&text(input));
        Ok(read.map_or_else(|error| place(&error), |all| all.len().to_string()))
    });
}

/// The key of what is accepted is the one whose holder signed the request.
#[test]
fn fuzzed_requests_for_certificates_are_refused_unless_signed() {
    let mut inputs = corpus("requests");
    inputs.push(client_key_and_csr().1.into_bytes());
    let originals: Vec<_> = inputs
        .iter()
        .map(|input| Csr::from_pem(&text(input)).unwrap())
        .collect();
    fuzz("requests for certificates", inputs, |input| {
        // The same bytes as DER are another try.
        let _ = Csr::from_der(input);
        match Csr::from_pem(&text(input)) {
            Ok(csr)
                if originals
                    .iter()
                    .any(|one| one.public_key() == csr.public_key()) =>
            {
                Ok(place(&csr.subject()))
            },
            Ok(_) => Err("a request is accepted that nobody signed".to_owned()),
            Err(error) => Ok(place(&error)),
        }
    });
}
