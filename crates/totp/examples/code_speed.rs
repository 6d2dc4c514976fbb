//! Single-core benchmark of the engine.
//!
//! Run it with `cargo run --release -p portcullis-totp --example code_speed`.

#![expect(clippy::print_stdout, reason = "a measurement shows what it found")]

use portcullis_domain::entropy::{Entropy, EntropyError};
use portcullis_domain::mfa::{CodeUsage, SpentCodes, TimeStep};
use portcullis_totp::{
    CodeError, Enrolled, Examiner, QrCode, RecoveryCodes, Rules, Secret, SubmittedCode,
    provisioning_url,
};
use secrecy::ExposeSecret as _;
use std::error::Error;
use std::hint::black_box;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

fn main() -> Result<(), Box<dyn Error>> {
    let entropy = Mixed(AtomicU64::new(1));
    let secret = Secret::generate(&entropy)?;
    let codes = RecoveryCodes::generate(&entropy)?;
    let now = TimeStep(59_000_000);
    let right = SubmittedCode::Totp(secret.code_at(now));
    let spare = codes
        .unspent(SpentCodes::default())
        .last()
        .ok_or("an empty set")?;
    let spare = SubmittedCode::parse(spare)?;

    measure("verifications of a TOTP code", 500_000, || {
        verify(&right, &secret, &codes, now)
    });
    measure("verifications of a recovery code", 5_000_000, || {
        verify(&spare, &secret, &codes, now)
    });
    measure(
        "sealed records taken up and a code verified",
        500_000,
        || {
            let secret = Secret::from_bytes(secret.as_bytes()).ok()?;
            let codes = RecoveryCodes::from_bytes(codes.as_bytes()).ok()?;
            Some(verify(&right, &secret, &codes, now))
        },
    );
    measure("recovery codes generated (in sets of 20)", 4_000_000, {
        let mut left = 0;
        move || {
            left += 1;
            (left % RecoveryCodes::COUNT == 0).then(|| RecoveryCodes::generate(&entropy))
        }
    });
    let url = provisioning_url("openziti.io", "alice@example.com", &secret);
    measure("QR images", 500, || {
        QrCode::encode(url.expose_secret()).map(|code| code.to_png())
    });
    Ok(())
}

/// One attempt: evidence is collected and compared with the newest step used.
fn verify(
    submitted: &SubmittedCode,
    secret: &Secret,
    codes: &RecoveryCodes,
    now: TimeStep,
) -> Result<Enrolled, CodeError> {
    let evidence = Examiner::new(secret, codes).examine(black_box(submitted), now);
    let ledger = CodeUsage {
        last_step: TimeStep(now.0 - 1),
        spent: SpentCodes::default(),
        reprise: None,
    };
    Enrolled::from(ledger).accept(evidence, Rules::STRICT)
}

fn measure<T>(what: &str, count: u32, mut work: impl FnMut() -> T) {
    let start = Instant::now();
    for _ in 0..count {
        black_box(work());
    }
    let rate = f64::from(count) / start.elapsed().as_secs_f64();
    println!("{rate:>12.0} {what} per second");
}

/// Fast pseudo-random bytes (`SplitMix64`).
struct Mixed(AtomicU64);

impl Entropy for Mixed {
    fn fill(&self, bytes: &mut [u8]) -> Result<(), EntropyError> {
        for chunk in bytes.chunks_mut(8) {
            let state = self.0.fetch_add(0x9e37_79b9_7f4a_7c15, Ordering::Relaxed);
            let mixed = (state ^ (state >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
            let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
            let drawn = (mixed ^ (mixed >> 31)).to_le_bytes();
            for (byte, drawn) in chunk.iter_mut().zip(drawn) {
                *byte = drawn;
            }
        }
        Ok(())
    }
}
