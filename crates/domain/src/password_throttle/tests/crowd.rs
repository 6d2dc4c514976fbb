//! Distributed guessing without pauses, and an owner at an unknown source.

use super::*;

const DAY: i64 = 86_400;

/// Source of the owner.
const OWNER: u32 = 9_000_000;

/// A crowd of sources that guess as often as allowed, and always before the owner.
struct Crowd {
    throttle: PasswordThrottle,
    sources: Vec<IpAddr>,
    guesses: Vec<i64>,
}

impl Crowd {
    fn new(sources: impl IntoIterator<Item = IpAddr>) -> Self {
        Self {
            throttle: PasswordThrottle::default(),
            sources: sources.into_iter().collect(),
            guesses: Vec::new(),
        }
    }

    /// Lets every allowed source guess.
    fn guess(&mut self, second: i64) {
        while let Some(&source) = self
            .sources
            .iter()
            .find(|&&source| wait(&self.throttle, source, at(second)) == 0)
        {
            self.throttle.record_failure(source, RULES, at(second));
            self.guesses.push(second);
        }
    }

    /// The next second at which any source may guess.
    fn next(&self, second: i64) -> i64 {
        let waits = self.sources.iter();
        let waits = waits.map(|&source| wait(&self.throttle, source, at(second)));
        second + i64::from(waits.min().unwrap())
    }

    /// Guesses from second 0.
    fn guess_until(&mut self, end: i64) {
        let mut second = 0;
        while second < end {
            self.guess(second);
            second = self.next(second);
        }
    }

    /// Seconds until an owner gets in who tries once a minute from `since`, always after the crowd.
    fn owner_wait(&mut self, owner: IpAddr, since: i64) -> i64 {
        let mut second = since;
        loop {
            while self.next(second) <= second + 59 {
                let next = self.next(second);
                self.guess(next);
            }
            second += 60;
            self.guess(second);
            if wait(&self.throttle, owner, at(second)) == 0 {
                return second - since;
            }
        }
    }

    fn guesses_on(&self, day: i64) -> usize {
        let on_day = |second: &&i64| **second / DAY == day;
        self.guesses.iter().filter(on_day).count()
    }
}

#[test]
fn owner_at_a_new_place_gets_in_past_a_crowd_within_a_minute_for_each_of_its_sources() {
    for size in [2, 50, 250] {
        let mut crowd = Crowd::new((0..size).map(source));
        let waited = crowd.owner_wait(source(OWNER), 0);
        assert!(waited <= 60 * (i64::from(size) + 2), "{size}: {waited} s");
        assert!(crowd.guesses_on(0) < 300);
    }
}

#[test]
fn owner_who_comes_later_does_not_wait_for_those_who_have_guessed() {
    let mut crowd = Crowd::new((0..250).map(source));
    crowd.guess_until(DAY);
    let waited = crowd.owner_wait(source(OWNER), DAY);
    assert!(waited <= 120, "{waited} s");
}

#[test]
fn networks_of_one_site_are_one_of_the_crowd() {
    let networks = (0..300_u128).map(|number| {
        let site = 0x2001_0db8_0000_u128 << 80;
        std::net::Ipv6Addr::from_bits(site | number << 64).into()
    });
    let mut crowd = Crowd::new(networks);
    let waited = crowd.owner_wait(source(OWNER), 0);
    assert!(waited <= 300, "{waited} s");
}

/// In a crowd above the capacity, every source looks new each time.
#[test]
fn crowd_of_any_size_guesses_a_few_times_a_day() {
    let (mut throttle, mut second) = (PasswordThrottle::default(), 0);
    let mut guesses_on_day = [0; 60];
    for number in 0.. {
        second += i64::from(wait(&throttle, source(number), at(second)));
        let Some(guesses) = guesses_on_day.get_mut(usize::try_from(second / DAY).unwrap()) else {
            break;
        };
        *guesses += 1;
        throttle.record_failure(source(number), RULES, at(second));
    }
    assert!(guesses_on_day[0] < 300, "{guesses_on_day:?}");
    assert!(guesses_on_day[1..].iter().all(|&guesses| guesses <= 5));
}

/// Logins of the owner from ever new sources do not reset the crowd either.
#[test]
fn owner_who_moves_about_does_not_help_a_crowd() {
    let mut crowd = Crowd::new((0..250).map(source));
    crowd.guess_until(DAY);
    for hour in 24..10 * 24 {
        crowd.guess(hour * 3600);
        if hour % 24 == 0 {
            let elsewhere = source(OWNER + u32::try_from(hour).unwrap());
            crowd
                .throttle
                .record_success(elsewhere, at(hour * 3600 + 60));
        }
    }
    for day in 1..10 {
        let guesses = crowd.guesses_on(day);
        assert!(guesses <= 50, "{guesses} on day {day}");
    }
}
