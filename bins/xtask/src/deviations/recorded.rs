//! Steps of recorded exchanges that Portcullis answers otherwise: `FILE | STEP | REASON`.

/// The steps that a file lists, each with its line.
#[derive(Debug)]
pub(super) struct Steps(Vec<(usize, String, String)>);

impl Steps {
    /// Reads the file, and what is wrong with it. Empty lines and comments (`#`) are passed over.
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
                    super::RECORDED
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
