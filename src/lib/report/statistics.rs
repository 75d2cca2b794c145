//! Means over seeds with their 95 % intervals, and powers fitted through points.

/// The upper 2.5 % points of Student's t for 1, 2, … 30 degrees of freedom.
const STUDENT: [f64; 30] = [
    12.7062, 4.3027, 3.1824, 2.7764, 2.5706, 2.4469, 2.3646, 2.3060, 2.2622, 2.2281, 2.2010,
    2.1788, 2.1604, 2.1448, 2.1314, 2.1199, 2.1098, 2.1009, 2.0930, 2.0860, 2.0796, 2.0739, 2.0687,
    2.0639, 2.0595, 2.0555, 2.0518, 2.0484, 2.0452, 2.0423,
];

/// The upper 2.5 % point of Student's t.
fn student(degrees: usize) -> f64 {
    const NORMAL: f64 = 1.959964;
    match STUDENT.get(degrees - 1) {
        Some(point) => *point,
        // The first terms of its expansion around the normal distribution.
        None => NORMAL + (NORMAL.powi(3) + NORMAL) / (4.0 * degrees as f64),
    }
}

/// A mean, and how far it may be off.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Estimate {
    /// The mean.
    pub mean: f64,
    /// Half of the 95 % interval (Student's t); none for a single value.
    pub half: Option<f64>,
    /// How many values it is of.
    pub count: usize,
}

impl Estimate {
    /// The mean of values; none of nothing.
    pub fn of(values: &[f64]) -> Option<Self> {
        let count = values.len();
        if count == 0 {
            return None;
        }
        let mean = values.iter().sum::<f64>() / count as f64;
        let squares: f64 = values.iter().map(|value| (value - mean) * (value - mean)).sum();
        let half = (count > 1).then(|| {
            let deviation = (squares / (count - 1) as f64).sqrt();
            student(count - 1) * deviation / (count as f64).sqrt()
        });
        Some(Estimate { mean, half, count })
    }

    /// The lower end of the interval; of a single value the value.
    pub fn low(&self) -> f64 {
        self.mean - self.half.unwrap_or(0.0)
    }

    /// The upper end of the interval; of a single value the value.
    pub fn high(&self) -> f64 {
        self.mean + self.half.unwrap_or(0.0)
    }
}

/// A straight line through points by least squares.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Fit {
    /// How steep it is.
    pub slope: f64,
    /// Half of the slope's 95 % interval from the scatter of the points around the line; none for two points.
    pub half: Option<f64>,
}

/// The line through points; none if they are not at two places at least.
pub fn line_through(points: &[(f64, f64)]) -> Option<Fit> {
    let count = points.len() as f64;
    let mean_x = points.iter().map(|(x, _)| x).sum::<f64>() / count;
    let mean_y = points.iter().map(|(_, y)| y).sum::<f64>() / count;
    let spread: f64 = points.iter().map(|(x, _)| (x - mean_x).powi(2)).sum();
    if points.len() < 2 || spread == 0.0 {
        return None;
    }
    let together: f64 = points.iter().map(|(x, y)| (x - mean_x) * (y - mean_y)).sum();
    let slope = together / spread;
    let rest = |(x, y): &(f64, f64)| (y - mean_y - slope * (x - mean_x)).powi(2);
    let rest: f64 = points.iter().map(rest).sum();
    let degrees = points.len() - 2;
    let half = (degrees > 0).then(|| student(degrees) * (rest / degrees as f64 / spread).sqrt());
    Some(Fit { slope, half })
}

/// The exponent e of y = a·xᵉ through points; those with a y of 0 or less are left out.
pub fn exponent(points: &[(f64, f64)]) -> Option<Fit> {
    let positive = points.iter().filter(|(x, y)| *x > 0.0 && *y > 0.0);
    line_through(&positive.map(|(x, y)| (x.ln(), y.ln())).collect::<Vec<_>>())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn assert_near(found: f64, expected: f64) {
        assert!(
            (found - expected).abs() < 1e-3 * expected.abs().max(1.0),
            "{found}, not {expected}"
        );
    }

    #[test]
    fn means_and_intervals_are_those_computed_by_hand() {
        // Deviation √10 / 2 = 1.5811, t(4) = 2.7764: half = 2.7764 · 1.5811 / √5.
        let estimate = Estimate::of(&[1.0, 2.0, 3.0, 4.0, 5.0]).unwrap();
        assert_near(estimate.mean, 3.0);
        assert_near(estimate.half.unwrap(), 1.9632);
        assert_near(estimate.low(), 1.0368);
        assert_eq!(Estimate::of(&[7.0]), Some(Estimate { mean: 7.0, half: None, count: 1 }));
        assert_eq!(Estimate::of(&[]), None);
        let pair = Estimate::of(&[0.0, 2.0]).unwrap();
        assert_near(pair.half.unwrap(), 12.7062);
    }

    #[test]
    fn student_goes_on_beyond_its_table() {
        assert_near(student(30), 2.0423);
        assert_near(student(40), 2.0211);
        assert_near(student(100), 1.9840);
    }

    #[test]
    fn exponents_are_found_again() {
        let points: Vec<(f64, f64)> =
            [64.0, 128.0, 512.0, 4096.0].iter().map(|x: &f64| (*x, 2000.0 / x)).collect();
        let fit = exponent(&points).unwrap();
        assert_near(fit.slope, -1.0);
        assert!(fit.half.unwrap() < 1e-6);
        assert_eq!(exponent(&[(1.0, 2.0)]), None);
        assert_eq!(exponent(&[(1.0, 2.0), (2.0, 0.0)]), None, "0 has no logarithm");
    }

    #[test]
    fn the_interval_of_a_slope_is_that_computed_by_hand() {
        // y = 0, 1, 1 over x = 0, 1, 2: slope 1/2, rest 1/6, spread 2, t(1) = 12.7062.
        let fit = line_through(&[(0.0, 0.0), (1.0, 1.0), (2.0, 1.0)]).unwrap();
        assert_near(fit.slope, 0.5);
        assert_near(fit.half.unwrap(), 12.7062 * (1.0f64 / 12.0).sqrt());
    }
}
