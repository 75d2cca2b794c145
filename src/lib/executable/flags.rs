//! Values of flags: as JSON, and on a command line for a shell.

use std::ffi::{OsStr, OsString};
use std::ops::Deref;
use std::path::{Path, PathBuf};

use clap::builder::{MapValueParser, PathBufValueParser, TypedValueParser, ValueParserFactory};
use clap::{Arg, Command, Parser};
use serde::{Serialize, Serializer};
use serde_json::{Map, Value};

/// Returns the values of all flags by name.
pub(super) fn values<T: Serialize>(arguments: &T) -> Map<String, Value> {
    match serde_json::to_value(arguments) {
        Ok(Value::Object(values)) => values,
        _ => unreachable!("arguments are structs of plain values"),
    }
}

/// Returns whether the value of a flag is a path.
pub(super) fn takes_path(argument: &Arg) -> bool {
    let names = argument.get_value_names().unwrap_or_default();
    names.iter().any(|name| matches!(name.as_str(), "FILE" | "DIR" | "INPUT"))
}

/// The path of a flag. It serializes to text: bytes that are not UTF-8 become replacement characters.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct FlagPath(PathBuf);

impl<T: Into<PathBuf>> From<T> for FlagPath {
    fn from(path: T) -> Self {
        FlagPath(path.into())
    }
}

impl Deref for FlagPath {
    type Target = Path;

    fn deref(&self) -> &Path {
        &self.0
    }
}

impl AsRef<OsStr> for FlagPath {
    fn as_ref(&self) -> &OsStr {
        self.0.as_os_str()
    }
}

impl Serialize for FlagPath {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.0.to_string_lossy())
    }
}

impl ValueParserFactory for FlagPath {
    type Parser = MapValueParser<PathBufValueParser, fn(PathBuf) -> Self>;

    fn value_parser() -> Self::Parser {
        PathBufValueParser::new().map(FlagPath)
    }
}

/// Returns the arguments of an executable with these flags; the others have their defaults. Panics if a flag is illegal, or a required one
/// is missing.
pub fn with_flags<T: Parser>(flags: &[(&str, &dyn AsRef<OsStr>)]) -> T {
    let spelled = flags.iter().map(|(flag, value)| {
        let mut argument = OsString::from(format!("--{flag}="));
        argument.push(value);
        argument
    });
    T::try_parse_from([OsString::new()].into_iter().chain(spelled)).expect("legal flags")
}

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
pub(super) fn texts(value: &Value) -> Vec<String> {
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
