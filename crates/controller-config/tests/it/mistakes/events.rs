//! Mistakes in `events`.

use super::{Case, case};

/// A file with an entry that has this handler, in line 4 from column 15 on.
macro_rules! handler {
    ($keys:literal, $found:expr $(,)?) => {
        case(
            "v: 3\n",
            concat!(
                "v: 3\nevents:\n  a: {subscriptions: [{type: link}],\n    handler: {",
                $keys,
                "}}\n"
            ),
            $found,
        )
    };
}

/// A file with an entry that has these subscriptions, in line 3 from column 22 on.
macro_rules! subscriptions {
    ($list:literal, $found:expr $(,)?) => {
        case(
            "v: 3\n",
            concat!(
                "v: 3\nevents:\n  a: {subscriptions: ",
                $list,
                ", handler: {type: stdout, format: json}}\n",
            ),
            $found,
        )
    };
}

pub(super) const EVENTS: &[Case] = &[
    case("v: 3\n", "v: 3\nevents:\n", &[]),
    case("v: 3\n", "v: 3\nevents: {}\n", &[]),
    case(
        "v: 3\n",
        "v: 3\nevents: [a]\n",
        &[(2, 9, "wrong-type", "`events` must be a map")],
    ),
    case(
        "v: 3\n",
        "v: 3\nevents: {a: {}, b: 5, c: }\n",
        &[
            (2, 10, "missing-key", "subscriptions: [{type: router}]"),
            (2, 10, "missing-key", "type: file"),
            (2, 20, "wrong-type", "`events.b` must be a map"),
            (2, 23, "no-value", "`events.c`"),
        ],
    ),
    case(
        "v: 3\n",
        "v: 3\nevents: {subscriptions: [], handler: {}}\n",
        &[
            (2, 25, "wrong-type", "`events.subscriptions` must be a map"),
            (2, 29, "missing-key", "has no `subscriptions`"),
            (2, 29, "missing-key", "has no `handler`"),
        ],
    ),
    case(
        "v: 3\n",
        "v: 3\nevents: {a: {subscriptions: [], handler: {}, path: x}}\n",
        &[
            (2, 29, "invalid-value", "at least one type of event"),
            (2, 33, "missing-key", "has no `type`"),
            (2, 33, "missing-key", "has no `format`"),
            (2, 46, "unknown-key", "belongs to `handler`"),
        ],
    ),
    handler!(
        "type: fiel, format: json",
        &[(4, 21, "invalid-value", "`file`?")]
    ),
    handler!(
        "type: kafka, format: json",
        &[(
            4,
            21,
            "invalid-value",
            "write file, stdout, amqp or servicebus"
        )],
    ),
    handler!(
        "type: file, format: json",
        &[(4, 5, "missing-key", "write `path: events.json`")],
    ),
    handler!(
        "type: file, format: plain, path: ''",
        &[
            (4, 35, "invalid-value", "there is no other format"),
            (4, 48, "invalid-value", "empty"),
        ],
    ),
    handler!(
        "type: file, format: JSON, path: e, maxsizemb: 1, bufferSize: 0",
        &[]
    ),
    handler!(
        "type: file, format: json, path: e, maxsizemb: 0, maxbackups: -1, bufferSize: '5'",
        &[
            (4, 61, "out-of-range", "from 1 to"),
            (4, 76, "out-of-range", "from 0 to"),
            (4, 92, "wrong-type", "an integer"),
        ],
    ),
    handler!("type: stdout, format: json, bufferSize: 50", &[]),
    handler!(
        "type: stdout, format: json, path: e, maxbackups: 5",
        &[
            (4, 43, "ignored-key", "standard output"),
            (4, 52, "ignored-key", "standard output"),
        ],
    ),
    handler!(
        "type: amqp, format: json, url: 'amqp://localhost', queue: ziti",
        &[
            (4, 21, "ignored-key", "write `type: file`"),
            (4, 41, "ignored-key", "message brokers"),
            (4, 66, "ignored-key", "message brokers"),
        ],
    ),
    handler!(
        "type: servicebus, format: json, connectionString: x, topic: t",
        &[
            (4, 21, "ignored-key", "message brokers"),
            (4, 47, "ignored-key", "message brokers"),
            (4, 68, "ignored-key", "message brokers"),
        ],
    ),
    handler!(
        "type: stdout, format: json, buffersize: 50",
        &[(4, 43, "unknown-key", "`bufferSize`?")],
    ),
    subscriptions!("[{type: fabric.circuits}, {type: services}]", &[]),
    subscriptions!(
        "[{type: circuits}, {type: roter}, {type: nothing}, {}, 5]",
        &[
            (3, 30, "invalid-value", "did you mean `circuit`?"),
            (3, 48, "invalid-value", "did you mean `router`?"),
            (3, 63, "invalid-value", "write alert, apiSession,"),
            (3, 73, "missing-key", "write `type: router`"),
            (3, 77, "wrong-type", "a map"),
        ],
    ),
    subscriptions!(
        "[{type: circuit, include: [created, bad, 5]}]",
        &[
            (3, 58, "invalid-value", "not \"bad\""),
            (3, 63, "wrong-type", "must be a string"),
        ],
    ),
    subscriptions!(
        "[{type: circuit, include: [created, bad, worse]}]",
        &[
            (
                3,
                58,
                "invalid-value",
                "one of created, pathUpdated, deleted, failed, not \"bad\""
            ),
            (3, 63, "invalid-value", "not \"worse\""),
        ],
    ),
    subscriptions!(
        "[{type: session, include: bad}, {type: session, include: []}]",
        &[
            (3, 48, "invalid-value", "one of created, deleted"),
            (3, 79, "invalid-value", "wants nothing"),
        ],
    ),
    subscriptions!(
        "[{type: entityChange, include: [service], includeParentEvents: si}]",
        &[
            (
                3,
                54,
                "invalid-value",
                "services, sessions, terminators, not \"service\""
            ),
            (3, 85, "wrong-type", "must be a boolean"),
        ],
    ),
    subscriptions!(
        "[{type: entityChange, include: service}]",
        &[(
            3,
            53,
            "invalid-value",
            "services, sessions, terminators, not \"service\""
        )],
    ),
    subscriptions!(
        "[{type: entityCount, interval: 5}, {type: entityCount, interval: 1ms}]",
        &[
            (3, 53, "invalid-value", "`5s`"),
            (3, 87, "invalid-value", "at least 1s"),
        ],
    ),
    subscriptions!(
        "[{type: metrics, sourceFilter: '(', metricFilter: '[z-a]'}]",
        &[
            (
                3,
                53,
                "invalid-value",
                "not a regular expression: unclosed group"
            ),
            (
                3,
                72,
                "invalid-value",
                "not a regular expression: invalid character class range"
            ),
        ],
    ),
    subscriptions!(
        "[{type: usage, version: 4}, {type: usage, version: '3', include: [ingress.rx]}]",
        &[(3, 46, "invalid-value", "must be 2 or 3, not 4")],
    ),
    subscriptions!(
        "[{type: usage, include: [ingress.rx]}, {type: link, include: x}, {type: circuit, interval: 5m}]",
        &[
            (3, 37, "ignored-key", "it has one with `version: 3`"),
            (3, 74, "ignored-key", "`link` has no options"),
            (3, 103, "ignored-key", "options of `circuit`: include"),
        ],
    ),
    case(
        "v: 3\n",
        "v: 3\naudit: {file: a/trail}\nevents:\n  a: {subscriptions: [{type: link}],\n    \
         handler: {type: file, format: json, path: ./a/trail}}\n",
        &[(5, 47, "file-taken", "`audit.file`")],
    ),
    subscriptions!(
        "[{type: terminator, propagateAlways: true, filter: x}]",
        &[
            (3, 42, "ignored-key", "clusters"),
            (3, 65, "unknown-key", "known keys: type, include"),
        ],
    ),
];
