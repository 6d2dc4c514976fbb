//! What an administrator is to know of a proxy.

use std::collections::BTreeMap;
use std::time::Duration;

use portcullis_channel::Moment;
use portcullis_domain::clock::Timestamp;
use portcullis_wire::control::alert::{Alert, Alerts};

/// How long a proxy tells nothing after an alert.
pub const ALERT_PAUSE: Duration = Duration::from_mins(10);

/// Characters of a reason that an alert has.
const MAX_REASON: usize = 512;

/// Alerts of one proxy that gets no circuits to its service: one for the first client, and no other for
/// [`ALERT_PAUSE`]. They are worded as those of `OpenZiti`'s tunneler in mode `proxy`.
#[derive(Debug)]
pub struct ProxyAlerts {
    /// Its place in the file, such as `listeners[1]`.
    listener: String,
    /// As the file has it.
    service: String,
    silent_until: Option<Moment>,
}

impl ProxyAlerts {
    pub const fn new(listener: String, service: String) -> Self {
        Self {
            listener,
            service,
            silent_until: None,
        }
    }

    /// The alert for a client that has no circuit, if there is to be one; `at` is the time of the router.
    pub fn due(&self, reason: &str, at: Timestamp, now: Moment) -> Option<Alerts> {
        if self.silent_until.is_some_and(|until| now < until) {
            return None;
        }
        let reason: String = reason.chars().take(MAX_REASON).collect();
        let alert = Alert {
            source_type: Alert::SELF.to_owned(),
            source_id: String::new(),
            time_millis: at.as_millisecond(),
            severity: "error".to_owned(),
            text: "unable to proxy service".to_owned(),
            details: vec![format!("{}: {reason}", self.listener)],
            related_entities: BTreeMap::from([
                (Alert::SELF.to_owned(), "router".to_owned()),
                ("service".to_owned(), self.service.clone()),
            ]),
        };
        Some(Alerts {
            alerts: vec![alert],
        })
    }

    /// A controller has been told.
    pub fn told(&mut self, now: Moment) {
        self.silent_until = Some(now + ALERT_PAUSE);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(text: &str) -> Timestamp {
        text.parse().unwrap()
    }

    #[test]
    fn one_alert_is_told_in_ten_minutes() {
        let mut alerts = ProxyAlerts::new("listeners[1]".to_owned(), "mail".to_owned());
        let time = at("2031-02-03T04:05:06.789Z");
        let due = |alerts: &ProxyAlerts, now| alerts.due("there is no service mail", time, now);
        let first = due(&alerts, Moment::ZERO).unwrap();
        let [alert] = &first.alerts[..] else {
            panic!("{first:?}");
        };
        assert_eq!(alert.source_type, "self");
        assert_eq!(alert.time_millis, time.as_millisecond());
        assert_eq!(alert.severity, "error");
        assert_eq!(alert.text, "unable to proxy service");
        assert_eq!(alert.details, ["listeners[1]: there is no service mail"]);
        assert_eq!(alert.related_entities["service"], "mail");
        assert_eq!(alert.related_entities["self"], "router");
        assert!(due(&alerts, Moment::ZERO).is_some(), "nobody was told yet");
        alerts.told(Moment::ZERO);
        let almost = ALERT_PAUSE.saturating_sub(Duration::from_millis(1));
        assert_eq!(due(&alerts, Moment::ZERO + almost), None);
        assert!(due(&alerts, Moment::ZERO + ALERT_PAUSE).is_some());
    }

    #[test]
    fn long_reasons_are_cut() {
        let alerts = ProxyAlerts::new("l".to_owned(), "mail".to_owned());
        let told = alerts.due(&"ä".repeat(10_000), Timestamp::UNIX_EPOCH, Moment::ZERO);
        let detail = &told.unwrap().alerts[0].details[0];
        assert_eq!(detail.chars().count(), "l: ".len() + MAX_REASON);
    }
}
