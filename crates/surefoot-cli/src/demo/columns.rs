//! Text in columns.

/// Rows with every column as wide as its widest entry; those after the first few are numbers, and end together.
pub fn aligned(rows: &[Vec<String>], words: usize) -> String {
    let width = |column: usize| rows.iter().filter_map(|row| row.get(column)).map(|cell| cell.chars().count()).max().unwrap_or(0);
    let mut text = String::new();
    for row in rows {
        let mut line = String::new();
        for (column, cell) in row.iter().enumerate() {
            let gap = " ".repeat(width(column) - cell.chars().count());
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
    let lines = |(title, text): (&str, &str)| -> Vec<String> {
        let rule = "-".repeat(title.chars().count());
        [title.to_owned(), rule].into_iter().chain(text.lines().map(str::to_owned)).collect()
    };
    let (left, right) = (lines(left), lines(right));
    let line = |index: usize| {
        let at = |lines: &[String]| lines.get(index).cloned().unwrap_or_default();
        vec![at(&left), at(&right)]
    };
    aligned(&(0..left.len().max(right.len())).map(line).collect::<Vec<_>>(), 2)
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
        assert_eq!(beside(("x", "1\n22\n3"), ("y", "b")), "  x    y\n  -    -\n  1    b\n  22\n  3\n");
        assert_eq!(wrapped("one two three", 7), "one two\nthree\n");
    }
}
