//! Settings and errors in the words of the command line.

use serde_json::Value;
use surefoot_base::advice::{Setting, Spelling, Text, Worded, written};
use surefoot_learn::{BadData, LearnError, SpecError};

/// Settings as options: `--decimals 3`.
pub struct Options;

impl Spelling for Options {
    fn name(&self, setting: Setting) -> String {
        format!("--{}", setting.name())
    }

    fn with_value(&self, setting: Setting, value: &Value) -> String {
        let option = self.name(setting);
        match value {
            Value::Bool(true) if setting.is_switch() => option,
            Value::String(word) => format!("{option} {word}"),
            Value::Object(_) => {
                format!("{option} {}, a file with {}", file(setting), written(value))
            }
            value => format!("{option} {}", written(value)),
        }
    }

    fn separator(&self) -> &'static str {
        " "
    }
}

/// The name of a file for a map, as the help of its option has it.
fn file(setting: Setting) -> String {
    let value = match setting {
        Setting::Dial(dial) => dial.value.rsplit('|').next().unwrap_or(dial.value),
        _ => setting.name(),
    };
    value.to_ascii_lowercase()
}

/// An error with all its causes. What the library says of settings is spelled.
pub fn spelled(error: &anyhow::Error, spelling: &dyn Spelling) -> String {
    let causes = error.chain().map(|cause| match text(cause) {
        Some(text) => text.spelled(spelling),
        None => cause.to_string(),
    });
    causes.collect::<Vec<_>>().join(": ")
}

/// The settings that an error and its causes name.
pub fn advice(error: &anyhow::Error) -> Vec<Value> {
    let texts: Vec<Text> = error.chain().filter_map(text).collect();
    let all = texts.iter().flat_map(Text::advice);
    all.filter_map(|advice| serde_json::to_value(advice).ok()).collect()
}

/// The message of an error that may name settings.
fn text(error: &(dyn std::error::Error + 'static)) -> Option<Text> {
    (error.downcast_ref::<Text>().cloned())
        .or_else(|| error.downcast_ref().map(LearnError::text))
        .or_else(|| error.downcast_ref().map(SpecError::text))
        .or_else(|| error.downcast_ref().map(BadData::text))
}

#[cfg(test)]
mod tests {
    use serde_json::json;
    use surefoot_base::advice::Advice;
    use surefoot_base::dial;

    use super::*;

    #[test]
    fn settings_are_spelled_as_options() {
        for (advice, spelled) in [
            (dial!("decimals"), "--decimals"),
            (dial!("decimals", 3), "--decimals 3"),
            (dial!("positive-preconditions", true), "--positive-preconditions"),
            (dial!("unchanged", "failed"), "--unchanged failed"),
            (Advice::on_bad_data("skip-action"), "--on-bad-data skip-action"),
            (dial!("error", json!(0.5)), "--error 0.5"),
            (
                dial!("error", json!({"level": 0.5})),
                "--error errors.json, a file with {\"level\": 0.5}",
            ),
            (
                dial!("monotone", json!({"*": {"(fuel ?t)": "more"}})),
                "--monotone file.json, a file with {\"*\": {\"(fuel ?t)\": \"more\"}}",
            ),
            (
                dial!("relevant", json!({"go": []})),
                "--relevant relevant.json, a file with {\"go\": []}",
            ),
        ] {
            assert_eq!(Text::from(advice).spelled(&Options), spelled);
        }
        let both = Text::together(vec![dial!("degree", 2), dial!("squares", true)]);
        assert_eq!(both.spelled(&Options), "--degree 2 --squares");
    }

    #[test]
    fn an_error_is_spelled_with_all_its_causes() {
        let error = anyhow::Error::from(LearnError::Earlier("go".into())).context("a state");
        let said = spelled(&error, &Options);
        assert!(
            said.starts_with("a state: ") && said.contains("--on-bad-data skip-action"),
            "{said}"
        );
        assert_eq!(advice(&error), [json!({"setting": "on-bad-data", "value": "skip-action"})]);
    }
}
