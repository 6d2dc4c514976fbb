//! `ziti fabric stream traces …`.

use super::{PATIENCE, stage};
use std::thread;
use std::time::Duration;
use support::{Running, wait};

/// Traces come from the moment they are turned on until they are turned off.
#[test]
fn toggled_pipes() {
    let Some(stage) = stage() else {
        return;
    };
    let traces = stage.ziti.follows("traces", &["stream", "traces"]);
    let toggle = |word: &str| {
        let line = ["stream", "traces", "toggle", "pipe", word, ".*", ".*"];
        stage.ziti.asked(&line)
    };
    let answered = toggle("on");
    for answer in [
        format!("App {} matched? true", stage.ours),
        format!("Link {}.ctrl/", stage.theirs),
    ] {
        assert!(answered.contains(&answer), "{answered}");
    }
    // Each line begins with the time and who has seen the message.
    let is_traced = wait::until(PATIENCE, || {
        stage.use_service();
        let logged = told(&traces);
        let has_seen = |router| logged.contains(&format!(": {router}"));
        if has_seen(&stage.ours) && has_seen(&stage.theirs) {
            Ok(())
        } else {
            Err(logged)
        }
    });
    is_traced.unwrap();

    toggle("off");
    // What was under way comes yet.
    let is_quiet = wait::until(PATIENCE, || {
        let before = told(&traces);
        for _ in 0..5 {
            stage.use_service();
        }
        thread::park_timeout(Duration::from_millis(500));
        let after = told(&traces);
        if after == before { Ok(()) } else { Err(after) }
    });
    is_quiet.unwrap();
}

#[test]
fn pipes_that_no_expression_names() {
    if let Some(stage) = stage() {
        let line = ["stream", "traces", "toggle", "pipe", "on", "c(", ".*"];
        let said = stage.ziti.asked(&line);
        assert!(said.contains("tracing enable failed"), "{said}");
    }
}

/// What a stream has brought, without what the client tells of itself.
fn told(traces: &Running) -> String {
    let logged = traces.logged();
    let lines = logged.split_inclusive('\n');
    lines.filter(|line| !line.starts_with('{')).collect()
}
