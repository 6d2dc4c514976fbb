//! Which channels are traced, and for which controllers.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use portcullis_channel::group::GroupId;
use portcullis_channel_traces::{Protocol, Toggle};

use crate::edge::ControllerId;

/// A channel by the names that controllers know.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pipe {
    /// Shown in reports and traces: the id of a controller, or `l/` and the id of a link, as OpenZiti's routers
    /// name theirs.
    pub name: String,
    /// What it is known by as well: `ctrl` for a controller, the id of the other router for a link.
    pub alias: String,
    pub protocol: Protocol,
}

/// The open channels, and which are traced. Empty while nothing is open.
#[derive(Debug, Default)]
pub struct ChannelTraces {
    open: HashMap<GroupId, Open>,
}

#[derive(Debug)]
struct Open {
    pipe: Pipe,
    /// Controllers that follow it.
    followers: BTreeSet<ControllerId>,
}

impl Pipe {
    /// A channel with a controller.
    pub fn control(controller: &ControllerId) -> Self {
        Self {
            name: controller.to_string(),
            alias: "ctrl".to_owned(),
            protocol: Protocol::Control,
        }
    }

    /// A link with another router.
    pub fn link(id: &str, peer: &str) -> Self {
        Self {
            name: format!("l/{id}"),
            alias: peer.to_owned(),
            protocol: Protocol::Link,
        }
    }
}

impl ChannelTraces {
    /// A channel is open; nobody follows it.
    pub fn opened(&mut self, channel: GroupId, pipe: Pipe) {
        let followers = BTreeSet::new();
        self.open.insert(channel, Open { pipe, followers });
    }

    /// A channel has ended, and with it its traces.
    pub fn closed(&mut self, channel: &GroupId) {
        self.open.remove(channel);
    }

    /// Begins or ends what a controller follows. Returns what it is told of that, a line for the program and each
    /// channel, as far as it wants to know.
    pub fn toggle(&mut self, router: &str, controller: &ControllerId, toggle: &Toggle) -> String {
        let is_meant = toggle.names_program(router);
        let mut lines: Vec<_> = toggle.program_line(router, is_meant).into_iter().collect();
        if is_meant {
            lines.extend(self.toggle_pipes(router, controller, toggle));
        }
        lines.join("\n")
    }

    fn toggle_pipes(
        &mut self,
        router: &str,
        controller: &ControllerId,
        toggle: &Toggle,
    ) -> Vec<String> {
        let by_name = |open: &Open| open.pipe.name.clone();
        let mut pipes: BTreeMap<_, Vec<_>> = BTreeMap::new();
        for open in self.open.values_mut() {
            pipes.entry(by_name(open)).or_default().push(open);
        }
        let mut lines = Vec::new();
        for (name, channels) in pipes {
            let (mut is_matched, mut was_traced) = (false, false);
            for open in channels {
                was_traced |= open.followers.contains(controller);
                if toggle.names_pipe(&name) || toggle.names_pipe(&open.pipe.alias) {
                    is_matched = true;
                    open.follow(controller, toggle.is_on());
                }
            }
            lines.extend(toggle.pipe_line((router, &name), is_matched, was_traced));
        }
        lines
    }

    /// A controller is gone: it follows nothing any more.
    pub fn forget(&mut self, controller: &ControllerId) {
        for open in self.open.values_mut() {
            open.followers.remove(controller);
        }
    }

    /// Whether anything is traced.
    pub fn is_any(&self) -> bool {
        self.open.values().any(|open| !open.followers.is_empty())
    }

    /// A channel that is traced, and who follows it.
    pub fn followed(&self, channel: &GroupId) -> Option<(&Pipe, &BTreeSet<ControllerId>)> {
        let open = self.open.get(channel)?;
        (!open.followers.is_empty()).then_some((&open.pipe, &open.followers))
    }
}

