//! Command lines for a shell.

use std::path::Path;

use clap::{Arg, Command};
use serde_json::{Map, Value};

/// Returns the command line that sets these flags: in the order of the command, default values omitted.
pub(super) fn command_line(command: &Command, values: &Map<String, Value>) -> String {
    let mut line = command.get_name().to_string();
    for argument in command.get_arguments() {
        let Some(value) = values.get(argument.get_id().as_str()) else { continue };
        for text in texts(value).into_iter().filter(|text| !is_default(argument, text)) {
            push_flag(&mut line, argument, &text);
        }
    }
    line
}

/// Returns the texts of a flag's values, an empty one for a flag without value.
fn texts(value: &Value) -> Vec<String> {
    match value {
        Value::Null | Value::Bool(false) => Vec::new(),
        Value::Bool(true) => vec![String::new()],
        Value::String(text) => vec![text.clone()],
        Value::Array(values) => values.iter().flat_map(texts).collect(),
        other => vec![other.to_string()],
    }
}

fn push_flag(line: &mut String, argument: &Arg, text: &str) {
    if let Some(flag) = argument.get_long() {
        line.push_str(&format!(" --{flag}"));
    }
    if argument.get_action().takes_values() {
        line.push(if argument.is_require_equals_set() { '=' } else { ' ' });
        line.push_str(&quoted(Path::new(text)));
    }
}

fn is_default(argument: &Arg, text: &str) -> bool {
    let number = |text: &str| text.parse::<f64>().ok();
    argument.get_default_values().iter().filter_map(|value| value.to_str()).any(|default| {
        default == text || number(default).is_some_and(|default| number(text) == Some(default))
    })
}

/// Returns a path as one word of a shell.
pub fn quoted(path: &Path) -> String {
    let text = path.display().to_string();
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"_-./+=:,@%".contains(&byte);
    if !text.is_empty() && text.bytes().all(is_plain) {
        return text;
    }
    format!("'{}'", text.replace('\'', r"'\''"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_shell_reads_a_path_as_one_word() {
        for (path, expected) in
            [("exp/work-1/a_b.c", "exp/work-1/a_b.c"), ("a b", "'a b'"), ("it's", r"'it'\''s'")]
        {
            assert_eq!(quoted(Path::new(path)), expected);
        }
    }
}
