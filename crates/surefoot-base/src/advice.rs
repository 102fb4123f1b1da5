//! Advice as a value: the settings that a message names or proposes, and texts that are made of
//! words and such values.
//!
//! The library knows the setting `effect-decimals`. It does not know that the command line spells
//! it `--effect-decimals 2` and Python `effect_decimals=2`. So each message is a [`Text`]. Its
//! `Display` is neutral (`effect-decimals 2`), for headers, certificates and states. A front end
//! spells the same text in its own words with its [`Spelling`]. A dial is spelled by its declared
//! name, so a new dial needs nothing here.

use std::fmt;
use std::ops::{Add, AddAssign};

use serde::{Serialize, Serializer};
use serde_json::Value;

use crate::assumptions::{Dial, Takes};

/// Something that every front end lets its users set.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Setting {
    /// A dial of the learner.
    Dial(&'static Dial),
    /// What to do about steps that no model of the class explains.
    OnBadData,
    /// The share of an action's steps that may be set aside.
    SetAsideShare,
    /// The number of an action's steps that may be set aside whatever their share.
    SetAsideSteps,
    /// Files that are given besides the records, by what they are: `problems`.
    Files(&'static str),
}

impl Setting {
    /// Its name, with `-` between words.
    pub fn name(self) -> &'static str {
        match self {
            Setting::Dial(dial) => dial.name,
            Setting::OnBadData => "on-bad-data",
            Setting::SetAsideShare => "set-aside-share",
            Setting::SetAsideSteps => "set-aside-steps",
            Setting::Files(name) => name,
        }
    }

    /// Whether it is on or off, so that its name alone says that it is on.
    pub fn is_switch(self) -> bool {
        matches!(self, Setting::Dial(Dial { takes: Takes::Switch, .. }))
    }
}

/// A setting, with the value that is proposed or in force; without one, the setting is only named.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Advice {
    /// The setting that the advice is about.
    pub setting: Setting,
    /// Its value, as [`crate::assumptions::Spec::set`] takes it.
    pub value: Option<Value>,
}

impl Advice {
    /// Only the name of a setting.
    pub fn named(setting: Setting) -> Advice {
        Advice { setting, value: None }
    }

    /// A setting with a value.
    pub fn with(setting: Setting, value: impl Into<Value>) -> Advice {
        Advice { setting, value: Some(value.into()) }
    }

    /// A choice for steps that no model of the class explains.
    pub fn on_bad_data(choice: &'static str) -> Advice {
        Advice::with(Setting::OnBadData, choice)
    }
}

/// For machines: `{"setting": "decimals", "value": 3}`; no value where the setting is only named.
impl Serialize for Advice {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut all = serde_json::Map::new();
        all.insert("setting".to_owned(), self.setting.name().into());
        all.extend(self.value.clone().map(|value| ("value".to_owned(), value)));
        all.serialize(serializer)
    }
}

/// A dial as [`Advice`], by its name, with or without a value. A name that no dial has does not
/// compile.
#[macro_export]
macro_rules! dial {
    ($name:literal) => {
        $crate::advice::Advice::named($crate::advice::Setting::Dial(
            const { $crate::assumptions::Dial::of($name) },
        ))
    };
    ($name:literal, $value:expr) => {
        $crate::advice::Advice::with(
            $crate::advice::Setting::Dial(const { $crate::assumptions::Dial::of($name) }),
            $value,
        )
    };
}

/// How a front end writes settings.
pub trait Spelling {
    /// A setting without a value.
    fn name(&self, setting: Setting) -> String;

    /// A setting with its value.
    fn with_value(&self, setting: Setting, value: &Value) -> String;

    /// What stands between settings that are given together.
    fn separator(&self) -> &'static str;
}

/// The spelling of no front end: `decimals 3`.
struct Neutral;

impl Spelling for Neutral {
    fn name(&self, setting: Setting) -> String {
        setting.name().to_owned()
    }

    fn with_value(&self, setting: Setting, value: &Value) -> String {
        match value {
            Value::Bool(true) if setting.is_switch() => self.name(setting),
            Value::String(word) => format!("{} {word}", setting.name()),
            value => format!("{} {}", setting.name(), written(value)),
        }
    }

    fn separator(&self) -> &'static str {
        " and "
    }
}

