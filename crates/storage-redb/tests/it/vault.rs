//! Sealed secrets.

use crate::support::{Seeded, put};
use portcullis_domain::entropy::{Entropy, EntropyError};
use portcullis_storage::key::{Kind, RecordKey, UniqueKey};
use portcullis_storage::vault::{KeyFileError, SealError, Vault, VaultError};
use portcullis_storage_redb::{Options, RedbEngine};
use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;

const IDENTITY: Kind = Kind::new::<1>();
const MFA: Kind = Kind::new::<2>();

fn store(directory: &Path) -> RedbEngine<u64> {
    RedbEngine::open(&directory.join("store"), Options::default()).unwrap()
}

fn key_path(directory: &Path) -> PathBuf {
    directory.join("store.key")
}

fn vault(engine: &RedbEngine<u64>, directory: &Path, seed: u64) -> Result<Vault, VaultError> {
    Vault::open(engine, &key_path(directory), Seeded::new(seed))
}

fn record() -> RecordKey {
    RecordKey::root(IDENTITY, 7).dependent(MFA, 9)
}

#[test]
fn sealed_values_open_in_their_place_only() {
    let directory = tempfile::tempdir().unwrap();
    let vault = vault(&store(directory.path()), directory.path(), 1).unwrap();
    let sealed = vault.seal(&record(), "secret", b"JBSWY3DP").unwrap();
    let again = vault.seal(&record(), "secret", b"JBSWY3DP").unwrap();
    assert_ne!(sealed, again, "the nonce is drawn anew");
    let opened = vault.open_sealed(&record(), "secret", &sealed).unwrap();
    assert_eq!(opened.as_slice(), b"JBSWY3DP");

    let neighbors = [
        (RecordKey::root(IDENTITY, 7), "secret"),
        (RecordKey::root(IDENTITY, 8).dependent(MFA, 9), "secret"),
        (RecordKey::root(IDENTITY, 7).dependent(MFA, 10), "secret"),
        (record(), "secret2"),
        (record(), ""),
    ];
    for (key, field) in neighbors {
        let result = vault.open_sealed(&key, field, &sealed);
        assert_eq!(result.unwrap_err(), SealError::Unauthentic, "{key} {field}");
    }
}

#[test]
fn altered_values_do_not_open() {
    let directory = tempfile::tempdir().unwrap();
    let vault = vault(&store(directory.path()), directory.path(), 1).unwrap();
    let sealed = vault.seal(&record(), "secret", b"JBSWY3DP").unwrap();
    for index in 0..sealed.len() {
        let mut altered = sealed.clone().into_bytes();
        altered[index] = if altered[index] == b'A' { b'B' } else { b'A' };
        let altered = String::from_utf8(altered).unwrap();
        assert!(
            vault.open_sealed(&record(), "secret", &altered).is_err(),
            "character {index}"
        );
    }
    for text in ["", "AQ==", "no base64", "AgAAAAE="] {
        let result = vault.open_sealed(&record(), "secret", text);
        assert_eq!(result.unwrap_err(), SealError::Malformed, "{text:?}");
    }
}

#[test]
fn text_is_redacted_and_checked() {
    use secrecy::ExposeSecret as _;
    let directory = tempfile::tempdir().unwrap();
    let vault = vault(&store(directory.path()), directory.path(), 1).unwrap();
    let sealed = vault.seal(&record(), "token", "träger".as_bytes()).unwrap();
    let text = vault.open_text(&record(), "token", &sealed).unwrap();
    assert_eq!(text.expose_secret(), "träger");
    assert!(!format!("{text:?} {vault:?}").contains("träger"));
    let sealed = vault.seal(&record(), "token", &[0xff]).unwrap();
    let error = vault.open_text(&record(), "token", &sealed).unwrap_err();
    assert!(matches!(error, SealError::NotText(_)));
}

