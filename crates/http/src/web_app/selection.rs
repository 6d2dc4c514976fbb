//! Conditional requests and ranges (RFC 9110 sections 13 and 14): what of a file a client lacks.

use super::folder::Version;
use http::{HeaderMap, HeaderName, HeaderValue, header};
use std::ops::Range;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// What of a file is sent.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Selection {
    /// Nothing: the client has it already.
    NotModified,
    /// Nothing: it asks for what lies beyond the end.
    Unsatisfiable,
    /// These bytes.
    Part(Range<u64>),
    Whole,
}

impl Version {
    /// A weak tag, since a file may change twice within the clock of its file system, and since
    /// what is compressed has the same.
    pub(super) fn etag(&self) -> HeaderValue {
        let (seconds, nanos, length) = (self.seconds, self.nanos, self.length);
        HeaderValue::try_from(format!("W/\"{seconds:x}.{nanos:x}-{length:x}\""))
            .unwrap_or(HeaderValue::from_static("W/\"\""))
    }

    pub(super) fn last_modified(&self) -> HeaderValue {
        HeaderValue::try_from(httpdate::fmt_http_date(self.modified()))
            .unwrap_or(HeaderValue::from_static(""))
    }

    /// When the file was last written, in whole seconds as headers tell it.
    fn modified(&self) -> SystemTime {
        let seconds = u64::try_from(self.seconds).unwrap_or(0);
        // The year 9999, beyond which there are no dates of HTTP.
        UNIX_EPOCH + Duration::from_secs(seconds.min(253_402_300_799))
    }
}

/// Selects what of a file the client lacks.
pub(super) fn select(request: &HeaderMap, version: &Version) -> Selection {
    if is_known(request, version) {
        return Selection::NotModified;
    }
    let Some(range) = text(request, header::RANGE) else {
        return Selection::Whole;
    };
    // Tags are weak, and a weak one is no ground to piece a file together.
    let is_current = match text(request, header::IF_RANGE) {
        None => true,
        Some(date) => httpdate::parse_http_date(date).ok() == Some(version.modified()),
    };
    if is_current {
        parse_range(range, version.length)
    } else {
        Selection::Whole
    }
}

fn is_known(request: &HeaderMap, version: &Version) -> bool {
    if request.contains_key(header::IF_NONE_MATCH) {
        let etag = version.etag();
        let opaque = |tag: &str| tag.trim().trim_start_matches("W/").to_owned();
        let own = opaque(etag.to_str().unwrap_or_default());
        let tags = request.get_all(header::IF_NONE_MATCH).iter();
        return tags
            .filter_map(|value| value.to_str().ok())
            .flat_map(|value| value.split(','))
            .any(|tag| tag.trim() == "*" || opaque(tag) == own);
    }
    let since = text(request, header::IF_MODIFIED_SINCE);
    since
        .and_then(|date| httpdate::parse_http_date(date).ok())
        .is_some_and(|date| version.modified() <= date)
}

/// Parses a range. One that cannot be understood, and several at once, are as good as none.
fn parse_range(value: &str, length: u64) -> Selection {
    let bounds = value
        .split_once('=')
        .filter(|(unit, _)| unit.trim().eq_ignore_ascii_case("bytes"))
        .and_then(|(_, set)| set.trim().split_once('-'));
    let Some((first, last)) = bounds else {
        return Selection::Whole;
    };
    let range = match (number(first), number(last)) {
        (Some(first), Some(last)) if first <= last => first..length.min(last.saturating_add(1)),
        (Some(first), None) if last.is_empty() => first..length,
        (None, Some(suffix)) if first.is_empty() => length.saturating_sub(suffix)..length,
        _ => return Selection::Whole,
    };
    if range.is_empty() {
        Selection::Unsatisfiable
    } else {
        Selection::Part(range)
    }
}

/// A number of digits alone; one beyond all lengths is the largest.
fn number(text: &str) -> Option<u64> {
    let is_number = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    is_number.then(|| text.parse().unwrap_or(u64::MAX))
}

fn text(headers: &HeaderMap, name: HeaderName) -> Option<&str> {
    headers.get(name)?.to_str().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    const VERSION: Version = Version {
        device: 1,
        inode: 2,
        seconds: 784_111_777,
        nanos: 5,
        length: 100,
    };
    const DATE: &str = "Sun, 06 Nov 1994 08:49:37 GMT";

    fn select_with(pairs: &[(HeaderName, &str)]) -> Selection {
        let mut headers = HeaderMap::new();
        for (name, value) in pairs {
            headers.append(name, value.parse().unwrap());
        }
        select(&headers, &VERSION)
    }

    #[test]
    fn what_a_client_has_is_not_sent_again() {
        let etag = VERSION.etag();
        let etag = etag.to_str().unwrap();
        assert_eq!(VERSION.last_modified(), DATE);
        let earlier = "Sun, 06 Nov 1994 08:49:36 GMT";
        let (none_match, since) = (header::IF_NONE_MATCH, header::IF_MODIFIED_SINCE);
        for (pairs, is_known) in [
            (&[(none_match.clone(), etag)][..], true),
            (&[(none_match.clone(), &format!("\"x\", {etag}"))], true),
            (&[(none_match.clone(), &etag["W/".len()..])], true),
            (&[(none_match.clone(), "*")], true),
            (&[(none_match.clone(), "\"x\"")], false),
            (&[(none_match, "\"x\""), (since.clone(), DATE)], false),
            (&[(since.clone(), DATE)], true),
            (&[(since.clone(), earlier)], false),
            (&[(since, "yesterday")], false),
        ] {
            let selected = select_with(pairs);
            assert_eq!(selected == Selection::NotModified, is_known, "{pairs:?}");
        }
    }

    #[test]
    fn ranges_are_cut_to_the_file() {
        use Selection::{Part, Unsatisfiable, Whole};
        for (range, selected) in [
            ("bytes=0-9", Part(0..10)),
            ("Bytes = 90-", Part(90..100)),
            ("bytes=90-1000", Part(90..100)),
            ("bytes=99-99999999999999999999999", Part(99..100)),
            ("bytes=-7", Part(93..100)),
            ("bytes=-700", Part(0..100)),
            ("bytes=100-", Unsatisfiable),
            ("bytes=99999999999999999999999-", Unsatisfiable),
            ("bytes=-0", Unsatisfiable),
            ("bytes=9-0", Whole),
            ("bytes=0-1,5-6", Whole),
            ("bytes=-", Whole),
            ("bytes=+1-2", Whole),
            ("bytes=1", Whole),
            ("lines=1-2", Whole),
            ("", Whole),
        ] {
            assert_eq!(select_with(&[(header::RANGE, range)]), selected, "{range}");
        }
    }

    #[test]
    fn a_part_is_of_what_the_client_has_the_rest_of() {
        let range = (header::RANGE, "bytes=1-2");
        let etag = VERSION.etag();
        for (validator, selected) in [
            (DATE, Selection::Part(1..3)),
            ("Sun, 06 Nov 1994 08:49:38 GMT", Selection::Whole),
            (etag.to_str().unwrap(), Selection::Whole),
        ] {
            let pairs = [range.clone(), (header::IF_RANGE, validator)];
            assert_eq!(select_with(&pairs), selected, "{validator}");
        }
    }
}
