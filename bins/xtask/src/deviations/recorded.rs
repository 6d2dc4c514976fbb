//! Steps of recorded exchanges that Portcullis answers differently: `FILE | STEP | REASON`.

/// Steps of a file with their line numbers.
#[derive(Debug)]
pub(super) struct RecordedSteps(Vec<(usize, String, String)>);

impl RecordedSteps {
    /// Parses the file; also returns errors. Empty lines and comments (`#`) are skipped.
    pub(super) fn read(text: &str) -> (Self, Vec<String>) {
        let mut steps = Vec::new();
        let mut faults = Vec::new();
        let lines = (1..).zip(text.lines());
        for (number, line) in
            lines.filter(|(_, line)| !line.trim().is_empty() && !line.starts_with('#'))
        {
            let parts: Vec<_> = line.splitn(3, '|').map(str::trim).collect();
            match parts.as_slice() {
                [file, step, reason]
                    if [file, step, reason].iter().all(|part| !part.is_empty()) =>
                {
                    steps.push((number, (*file).to_owned(), (*step).to_owned()));
                },
                _ => faults.push(format!(
                    "{}:{number}: not FILE | STEP | REASON",
                    super::RECORDED_STEPS_FILE
                )),
            }
        }
        (Self(steps), faults)
    }

    pub(super) fn contains(&self, file: &str, step: &str) -> bool {
        self.iter()
            .any(|(_, own_file, own_step)| own_file == file && own_step == step)
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = (usize, &str, &str)> {
        self.0
            .iter()
            .map(|(line, file, step)| (*line, file.as_str(), step.as_str()))
    }

    pub(super) fn len(&self) -> usize {
        self.0.len()
    }
}