#[test]
fn reopened_vault_opens_and_finds_the_same() {
    let directory = tempfile::tempdir().unwrap();
    let (sealed, hash) = {
        let vault = vault(&store(directory.path()), directory.path(), 1).unwrap();
        let sealed = vault.seal(&record(), "secret", b"JBSWY3DP").unwrap();
        (sealed, vault.lookup_hash("session", b"token"))
    };
    let vault = vault(&store(directory.path()), directory.path(), 2).unwrap();
    let opened = vault.open_sealed(&record(), "secret", &sealed).unwrap();
    assert_eq!(opened.as_slice(), b"JBSWY3DP");
    assert_eq!(vault.lookup_hash("session", b"token"), hash);
}

#[test]
fn lookup_hashes_differ_by_domain_secret_and_store() {
    let (first, second) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let vault_a = vault(&store(first.path()), first.path(), 1).unwrap();
    let vault_b = vault(&store(second.path()), second.path(), 2).unwrap();
    let hash = vault_a.lookup_hash("session", b"token");
    assert_ne!(vault_a.lookup_hash("session", b"token2"), hash);
    assert_ne!(vault_a.lookup_hash("sessio", b"ntoken"), hash);
    assert_ne!(vault_b.lookup_hash("session", b"token"), hash);
}

#[test]
fn lookup_hash_is_hmac_sha_256() {
    // With a constant source the lookup key is all 0x0b; the expected value was computed
    // independently: HMAC-SHA-256 of 00 00 00 00 00 00 00 02 "ab" "secret" under 32 bytes 0x0b.
    struct Constant;
    impl Entropy for Constant {
        fn fill(&self, bytes: &mut [u8]) -> Result<(), EntropyError> {
            bytes.fill(0x0b);
            Ok(())
        }
    }
    let directory = tempfile::tempdir().unwrap();
    let engine = store(directory.path());
    let vault = Vault::open(&engine, &key_path(directory.path()), Arc::new(Constant)).unwrap();
    let hash = vault.lookup_hash("ab", b"secret");
    assert_eq!(
        u128::from_be_bytes(hash),
        0xe2b6_bb74_68ef_fc69_4e77_6dd1_a089_9341
    );
}

#[test]
fn added_key_seals_and_the_old_still_opens() {
    let directory = tempfile::tempdir().unwrap();
    let engine = store(directory.path());
    let old = vault(&engine, directory.path(), 1).unwrap();
    let sealed = old.seal(&record(), "secret", b"JBSWY3DP").unwrap();
    let hash = old.lookup_hash("session", b"token");
    assert!(old.is_current(&sealed).unwrap());
    let id = Vault::add_key(&key_path(directory.path()), Seeded::new(5).as_ref()).unwrap();
    assert_eq!(id, 2);

    let new = vault(&engine, directory.path(), 2).unwrap();
    assert!(!new.is_current(&sealed).unwrap());
    let opened = new.open_sealed(&record(), "secret", &sealed).unwrap();
    assert_eq!(opened.as_slice(), b"JBSWY3DP");
    assert_eq!(new.lookup_hash("session", b"token"), hash);
    let resealed = new.seal(&record(), "secret", &opened).unwrap();
    assert!(new.is_current(&resealed).unwrap());
    let error = old.open_sealed(&record(), "secret", &resealed).unwrap_err();
    assert_eq!(error, SealError::UnknownKey(2));
}

#[test]
fn key_file_is_for_its_owner() {
    let directory = tempfile::tempdir().unwrap();
    let engine = store(directory.path());
    vault(&engine, directory.path(), 1).unwrap();
    let path = key_path(directory.path());
    let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!(mode(&path), 0o600);
    assert_eq!(mode(&directory.path().join("store")), 0o600);
    for exposed in [0o640, 0o604, 0o620, 0o601] {
        fs::set_permissions(&path, fs::Permissions::from_mode(exposed)).unwrap();
        let error = vault(&engine, directory.path(), 1).unwrap_err();
        assert!(
            matches!(error, VaultError::KeyFile(KeyFileError::Exposed { mode, .. }) if mode == exposed),
            "{exposed:o}: {error}"
        );
    }
    fs::set_permissions(&path, fs::Permissions::from_mode(0o400)).unwrap();
    vault(&engine, directory.path(), 1).unwrap();
}

