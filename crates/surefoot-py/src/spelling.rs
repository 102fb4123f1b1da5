//! Settings in the words of Python.

use serde_json::Value;
use surefoot_base::advice::{Setting, Spelling, written};

/// Settings as keywords: `decimals=3`.
pub struct Keywords;

impl Spelling for Keywords {
    fn name(&self, setting: Setting) -> String {
        format!("{}=", setting.name().replace('-', "_"))
    }

    fn with_value(&self, setting: Setting, value: &Value) -> String {
        let value = match value {
            Value::Bool(true) => "True".to_owned(),
            Value::Bool(false) => "False".to_owned(),
            Value::Null => "None".to_owned(),
            // No map of a setting holds any of these.
            value => written(value),
        };
        self.name(setting) + &value
    }

    fn separator(&self) -> &'static str {
        ", "
    }
}
