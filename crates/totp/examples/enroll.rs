//! Life of an enrollment: started, verified, replayed, recovered, throttled.
//!
//! Run it with `cargo run -p portcullis-totp --example enroll`.

#![expect(clippy::print_stdout, reason = "an example shows what it does")]

use portcullis_domain::clock::{Clock as _, SignedDuration, Timestamp};
use portcullis_domain::mfa::{CodeUsage, TimeStep};
use portcullis_system::{SystemClock, SystemEntropy};
use portcullis_totp::{
    CodeError, Enrolled, Evidence, Examiner, NotEnrolled, QrCode, RecoveryCodes, Rules, Secret,
    SubmittedCode, Throttle, provisioning_url,
};
use secrecy::ExposeSecret as _;
use std::error::Error;

fn main() -> Result<(), Box<dyn Error>> {
    let device = Device {
        secret: Secret::generate(&SystemEntropy)?,
        codes: RecoveryCodes::generate(&SystemEntropy)?,
    };
    let now = SystemClock.now();

    let enrolled = enroll(&device, now)?;
    let enrolled = log_in(&device, enrolled, now)?;
    recover(&device, enrolled, now)?;
    guess(&device, now)
}

/// The user's authenticator app and recovery codes.
struct Device {
    secret: Secret,
    codes: RecoveryCodes,
}

impl Device {
    /// The code that the app shows at `instant`.
    fn shows(&self, instant: Timestamp) -> String {
        self.secret
            .code_at(TimeStep::at(instant))
            .as_str()
            .to_owned()
    }

    /// The server's evidence for `text` at `now`.
    fn find(&self, text: &str, now: Timestamp) -> Result<Evidence, Box<dyn Error>> {
        let submitted = SubmittedCode::parse(text)?;
        let examiner = Examiner::new(&self.secret, &self.codes);
        Ok(examiner.examine(&submitted, TimeStep::at(now)))
    }
}

fn enroll(device: &Device, now: Timestamp) -> Result<Enrolled, Box<dyn Error>> {
    let started = NotEnrolled.start();
    let url = provisioning_url("example.test", "alice", &device.secret);
    println!("{}", url.expose_secret());
    println!("{}", QrCode::encode(url.expose_secret())?.to_text());

    let shown = device.shows(now);
    let enrolled = started.verify(device.find(&shown, now)?)?;
    println!("enrolled with {shown}");
    Ok(enrolled)
}

fn log_in(device: &Device, enrolled: Enrolled, now: Timestamp) -> Result<Enrolled, Box<dyn Error>> {
    let shown = device.shows(now);
    let replayed = enrolled
        .clone()
        .accept(device.find(&shown, now)?, Rules::STRICT);
    assert_eq!(replayed, Err(CodeError::Replayed));
    println!("{shown} again: refused");

    let later = now + SignedDuration::from_secs(30);
    let shown = device.shows(later);
    let enrolled = enrolled.accept(device.find(&shown, later)?, Rules::STRICT)?;
    println!("half a minute later, {shown}: accepted");
    Ok(enrolled)
}

fn recover(device: &Device, enrolled: Enrolled, now: Timestamp) -> Result<(), Box<dyn Error>> {
    let ledger = CodeUsage::from(enrolled);
    let spare = device
        .codes
        .unspent(ledger.spent)
        .nth(3)
        .ok_or("all are spent")?;
    let evidence = device.find(spare, now)?;
    let enrolled = Enrolled::from(ledger).accept(evidence, Rules::STRICT)?;
    println!("recovery code {spare}: accepted");
    let replayed = enrolled.clone().accept(evidence, Rules::STRICT);
    assert_eq!(replayed, Err(CodeError::Replayed));
    let spent = CodeUsage::from(enrolled).spent;
    println!(
        "{spare} again: refused; {} are left",
        device.codes.unspent(spent).count()
    );
    Ok(())
}

fn guess(device: &Device, mut now: Timestamp) -> Result<(), Box<dyn Error>> {
    let mut throttle = Throttle::default();
    for guess in 100_000..100_008 {
        if let Err(held) = throttle.admit(now) {
            println!("{guess}: held for {} s", held.retry_after);
            now += SignedDuration::from_secs(held.retry_after.into());
        }
        if device.find(&guess.to_string(), now)? != Evidence::NONE {
            println!("{guess}: right, which happens once in 300 000 times");
            break;
        }
        throttle = throttle.after_wrong(now);
        println!("{guess}: wrong");
    }
    Ok(())
}
