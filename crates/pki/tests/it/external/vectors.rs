//! Published examples.

use portcullis_pki::external::{ClaimSelector, Claims, JwtError, KeySet, PresentedToken};
use serde_json::{Value, json};

use super::signer::key_set;

/// The claims of RFC 7515 appendix A.1, and of A.2 and A.3 after it.
const JOE: &str = concat!(
    "eyJpc3MiOiJqb2UiLA0KICJleHAiOjEzMDA4MTkzODAsDQogImh0dHA6Ly9leGFt",
    "cGxlLmNvbS9pc19yb290Ijp0cnVlfQ"
);

fn verify(token: &str, keys: &KeySet) -> Result<Claims, JwtError> {
    let token = PresentedToken::parse(token)?;
    token.verify(keys.candidates("k1")).cloned()
}

fn rsa() -> Value {
    let modulus = concat!(
        "ofgWCuLjybRlzo0tZWJjNiuSfb4p4fAkd_wWJcyQoTbji9k0l8W26mPddxHmfHQp",
        "-Vaw-4qPCJrcS2mJPMEzP1Pt0Bm4d4QlL-yRT-SFd2lZS-pCgNMsD1W_YpRPEwOW",
        "vG6b32690r2jZ47soMZo9wGzjb_7OMg0LOL-bSf63kpaSHSXndS5z5rexMdbBYUs",
        "LA9e-KXBdQOS-UTo7WTBEMa2R2CapHg665xsmtdVMTBQY4uDZlxvb3qCo5ZwKh9k",
        "G4LT6_I5IhlJH7aGhyxXFvUK-DWNmoudF8NAco9_h9iaGNj8q2ethFkMLs91kzk2",
        "PAcDTW9gb54h4FRWyuXpoQ"
    );
    json!({"kid": "k1", "kty": "RSA", "n": modulus, "e": "AQAB"})
}

fn p256() -> Value {
    json!({
        "kid": "k1", "kty": "EC", "crv": "P-256",
        "x": "f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU",
        "y": "x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0",
    })
}

#[test]
fn rs256_and_es256_of_the_standard_verify() {
    let rs256 = concat!(
        "cC4hiUPoj9Eetdgtv3hF80EGrhuB__dzERat0XF9g2VtQgr9PJbu3XOiZj5RZmh7",
        "AAuHIm4Bh-0Qc_lF5YKt_O8W2Fp5jujGbds9uJdbF9CUAr7t1dnZcAcQjbKBYNX4",
        "BAynRFdiuB--f_nZLgrnbyTyWzO75vRK5h6xBArLIARNPvkSjtQBMHlb1L07Qe7K",
        "0GarZRmB_eSN9383LcOLn6_dO--xi12jzDwusC-eOkHWEsqtFZESc6BfI7noOPqv",
        "hJ1phCnvWh6IeYI2w9QOYEUipUTI8np6LbgGY9Fs98rqVt5AXLIhWkWywlVmtVrB",
        "p0igcN_IoypGlUPQGe77Rw"
    );
    let es256 = concat!(
        "DtEhU3ljbEg8L38VWAfUAqOyKAM6-Xx-F4GawxaepmXFCgfTjDxw5djxLa8ISlSA",
        "pmWQxfKTUJqPP3-Kg6NU1Q"
    );
    let rs256 = format!("eyJhbGciOiJSUzI1NiJ9.{JOE}.{rs256}");
    let es256 = format!("eyJhbGciOiJFUzI1NiJ9.{JOE}.{es256}");
    for (token, jwk, other) in [(&rs256, rsa(), p256()), (&es256, p256(), rsa())] {
        let claims = verify(token, &key_set(&[jwk])).unwrap();
        assert_eq!(claims.issuer(), Some("joe"));
        assert_eq!(claims.expires_at().unwrap().as_second(), 1_300_819_380);
        let root = ClaimSelector::parse("http://example.com/is_root").unwrap();
        assert!(claims.text(&root).is_err(), "a bool");
        let refused = verify(token, &key_set(&[other]));
        assert_eq!(refused, Err(JwtError::WrongAlgorithm));
    }
}

#[test]
fn the_symmetric_and_the_unsecured_example_are_refused() {
    let hs256 = "eyJ0eXAiOiJKV1QiLA0KICJhbGciOiJIUzI1NiJ9";
    let tag = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk";
    for token in [
        format!("{hs256}.{JOE}.{tag}"),
        format!("eyJhbGciOiJub25lIn0.{JOE}."),
    ] {
        for jwk in [rsa(), p256()] {
            let refused = verify(&token, &key_set(&[jwk]));
            assert_eq!(refused, Err(JwtError::WrongAlgorithm), "{token}");
        }
    }
}
