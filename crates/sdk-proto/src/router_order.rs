//! Which of several routers to use.

use std::time::Duration;

/// Puts routers in the order in which to use them: those with the shortest round trip first, those that
/// were not measured last, equals as they are.
///
/// ```
/// use portcullis_sdk_proto::fastest_first;
/// use std::time::Duration;
///
/// let ms = Duration::from_millis;
/// let mut routers = [("new", None), ("far", Some(ms(80))), ("near", Some(ms(3)))];
/// fastest_first(&mut routers, |(_, latency)| *latency);
/// assert_eq!(routers.map(|(name, _)| name), ["near", "far", "new"]);
/// ```
pub fn fastest_first<R>(routers: &mut [R], latency: impl Fn(&R) -> Option<Duration>) {
    routers.sort_by_key(|router| latency(router).unwrap_or(Duration::MAX));
}
