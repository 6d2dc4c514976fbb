//! What is asked at a terminal.

use crate::Session;
use crate::session::PASSWORD;
use std::io::{Read as _, Write as _};
use std::path::Path;
use std::process::{Child, ChildStdin, Stdio};
use std::sync::{Arc, Mutex};
use std::thread::{self, JoinHandle};
use support::{Tool, binaries, tools, wait};

/// Sent by the keys for the end of the input.
pub(crate) const END: &str = "\u{4}";

/// Sent by the keys for giving up.
pub(crate) const GIVE_UP: &str = "\u{3}";

/// A run of the command line that waits for answers.
pub(crate) struct Terminal {
    child: Child,
    /// How much had been shown when the last answer was given.
    before: usize,
    keys: ChildStdin,
    shown: Arc<Mutex<Vec<u8>>>,
    reader: JoinHandle<()>,
}

impl Terminal {
    /// Starts the command line at a terminal of its own, without a password in the environment.
    pub(crate) fn start(session: &Session, arguments: &str) -> Self {
        Self::with_environment(session, arguments, &[])
    }

    /// The same with variables in the environment.
    pub(crate) fn with_environment(
        session: &Session,
        arguments: &str,
        variables: &[(&str, &str)],
    ) -> Self {
        let mut command = session.command(Path::new("script"));
        // Whatever starts these tests in the background has them ignore the keys for giving up, which
        // the program would inherit.
        let line = format!(
            "exec env --default-signal=INT {} {arguments}",
            binaries::cli().display()
        );
        command
            .args(["--quiet", "--return", "--command", &line, "/dev/null"])
            .env_remove("PORTCULLIS_PASSWORD")
            .envs(variables.iter().copied())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped());
        let mut child = command.spawn().unwrap();
        let mut screen = child.stdout.take().unwrap();
        let keys = child.stdin.take().unwrap();
        let shown = Arc::new(Mutex::new(Vec::new()));
        let copy = shown.clone();
        let reader = thread::spawn(move || {
            let mut bytes = [0; 512];
            while let Ok(length @ 1..) = screen.read(&mut bytes) {
                copy.lock().unwrap().extend_from_slice(&bytes[..length]);
            }
        });
        Self {
            child,
            before: 0,
            keys,
            shown,
            reader,
        }
    }

    pub(crate) fn shown(&self) -> String {
        String::from_utf8_lossy(&self.shown.lock().unwrap()).into_owned()
    }

    /// Waits until `question` is shown after the last answer, and types.
    #[track_caller]
    pub(crate) fn answer(&mut self, question: &str, keys: &str) {
        let look = || {
            let shown = self.shown.lock().unwrap();
            let new = String::from_utf8_lossy(&shown[self.before..]);
            new.contains(question).then_some(shown.len()).ok_or(())
        };
        let asked = wait::until(wait::DEFAULT_TIMEOUT, look);
        let Ok(shown) = asked else {
            // It would wait for ever.
            let _ = self.child.kill();
            panic!("{question} is not asked: {}", self.shown());
        };
        self.before = shown;
        wait::for_prompt_to_hide();
        self.keys.write_all(keys.as_bytes()).unwrap();
        self.keys.flush().unwrap();
    }

    /// Waits for the end, and gives the exit code and what was shown.
    #[track_caller]
    pub(crate) fn end(mut self) -> (i32, String) {
        let status = wait::until(wait::DEFAULT_TIMEOUT, || {
            self.child.try_wait().unwrap().ok_or("still there")
        });
        let Ok(status) = status else {
            let _ = self.child.kill();
            panic!("it did not end: {}", self.shown());
        };
        self.reader.join().unwrap();
        let shown = String::from_utf8_lossy(&self.shown.lock().unwrap()).into_owned();
        (status.code().unwrap_or(-1), shown)
    }
}

const TRUST: &str = "Do you recognize this fingerprint?";

#[test]
fn trust_is_a_whole_word() {
    if !tools::are_available(&[Tool::Script]) {
        return;
    }
    let session = Session::new();
    let login = format!("login {} --username admin", session.controller.url());
    for answer in ["maybe\n", "y maybe\n", "\n", "yy\n", END] {
        let mut terminal = Terminal::start(&session, &login);
        terminal.answer(TRUST, answer);
        let (code, shown) = terminal.end();
        assert_eq!(code, 1, "{answer:?}: {shown}");
        assert!(shown.contains("the controller is not trusted"), "{shown}");
        assert!(!shown.contains("Password"), "{answer:?}: {shown}");
    }
    session.run(&["whoami"]).expect_code(3);

    let mut terminal = Terminal::start(&session, &login);
    terminal.answer(TRUST, "yes\n");
    // A slip does not lead to the first question again.
    terminal.answer("Password of admin", "not-this-one\n");
    let again = "Try again.\r\n\rPassword of admin";
    terminal.answer(again, &format!("{PASSWORD}\n"));
    let (code, shown) = terminal.end();
    assert_eq!(code, 0, "{shown}");
    assert!(!shown.contains(PASSWORD), "{shown}");
    session.run(&["whoami"]).success();
}

#[test]
fn cursor_is_not_hidden_by_a_question() {
    if !tools::are_available(&[Tool::Script]) {
        return;
    }
    let session = Session::new();
    let login = format!("login {} --username admin", session.controller.url());
    for answers in [
        &[(TRUST, GIVE_UP)][..],
        &[(TRUST, "y\n"), ("Password of admin", GIVE_UP)],
    ] {
        let mut terminal = Terminal::start(&session, &login);
        for (question, keys) in answers {
            terminal.answer(question, keys);
        }
        let (code, shown) = terminal.end();
        assert_eq!(code, 130, "{shown}");
        assert!(!shown.contains("\u{1b}[?25"), "{shown:?}");
    }
    session.run(&["whoami"]).expect_code(3);
}
