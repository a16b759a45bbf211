//! Text for a terminal as it grows: lines under sections, and tables whose columns are as wide as they must be.

/// Text that grows by lines.
#[derive(Default)]
pub(super) struct Text(pub(super) String);

impl Text {
    /// A line, so many steps in.
    pub(super) fn line(&mut self, depth: usize, text: &str) {
        self.0.extend(std::iter::repeat_n("  ", depth));
        self.0.extend(text.chars().map(crate::cli::printable));
        self.0.push('\n');
    }

    /// An empty line and a heading.
    pub(super) fn section(&mut self, title: &str) {
        self.0.push('\n');
        self.line(0, title);
    }

    /// Rows below a header.
    pub(super) fn table<const N: usize>(&mut self, header: &[&str; N], rows: impl Iterator<Item = [String; N]>) {
        let mut all = vec![header.map(str::to_owned)];
        all.extend(rows);
        let mut widths = [0; N];
        for (width, cell) in all.iter().flat_map(|row| (0..N).zip(row)).map(|(i, cell)| (i, cell.chars().count())) {
            if let Some(widest) = widths.get_mut(width) {
                *widest = cell.max(*widest);
            }
        }
        for row in all {
            let cells: Vec<String> = row.iter().zip(widths).map(|(cell, width)| format!("{cell:width$}")).collect();
            self.line(1, cells.join("  ").trim_end());
        }
    }
}
