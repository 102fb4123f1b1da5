//! Exact numbers in and out: `fractions.Fraction`, integers, decimals, text; floats only where rounding was asked for.

use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyBool, PyFloat, PyInt, PyString, PyType};
use surefoot::exact::Rational;
use surefoot::pddl::Numbers;

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

/// A number from Python. Floats are refused unless numbers are rounded to some decimals, since a float is not what was measured.
pub fn rational(value: &Bound<'_, PyAny>, numbers: Numbers) -> PyResult<Rational> {
    if value.is_exact_instance_of::<PyInt>() {
        return whole(value);
    }
    let py = value.py();
    if value.is_instance(FRACTION.import(py, "fractions", "Fraction")?)? {
        let (numerator, denominator) =
            (value.getattr(pyo3::intern!(py, "numerator"))?, value.getattr(pyo3::intern!(py, "denominator"))?);
        if let (Ok(numerator), Ok(denominator)) = (numerator.extract::<i64>(), denominator.extract::<i64>()) {
            return Rational::new(numerator, denominator).ok_or_else(|| wrong_value("a fraction over zero"));
        }
        return whole(&numerator)?.checked_div(&whole(&denominator)?).ok_or_else(|| wrong_value("a fraction over zero"));
    }
    if value.is_instance_of::<PyBool>() {
        return Err(wrong_type(format!("expected a number, found {}", shown(value))));
    }
    if value.is_instance_of::<PyInt>() {
        return whole(value);
    }
    if value.is_instance_of::<PyFloat>() {
        if numbers == Numbers::Exact {
            return Err(wrong_type(format!(
                "{} is a float, which is not exact: pass a Fraction, an int or a decimal string, or say decimals=N",
                shown(value)
            )));
        }
        return read(&value.repr()?.to_cow()?, numbers);
    }
    if let Ok(text) = value.cast::<PyString>() {
        return read(text.to_cow()?.trim(), numbers);
    }
    if value.is_instance(DECIMAL.import(py, "decimal", "Decimal")?)? {
        return read(&value.str()?.to_cow()?, numbers);
    }
    Err(wrong_type(format!("expected a number, found {}", shown(value))))
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
    value.is_exact_instance_of::<PyInt>() || is_fraction(value) || value.is_exact_instance_of::<PyString>()
}

/// Whether this is a `Fraction`, and not of a class made from it.
fn is_fraction(value: &Bound<'_, PyAny>) -> bool {
    FRACTION.import(value.py(), "fractions", "Fraction").is_ok_and(|class| value.get_type().is(class))
}

/// A value in a message, cut where it is long.
pub fn shown(value: &Bound<'_, PyAny>) -> String {
    const MOST: usize = 80;
    let text = value.repr().map_or_else(|_| "something".to_owned(), |text| text.to_string());
    if text.chars().count() > MOST { text.chars().take(MOST).chain("…".chars()).collect() } else { text }
}