/// A value as JSON, with a blank after each comma and colon.
pub fn written(value: &Value) -> String {
    match value {
        Value::Array(values) => {
            format!("[{}]", values.iter().map(written).collect::<Vec<_>>().join(", "))
        }
        Value::Object(fields) => {
            let fields = fields
                .iter()
                .map(|(key, value)| format!("{}: {}", Value::from(&**key), written(value)));
            format!("{{{}}}", fields.collect::<Vec<_>>().join(", "))
        }
        other => other.to_string(),
    }
}

#[derive(Clone, PartialEq, Eq, Debug)]
enum TextPiece {
    Words(String),
    /// Settings that are given together.
    Settings(Vec<Advice>),
}

/// A message: words, and the settings that it names. `Display` writes it neutrally.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Text {
    pieces: Vec<TextPiece>,
}

impl Text {
    /// Settings that are given together.
    pub fn together(settings: Vec<Advice>) -> Text {
        Text { pieces: vec![TextPiece::Settings(settings)] }
    }

    /// Several texts with some words between them.
    pub fn joined(texts: impl IntoIterator<Item = Text>, between: &str) -> Text {
        let mut all = Text::default();
        for (place, text) in texts.into_iter().enumerate() {
            if place > 0 {
                all += between;
            }
            all += text;
        }
        all
    }

    /// The text in the words of a front end.
    pub fn spelled(&self, spelling: &dyn Spelling) -> String {
        let of = |advice: &Advice| match &advice.value {
            None => spelling.name(advice.setting),
            Some(value) => spelling.with_value(advice.setting, value),
        };
        let pieces = self.pieces.iter().map(|piece| match piece {
            TextPiece::Words(words) => words.clone(),
            TextPiece::Settings(all) => {
                all.iter().map(of).collect::<Vec<_>>().join(spelling.separator())
            }
        });
        pieces.collect()
    }

    /// The settings that it names or proposes, in order.
    pub fn advice(&self) -> Vec<&Advice> {
        let settings = |piece| match piece {
            &TextPiece::Words(_) => &[][..],
            TextPiece::Settings(all) => all,
        };
        self.pieces.iter().flat_map(settings).collect()
    }
}

/// What has a message that may name settings.
pub trait Worded {
    /// The message, with settings as values, so that each front end spells them in its own way.
    fn text(&self) -> Text;

    /// The message in the words of a front end.
    fn spelled(&self, spelling: &dyn Spelling) -> String {
        self.text().spelled(spelling)
    }
}

impl fmt::Display for Text {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.spelled(&Neutral))
    }
}

/// A message can be all there is of an error.
impl std::error::Error for Text {}

/// A text is written in its neutral words: settings by their names.
impl Serialize for Text {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl From<&str> for Text {
    fn from(words: &str) -> Text {
        words.to_owned().into()
    }
}

impl From<String> for Text {
    fn from(words: String) -> Text {
        Text { pieces: vec![TextPiece::Words(words)] }
    }
}

impl From<Advice> for Text {
    fn from(advice: Advice) -> Text {
        Text::together(vec![advice])
    }
}

impl<T: Into<Text>> AddAssign<T> for Text {
    fn add_assign(&mut self, other: T) {
        self.pieces.extend(other.into().pieces);
    }
}

impl<T: Into<Text>> Add<T> for Text {
    type Output = Text;

    fn add(mut self, other: T) -> Text {
        self += other;
        self
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn text() -> Text {
        Text::from("Learn with ")
            + Text::together(vec![dial!("degree", 2), dial!("squares", true)])
            + ", or with "
            + dial!("error", json!({"(level ?t)": 0.1, "*": 0}))
            + ", not with "
            + dial!("decimals")
            + "; or "
            + Advice::on_bad_data("quarantine")
    }

    #[test]
    fn a_text_is_written_neutrally_where_no_front_end_spells_it() {
        assert_eq!(
            text().to_string(),
            "Learn with degree 2 and squares, or with error {\"(level ?t)\": 0.1, \"*\": 0}, not \
             with decimals; or on-bad-data quarantine"
        );
    }

    #[test]
    fn machines_get_the_settings_with_their_values() {
        let all = text();
        let advice = serde_json::to_value(all.advice()).unwrap();
        assert_eq!(advice[0], json!({"setting": "degree", "value": 2}));
        assert_eq!(advice[1], json!({"setting": "squares", "value": true}));
        assert_eq!(advice[3], json!({"setting": "decimals"}));
        assert_eq!(advice[4], json!({"setting": "on-bad-data", "value": "quarantine"}));
        assert_eq!(advice.as_array().map(Vec::len), Some(5));
    }
}
