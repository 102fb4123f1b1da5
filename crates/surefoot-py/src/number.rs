//! Exact numbers in and out: `fractions.Fraction`, integers, decimals, text, numpy's; floats where
//! they are exact, or rounding was asked for. What is missing is unknown.

use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyBool, PyFloat, PyInt, PyString, PyType};
use surefoot_base::exact::Rational;
use surefoot_base::pddl::Numbers;

use crate::error::{wrong_type, wrong_value};

static FRACTION: PyOnceLock<Py<PyType>> = PyOnceLock::new();
static DECIMAL: PyOnceLock<Py<PyType>> = PyOnceLock::new();

/// A number as a `Fraction`.
pub fn fraction<'py>(py: Python<'py>, number: &Rational) -> PyResult<Bound<'py, PyAny>> {
    let class = FRACTION.import(py, "fractions", "Fraction")?;
    match number.as_small() {
        Some((numerator, denominator)) => class.call1((numerator, denominator)),
        None => {
            let integer = py.get_type::<PyInt>();
            let numerator = integer.call1((number.numerator().to_string(),))?;
            class.call1((numerator, integer.call1((number.denominator().to_string(),))?))
        }
    }
}

/// A number from Python, which must be known.
pub fn rational(value: &Bound<'_, PyAny>, numbers: Numbers) -> PyResult<Rational> {
    reading(value, numbers)?.ok_or_else(|| {
        wrong_value(format!("expected a number, found {}, which is unknown", shown(value)))
    })
}

/// The same of a function whose recorded values may be off by a stated error: there a float means
/// what its decimals say.
pub fn reading_within(value: &Bound<'_, PyAny>, numbers: Numbers) -> PyResult<Option<Rational>> {
    let float = match value.cast::<PyFloat>() {
        Ok(float) => Some(float.value()),
        Err(_) if is_fraction(value) || value.is_none() => None,
        Err(_) => {
            item(value)?.and_then(|inner| inner.cast::<PyFloat>().ok().map(|float| float.value()))
        }
    };
    match float.filter(|float| float.is_finite()) {
        Some(float) => read(&PyFloat::new(value.py(), float).repr()?.to_cow()?, numbers).map(Some),
        None => reading(value, numbers),
    }
}

/// A number from Python; `None` where it says that the number is unknown: `None`, NaN, and what
/// pandas and numpy have for it.
///
/// A float is taken where its decimals say exactly what it is (0.5, 3.0), or where numbers are
/// rounded; 0.1 is not what was measured. Numbers of numpy are whatever `item()` makes of them, so
/// nothing of it is imported.
pub fn reading(value: &Bound<'_, PyAny>, numbers: Numbers) -> PyResult<Option<Rational>> {
    if value.is_exact_instance_of::<PyInt>() {
        return whole(value).map(Some);
    }
    let py = value.py();
    if is_fraction(value) {
        return ratio(value).map(Some);
    }
    if value.is_none() {
        return Ok(None);
    }
    if value.is_instance_of::<PyBool>() {
        return Err(no_number(value));
    }
    if value.is_instance_of::<PyInt>() {
        return whole(value).map(Some);
    }
    if let Ok(float) = value.cast::<PyFloat>() {
        return of_float(float, numbers);
    }
    if let Ok(text) = value.cast::<PyString>() {
        return read(text.to_cow()?.trim(), numbers).map(Some);
    }
    if value.is_instance(FRACTION.import(py, "fractions", "Fraction")?)? {
        return ratio(value).map(Some);
    }
    if value.is_instance(DECIMAL.import(py, "decimal", "Decimal")?)? {
        if value.call_method0(pyo3::intern!(py, "is_nan"))?.extract()? {
            return Ok(None);
        }
        if value.call_method0(pyo3::intern!(py, "is_infinite"))?.extract()? {
            return Err(infinite(value));
        }
        return read(&value.str()?.to_cow()?, numbers).map(Some);
    }
    if is_missing(value)? {
        return Ok(None);
    }
    match item(value)? {
        Some(inner) => reading(&inner, numbers),
        None if value.hasattr(pyo3::intern!(py, "__index__"))? => {
            whole(&py.import("operator")?.call_method1("index", (value,))?).map(Some)
        }
        None => Err(no_number(value)),
    }
}

/// Whether this is `None`, or what pandas and numpy have for a missing value. (A masked one calls
/// itself zero.)
pub fn is_missing(value: &Bound<'_, PyAny>) -> PyResult<bool> {
    Ok(value.is_none()
        || matches!(&*value.get_type().name()?.to_cow()?, "NAType" | "NaTType" | "MaskedConstant"))
}