#[test]
fn key_file_of_an_existing_store_is_never_made_anew() {
    let directory = tempfile::tempdir().unwrap();
    let engine = store(directory.path());
    vault(&engine, directory.path(), 1).unwrap();
    fs::remove_file(key_path(directory.path())).unwrap();
    let error = vault(&engine, directory.path(), 1).unwrap_err();
    assert!(matches!(error, VaultError::Missing { .. }), "{error}");
    assert!(
        error.to_string().contains("store.key is missing"),
        "{error}"
    );
    assert!(!key_path(directory.path()).exists());
}

#[test]
fn key_file_of_another_store_is_refused() {
    let (first, second) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let engine = store(first.path());
    vault(&engine, first.path(), 1).unwrap();
    vault(&store(second.path()), second.path(), 2).unwrap();
    fs::copy(key_path(second.path()), key_path(first.path())).unwrap();
    let error = vault(&engine, first.path(), 1).unwrap_err();
    assert!(matches!(error, VaultError::Lookup { .. }), "{error}");
}

#[test]
fn damaged_key_file_is_refused() {
    let directory = tempfile::tempdir().unwrap();
    let engine = store(directory.path());
    vault(&engine, directory.path(), 1).unwrap();
    let text = fs::read_to_string(key_path(directory.path())).unwrap();
    let format_2 = text.replace("\"format\":1", "\"format\":2");
    for damaged in [
        "",
        "{}",
        r#"{"format":1,"keys":[]}"#,
        &text[..40],
        &format_2,
    ] {
        fs::write(key_path(directory.path()), damaged).unwrap();
        let error = vault(&engine, directory.path(), 1).unwrap_err();
        assert!(
            matches!(error, VaultError::KeyFile(KeyFileError::Malformed { .. })),
            "{damaged}: {error}"
        );
    }
}

#[test]
fn store_written_without_a_vault_gets_none() {
    let directory = tempfile::tempdir().unwrap();
    let engine = store(directory.path());
    put(&engine, b"\x01", b"").unwrap();
    assert!(matches!(
        vault(&engine, directory.path(), 1),
        Err(VaultError::Missing { .. })
    ));
}

#[test]
fn no_entropy_no_secret() {
    struct Dry;
    impl Entropy for Dry {
        fn fill(&self, _: &mut [u8]) -> Result<(), EntropyError> {
            Err(EntropyError)
        }
    }
    let directory = tempfile::tempdir().unwrap();
    let engine = store(directory.path());
    assert!(Vault::open(&engine, &key_path(directory.path()), Arc::new(Dry)).is_err());
    assert!(!key_path(directory.path()).exists());
}

#[test]
fn no_form_of_a_secret_is_on_the_disk() {
    use base64::Engine as _;
    const SECRET: &[u8] = b"recovery-code-x9f2k7";
    let directory = tempfile::tempdir().unwrap();
    let engine = store(directory.path());
    let vault = vault(&engine, directory.path(), 1).unwrap();
    let sealed = vault.seal(&record(), "codes", SECRET).unwrap();
    put(&engine, record().as_bytes(), sealed.as_bytes()).unwrap();
    let hash = vault.lookup_hash("code", SECRET);
    put(&engine, UniqueKey::new(1, &hash).as_bytes(), b"9").unwrap();
    drop(engine);
    let hex = SECRET
        .iter()
        .fold(String::new(), |hex, byte| hex + &format!("{byte:02x}"));
    let base64 = base64::engine::general_purpose::STANDARD_NO_PAD.encode(SECRET);
    let file = fs::read(directory.path().join("store")).unwrap();
    let holds = |form: &[u8]| file.windows(form.len()).any(|window| window == form);
    assert!(
        holds(sealed.as_bytes()),
        "the row is where it is looked for"
    );
    for form in [SECRET, hex.as_bytes(), &base64.as_bytes()[..24]] {
        assert!(!holds(form), "{}", String::from_utf8_lossy(form));
    }
}
