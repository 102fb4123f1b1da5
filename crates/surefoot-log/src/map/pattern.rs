//! Names with objects in them: `battery[{robot}]`, `{robot}_battery`, `state.robots.{robot}.load`.

use crate::names::is_name;

/// A name, parts of which may stand for objects.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ColumnPattern {
    parts: Vec<PatternPart>,
}

#[derive(Clone, PartialEq, Eq, Debug)]
enum PatternPart {
    Literal(String),
    Capture(String),
}

impl ColumnPattern {
    /// Reads a pattern; the error says what is wrong with it.
    pub fn read(text: &str) -> Result<ColumnPattern, String> {
        let mut parts: Vec<PatternPart> = Vec::new();
        let mut rest = text;
        while let Some(open) = rest.find('{') {
            if open > 0 {
                parts.push(PatternPart::Literal(rest[..open].to_owned()));
            } else if matches!(parts.last(), Some(PatternPart::Capture(_))) {
                return Err(format!("nothing separates the two objects that touch in `{text}`"));
            }
            let close =
                rest[open..].find('}').ok_or_else(|| format!("a `}}` is missing in `{text}`"))?
                    + open;
            let name = &rest[open + 1..close];
            if !is_name(name) {
                return Err(format!(
                    "expected the name of a variable in braces, found `{{{name}}}`"
                ));
            }
            if parts.iter().any(|part| matches!(part, PatternPart::Capture(known) if known == name))
            {
                return Err(format!("{{{name}}} is in `{text}` twice"));
            }
            parts.push(PatternPart::Capture(name.to_owned()));
            rest = &rest[close + 1..];
        }
        if !rest.is_empty() {
            parts.push(PatternPart::Literal(rest.to_owned()));
        }
        if parts.is_empty() { Err("expected a name".into()) } else { Ok(ColumnPattern { parts }) }
    }

    /// As it is written in a map.
    pub fn written(&self) -> String {
        self.parts
            .iter()
            .map(|part| match part {
                PatternPart::Literal(text) => text.clone(),
                PatternPart::Capture(name) => format!("{{{name}}}"),
            })
            .collect()
    }

    /// The name, where no part of it stands for an object.
    pub fn literal(&self) -> Option<&str> {
        match &self.parts[..] {
            [PatternPart::Literal(name)] => Some(name),
            _ => None,
        }
    }

    /// The variables, in order.
    pub fn captures(&self) -> impl Iterator<Item = &str> {
        self.parts.iter().filter_map(|part| match part {
            PatternPart::Literal(_) => None,
            PatternPart::Capture(name) => Some(name.as_str()),
        })
    }

    /// Whether a name with objects in it would be one of these if letter case, blanks, `-` and `_`
    /// did not count.
    pub fn nearly_matches(&self, name: &str) -> bool {
        let parts: Vec<PatternPart> = self
            .parts
            .iter()
            .map(|part| match part {
                PatternPart::Literal(text) => PatternPart::Literal(fold_separators(text)),
                PatternPart::Capture(name) => PatternPart::Capture(name.clone()),
            })
            .collect();
        self.literal().is_none()
            && self.matches(name).is_none()
            && fit(&parts, &fold_separators(name.trim()), &mut Vec::new())
    }

    /// What the variables stand for in a name, if it is one of these. An object in a name has no
    /// `.`, `[` or `]`; where several readings fit, the first variables get as much as they can.
    pub fn matches<'n>(&self, name: &'n str) -> Option<Vec<&'n str>> {
        let mut found = Vec::new();
        fit(&self.parts, name, &mut found).then_some(found)
    }
}

impl std::fmt::Display for ColumnPattern {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.parts.iter().try_for_each(|part| match part {
            PatternPart::Literal(text) => f.write_str(text),
            PatternPart::Capture(name) => write!(f, "{{{name}}}"),
        })
    }
}

fn fit<'n>(parts: &[PatternPart], name: &'n str, found: &mut Vec<&'n str>) -> bool {
    match parts.split_first() {
        None => name.is_empty(),
        Some((PatternPart::Literal(literal), rest)) => match name.strip_prefix(literal.as_str()) {
            Some(name) => fit(rest, name, found),
            None => false,
        },
        Some((PatternPart::Capture(_), rest)) => {
            let most = name.find(['.', '[', ']']).unwrap_or(name.len());
            let ends = name[..most].char_indices().map(|(start, c)| start + c.len_utf8());
            for end in ends.collect::<Vec<_>>().into_iter().rev() {
                found.push(&name[..end]);
                if fit(rest, &name[end..], found) {
                    return true;
                }
                found.pop();
            }
            false
        }
    }
}

/// In small letters, with `_` for a space and for `-`.
fn fold_separators(text: &str) -> String {
    let text = text.to_lowercase();
    text.chars().map(|c| if c.is_whitespace() || c == '-' { '_' } else { c }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn objects_are_found_in_names() {
        for (pattern, name, found) in [
            ("battery[{robot}]", "battery[r1]", Some(vec!["r1"])),
            ("battery.{robot}", "battery.r1", Some(vec!["r1"])),
            ("{robot}_battery", "amr_1_battery", Some(vec!["amr_1"])),
            ("state.robots.{r}.load", "state.robots.r1.load", Some(vec!["r1"])),
            ("state.robots.{r}.load", "state.robots.r1.x.load", None),
            ("distance.{a}.{b}", "distance.x.y", Some(vec!["x", "y"])),
            ("battery", "battery", Some(vec![])),
            ("battery", "batteries", None),
            ("battery[{robot}]", "battery[]", None),
        ] {
            assert_eq!(
                ColumnPattern::read(pattern).unwrap().matches(name),
                found,
                "{pattern} {name}"
            );
        }
    }

    #[test]
    fn names_that_nearly_match() {
        let pattern = ColumnPattern::read("{robot}_load").unwrap();
        for (name, is_near) in [
            ("r1_load", false),
            ("r2_Load", true),
            ("r2-load", true),
            ("R2 LOAD", true),
            ("load", false),
            ("Load", false),
        ] {
            assert_eq!(pattern.nearly_matches(name), is_near, "{name}");
        }
        assert!(!ColumnPattern::read("load").unwrap().nearly_matches("Load"));
    }

    #[test]
    fn what_is_no_pattern_is_refused() {
        for text in ["", "{", "{}", "{a}{b}", "{a}.{a}", "a{1}"] {
            assert!(ColumnPattern::read(text).is_err(), "{text}");
        }
    }
}