/// The plain value inside a scalar of numpy, or an array without dimensions.
pub fn item<'py>(value: &Bound<'py, PyAny>) -> PyResult<Option<Bound<'py, PyAny>>> {
    let py = value.py();
    if !value.hasattr(pyo3::intern!(py, "item"))? || !value.hasattr(pyo3::intern!(py, "dtype"))? {
        return Ok(None);
    }
    let dimensions = value.getattr(pyo3::intern!(py, "shape"))?.len()?;
    if dimensions > 0 {
        return Err(wrong_type(format!(
            "expected a number, found an array: {}; take one of its elements",
            shown(value)
        )));
    }
    let inner = value.call_method0(pyo3::intern!(py, "item"))?;
    // A number of more digits than Python's own has no plain value inside, and would go round for
    // ever.
    if inner.get_type().is(value.get_type()) { Err(no_number(value)) } else { Ok(Some(inner)) }
}

fn no_number(value: &Bound<'_, PyAny>) -> PyErr {
    wrong_type(format!("expected a number, found {}", shown(value)))
}

fn infinite(value: &Bound<'_, PyAny>) -> PyErr {
    wrong_value(format!(
        "{} is not a value that a function can have; where it is unknown, say None or NaN",
        shown(value)
    ))
}

/// A `Fraction`.
fn ratio(value: &Bound<'_, PyAny>) -> PyResult<Rational> {
    let py = value.py();
    let (numerator, denominator) = (
        value.getattr(pyo3::intern!(py, "numerator"))?,
        value.getattr(pyo3::intern!(py, "denominator"))?,
    );
    if let (Ok(numerator), Ok(denominator)) =
        (numerator.extract::<i64>(), denominator.extract::<i64>())
    {
        return Rational::new(numerator, denominator)
            .ok_or_else(|| wrong_value("a fraction over zero"));
    }
    whole(&numerator)?
        .checked_div(&whole(&denominator)?)
        .ok_or_else(|| wrong_value("a fraction over zero"))
}

fn of_float(value: &Bound<'_, PyFloat>, numbers: Numbers) -> PyResult<Option<Rational>> {
    let float = value.value();
    if float.is_nan() {
        return Ok(None);
    }
    if float.is_infinite() {
        return Err(infinite(value));
    }
    // Up to here every whole number is a float.
    if float.fract() == 0.0 && float.abs() < 9e15 {
        return Ok(Some(Rational::integer(float as i64)));
    }
    // The plain float, since one of numpy has a `repr` of its own.
    let plain = PyFloat::new(value.py(), float);
    let read = read(&plain.repr()?.to_cow()?, numbers)?;
    if numbers == Numbers::Exact {
        let (above, below): (Bound<'_, PyAny>, Bound<'_, PyAny>) =
            plain.call_method0(pyo3::intern!(value.py(), "as_integer_ratio"))?.extract()?;
        if whole(&above)?.checked_div(&whole(&below)?).as_ref() != Some(&read) {
            return Err(wrong_type(format!(
                "{} is a float, which is not exact: pass a Fraction, an int or a decimal string, \
                 or say decimals=N",
                shown(value)
            )));
        }
    }
    Ok(Some(read))
}

fn whole(value: &Bound<'_, PyAny>) -> PyResult<Rational> {
    match value.extract::<i64>() {
        Ok(small) => Ok(Rational::integer(small)),
        Err(_) => read(&value.str()?.to_cow()?, Numbers::Exact),
    }
}

fn read(text: &str, numbers: Numbers) -> PyResult<Rational> {
    match text.split_once('/') {
        Some((dividend, divisor)) => read_one(dividend.trim(), numbers)?
            .checked_div(&read_one(divisor.trim(), numbers)?)
            .ok_or_else(|| wrong_value(format!("{text:?}: division by zero"))),
        None => read_one(text, numbers),
    }
}

fn read_one(text: &str, numbers: Numbers) -> PyResult<Rational> {
    numbers.read(text).map_err(|error| wrong_value(format!("{text:?}: {error}")))
}

/// Whether the value of this object can never be another.
pub fn is_immutable(value: &Bound<'_, PyAny>) -> bool {
    value.is_exact_instance_of::<PyInt>()
        || value.is_exact_instance_of::<PyFloat>()
        || is_fraction(value)
        || value.is_none()
        || value.is_exact_instance_of::<PyString>()
}

/// Whether this is a `Fraction`, and not of a class made from it.
fn is_fraction(value: &Bound<'_, PyAny>) -> bool {
    FRACTION
        .import(value.py(), "fractions", "Fraction")
        .is_ok_and(|class| value.get_type().is(class))
}

/// A value in a message, cut where it is long.
pub fn shown(value: &Bound<'_, PyAny>) -> String {
    const MOST: usize = 80;
    let text = value.repr().map_or_else(|_| "something".to_owned(), |text| text.to_string());
    if text.chars().count() > MOST {
        text.chars().take(MOST).chain("…".chars()).collect()
    } else {
        text
    }
}