impl Open {
    fn follow(&mut self, controller: &ControllerId, is_on: bool) {
        if is_on {
            self.followers.insert(controller.clone());
        } else {
            self.followers.remove(controller);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use portcullis_wire::trace::PipeTraces;

    fn toggle(is_enabled: bool, verbosity: i32, app: &str, pipe: &str) -> Toggle {
        let request = PipeTraces {
            is_enabled,
            verbosity,
            app_regex: app.to_owned(),
            pipe_regex: pipe.to_owned(),
        };
        Toggle::parse(&request).unwrap()
    }

    fn id(text: &str) -> GroupId {
        GroupId::new(text).unwrap()
    }

    fn traces() -> ChannelTraces {
        let mut traces = ChannelTraces::default();
        for controller in ["c1", "c2"] {
            traces.opened(id(controller), Pipe::control(&controller.into()));
        }
        traces.opened(id("g3"), Pipe::link("abc", "r2"));
        traces
    }

    fn followers(traces: &ChannelTraces, channel: &str) -> Vec<String> {
        let followed = traces.followed(&id(channel));
        let followers = followed.map(|(_, followers)| followers);
        let followers = followers.into_iter().flatten();
        followers.map(ToString::to_string).collect()
    }

    #[test]
    fn what_matches_is_followed_until_it_is_turned_off() {
        let mut traces = traces();
        assert!(!traces.is_any());
        let said = traces.toggle("r1", &"c1".into(), &toggle(true, 3, "^r1$", "^(c2|r2)$"));
        let expected = "App r1 matched? true\n\
            Link r1.c1 matched? false. Old trace state: false, New trace state: false\n\
            Link r1.c2 matched? true. Old trace state: false, New trace state: true\n\
            Link r1.l/abc matched? true. Old trace state: false, New trace state: true";
        assert_eq!(said, expected);
        assert!(traces.is_any());
        assert_eq!(followers(&traces, "c1"), Vec::<String>::new());
        assert_eq!(followers(&traces, "c2"), ["c1"]);
        assert_eq!(followers(&traces, "g3"), ["c1"]);
        let said = traces.toggle("r1", &"c1".into(), &toggle(false, 1, "r", "l/"));
        let expected = "App r1 matched? true\n\
            Link r1.l/abc matched? true. Old trace state: true, New trace state: false";
        assert_eq!(said, expected);
        assert_eq!(followers(&traces, "g3"), Vec::<String>::new());
        traces.toggle("r1", &"c1".into(), &toggle(false, 0, "", ""));
        assert!(!traces.is_any());
    }

    #[test]
    fn another_program_is_not_meant() {
        let mut traces = traces();
        let said = traces.toggle("r1", &"c1".into(), &toggle(true, 3, "^r2$", "."));
        assert_eq!(said, "App r1 matched? false");
        assert!(!traces.is_any());
        let said = traces.toggle("r1", &"c1".into(), &toggle(true, 0, "r1", "."));
        assert_eq!(said, "");
        assert!(traces.is_any());
    }

    #[test]
    fn each_controller_follows_for_itself() {
        let mut traces = traces();
        let all = toggle(true, 0, "", "ctrl");
        for controller in ["c1", "c2"] {
            traces.toggle("r1", &controller.into(), &all);
        }
        assert_eq!(followers(&traces, "c1"), ["c1", "c2"]);
        traces.forget(&"c1".into());
        assert_eq!(followers(&traces, "c1"), ["c2"]);
        traces.closed(&id("c1"));
        traces.closed(&id("c2"));
        assert!(!traces.is_any());
    }

    #[test]
    fn a_channel_that_opens_anew_is_not_followed() {
        let mut traces = traces();
        traces.toggle("r1", &"c1".into(), &toggle(true, 0, "", ""));
        traces.closed(&id("g3"));
        traces.opened(id("g3"), Pipe::link("abc", "r2"));
        assert_eq!(followers(&traces, "g3"), Vec::<String>::new());
    }
}
