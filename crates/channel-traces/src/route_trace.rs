//! Which steps of a circuit a trace of an identity asks for, as routes tell routers.

use portcullis_wire::control::route::RouteContext;
use std::ops::BitOr;

/// Longest id of a trace or of a request, bytes.
const MAX_ID: usize = 256;

/// Names of fields in the context of a route.
const TRACE_ID: &str = "traceId";
const REQUEST_ID: &str = "requestId";

/// Steps of circuits, as the `channels` of a trace name them; a bit for each in the `channelMask` of routes.
/// Nothing to do with channels over sockets.
///
/// | Name | Bit | Steps |
/// |---|---|---|
/// | `selectPath` | 1 | at the controller: what was asked for, and how it was answered; and, at the client's router if it is ours, the message of its SDK |
/// | `establishPath` | 2 | at each router: route taken or refused, dial of the terminator |
/// | `transferData` | 4 | at each router: first payload each way, end of the circuit; only ours know it |
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct StepMask(u32);

impl StepMask {
    pub const SELECT_PATH: Self = Self(1);
    pub const ESTABLISH_PATH: Self = Self(1 << 1);
    pub const TRANSFER_DATA: Self = Self(1 << 2);
    pub const ALL: Self = Self(u32::MAX);

    const NAMES: [(&'static str, Self); 3] = [
        ("selectPath", Self::SELECT_PATH),
        ("establishPath", Self::ESTABLISH_PATH),
        ("transferData", Self::TRANSFER_DATA),
    ];

    /// The steps with these names; all if there are no names. Names that nobody knows stand for nothing.
    pub fn named<'n>(names: impl IntoIterator<Item = &'n str>) -> Self {
        let mut names = names.into_iter().peekable();
        if names.peek().is_none() {
            return Self::ALL;
        }
        let known = names.filter_map(|name| {
            let mut known = Self::NAMES.into_iter();
            known.find_map(|(known, mask)| (known == name).then_some(mask))
        });
        known.fold(Self(0), BitOr::bitor)
    }

    pub const fn contains(self, steps: Self) -> bool {
        self.0 & steps.0 == steps.0
    }
}

impl BitOr for StepMask {
    type Output = Self;

    fn bitor(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }
}

/// Says in whose trace a circuit is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RouteTrace {
    pub trace_id: String,
    /// The request to the controller that the circuit comes from.
    pub request_id: String,
    pub steps: StepMask,
}

impl RouteTrace {
    /// That of a route, if it has one. An id that is too long for a log, or not printable, is none.
    pub fn from_context(context: &RouteContext) -> Option<Self> {
        let field = |name: &str| {
            let value = context.fields.get(name)?;
            let is_usable = !value.is_empty()
                && value.len() <= MAX_ID
                && !value.contains(|letter: char| letter.is_control());
            is_usable.then(|| value.clone())
        };
        Some(Self {
            trace_id: field(TRACE_ID)?,
            request_id: field(REQUEST_ID).unwrap_or_default(),
            steps: StepMask(context.channel_mask),
        })
    }

    /// Says so in the context of a route.
    pub fn add_to(&self, context: &mut RouteContext) {
        let fields = [(TRACE_ID, &self.trace_id), (REQUEST_ID, &self.request_id)];
        for (name, value) in fields {
            context.fields.insert(name.to_owned(), value.clone());
        }
        context.channel_mask = self.steps.0;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_have_the_bits_of_their_names() {
        for (names, mask) in [
            (&[][..], u32::MAX),
            (&["selectPath"], 1),
            (&["establishPath"], 2),
            (&["transferData", "selectPath"], 5),
            (&["another"], 0),
            (&["another", "establishPath"], 2),
        ] {
            assert_eq!(StepMask::named(names.iter().copied()), StepMask(mask));
        }
        assert!(StepMask::ALL.contains(StepMask::TRANSFER_DATA));
        assert!(!StepMask::SELECT_PATH.contains(StepMask::TRANSFER_DATA));
    }

    #[test]
    fn a_route_tells_its_trace() {
        let mut context = RouteContext::default();
        assert_eq!(RouteTrace::from_context(&context), None);
        let trace = RouteTrace {
            trace_id: "t1".to_owned(),
            request_id: "q1".to_owned(),
            steps: StepMask::ESTABLISH_PATH,
        };
        trace.add_to(&mut context);
        assert_eq!(context.fields["traceId"], "t1");
        assert_eq!(context.channel_mask, 2);
        assert_eq!(RouteTrace::from_context(&context), Some(trace));
    }

    #[test]
    fn ids_that_would_spoil_a_log_are_none() {
        for id in ["", "two\nlines", &"x".repeat(MAX_ID + 1)] {
            let context = RouteContext {
                fields: [(TRACE_ID.to_owned(), id.to_owned())].into(),
                channel_mask: 2,
            };
            assert_eq!(RouteTrace::from_context(&context), None);
        }
    }
}
