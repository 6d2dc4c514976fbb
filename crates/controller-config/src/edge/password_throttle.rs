//! Section `edge.passwordThrottle`.

use std::ops::RangeInclusive;
use std::time::Duration;

use portcullis_domain::clock::SignedDuration;
use portcullis_domain::password_throttle::ThrottleRules;
use portcullis_yaml::{Diagnostics, Field, Section};

use crate::durations::read_within;
use crate::keys::{Key, KeyGroup, ValueType, duration_within};

pub(super) const KEYS: KeyGroup = &[
    Key::new(
        "enabled",
        ValueType::Bool,
        "`false` slows nobody down, for controllers behind a proxy that hides the addresses of clients; set \
         `maxAttempts` in the auth policies then.",
    )
    .default("true")
    .example("true"),
    Key::count(
        "freeAttempts",
        *ATTEMPTS_RANGE.start() as i64,
        *ATTEMPTS_RANGE.end() as i64,
        "How many wrong passwords of one source cost nothing.",
    )
    .default("5")
    .example("10"),
    duration_within(
        "longestWait",
        &WAIT_RANGE,
        "The longest wait of a source between two attempts.",
    )
    .default("1h")
    .example("15m"),
];

/// Range of `freeAttempts`.
const ATTEMPTS_RANGE: RangeInclusive<u32> = 1..=100;
/// Range of `longestWait`.
const WAIT_RANGE: RangeInclusive<Duration> = Duration::from_secs(1)..=Duration::from_hours(24);

/// Throttling of password guesses; `None` if it is disabled.
#[derive(Debug, Clone, Copy)]
pub(super) struct PasswordThrottleConfig(pub(super) Option<ThrottleRules>);

pub(super) fn read(
    edge: &Section<'_>,
    diagnostics: &mut Diagnostics,
) -> Option<PasswordThrottleConfig> {
    let default = ThrottleRules::default();
    let Some(field) = edge.get_non_null("passwordThrottle") else {
        return Some(PasswordThrottleConfig(Some(default)));
    };
    let section = field.section(diagnostics)?;
    section.check_keys(KEYS, diagnostics);
    let free_attempts = match section.get_non_null("freeAttempts") {
        Some(field) => field.integer(ATTEMPTS_RANGE, diagnostics),
        None => Some(default.free_attempts),
    };
    let longest_wait = match section.get_non_null("longestWait") {
        Some(field) => read_longest_wait(&field, diagnostics),
        None => Some(default.max_wait),
    };
    if let Some(field) = section.get_non_null("enabled")
        && !field.boolean(diagnostics)?
    {
        let message = "passwords can be guessed without any delay wherever the auth policy sets no \
                       `maxAttempts`";
        field
            .warning(crate::codes::WEAKENED, message, diagnostics)
            .help("remove the key; behind a proxy that hides the addresses of clients, set `maxAttempts` in the policies");
        return Some(PasswordThrottleConfig(None));
    }
    Some(PasswordThrottleConfig(Some(ThrottleRules {
        free_attempts: free_attempts?,
        max_wait: longest_wait?,
    })))
}

fn read_longest_wait(field: &Field<'_>, diagnostics: &mut Diagnostics) -> Option<SignedDuration> {
    SignedDuration::try_from(read_within(field, &WAIT_RANGE, diagnostics)?).ok()
}
