//! Values of flags as JSON.

use std::path::{Path, PathBuf};

use clap::Arg;
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

/// The value of a flag that takes a path: one, none or several.
pub trait PathValue {
    /// Returns the paths as JSON. Bytes that are not UTF-8 become replacement characters.
    fn to_json(&self) -> Value;
}

impl PathValue for Path {
    fn to_json(&self) -> Value {
        self.to_string_lossy().into()
    }
}

impl PathValue for PathBuf {
    fn to_json(&self) -> Value {
        self.as_path().to_json()
    }
}

impl PathValue for Option<PathBuf> {
    fn to_json(&self) -> Value {
        self.as_ref().map_or(Value::Null, PathValue::to_json)
    }
}

impl PathValue for Vec<PathBuf> {
    fn to_json(&self) -> Value {
        self.iter().map(PathValue::to_json).collect()
    }
}

/// Serializes the value of a flag that takes a path, for `serialize_with`.
pub fn serialize_path<S: Serializer>(
    path: &impl PathValue,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    path.to_json().serialize(serializer)
}
