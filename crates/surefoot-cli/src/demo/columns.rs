//! Arranges words in columns, for the tables of the demo.

/// Rows with every column as wide as its widest entry; those after the first few are numbers, and
/// end together.
pub fn aligned(rows: &[Vec<String>], words: usize) -> String {
    let mut widths = Vec::new();
    for row in rows {
        widths.resize(row.len().max(widths.len()), 0);
        for (width, cell) in widths.iter_mut().zip(row) {
            *width = cell.chars().count().max(*width);
        }
    }
    let mut text = String::new();
    for row in rows {
        let mut line = String::new();
        for (column, cell) in row.iter().enumerate() {
            let gap = " ".repeat(widths[column] - cell.chars().count());
            line += if column == 0 { "  " } else { "   " };
            line += &if column < words { format!("{cell}{gap}") } else { format!("{gap}{cell}") };
        }
        text += line.trim_end();
        text.push('\n');
    }
    text
}

/// Two texts side by side.
pub fn beside(left: (&str, &str), right: (&str, &str)) -> String {
    let mut columns = [titled(left), titled(right)];
    let length = columns.iter().map(Vec::len).max().unwrap_or(0);
    columns.iter_mut().for_each(|lines| lines.resize(length, String::new()));
    let [left, right] = columns;
    let rows: Vec<Vec<String>> =
        left.into_iter().zip(right).map(|(left, right)| vec![left, right]).collect();
    aligned(&rows, 2)
}

/// The lines of a text below its title.
fn titled((title, text): (&str, &str)) -> Vec<String> {
    let rule = "-".repeat(title.chars().count());
    [title.to_owned(), rule].into_iter().chain(text.lines().map(str::to_owned)).collect()
}

/// A text with every line set in.
pub fn indented(text: &str) -> String {
    text.lines().map(|line| format!("  {line}\n")).collect()
}

/// A paragraph in lines of at most so many letters.
pub fn wrapped(text: &str, width: usize) -> String {
    let mut lines: Vec<String> = vec![String::new()];
    for word in text.split_whitespace() {
        let line = lines.last().map_or(0, |line| line.chars().count());
        if line > 0 && line + 1 + word.chars().count() > width {
            lines.push(String::new());
        }
        if let Some(line) = lines.last_mut() {
            if !line.is_empty() {
                line.push(' ');
            }
            line.push_str(word);
        }
    }
    lines.join("\n") + "\n"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_line_up() {
        let rows = [["a", "1.00"], ["long", "0.5"]].map(|row| row.map(String::from).to_vec());
        assert_eq!(aligned(&rows, 1), "  a      1.00\n  long    0.5\n");
        assert_eq!(
            beside(("x", "1\n22\n3"), ("y", "b")),
            "  x    y\n  -    -\n  1    b\n  22\n  3\n"
        );
        assert_eq!(wrapped("one two three", 7), "one two\nthree\n");
    }
}
