//! Tail probabilities. Software arithmetic only, so results are the same on every machine.

use std::f64::consts::{LN_2, SQRT_2};

/// Relative size below which terms of a series are ignored.
const NEGLIGIBLE: f64 = 1e-17;

/// Returns the probability that a standard normal variable is at least `z`.
pub fn normal_upper(z: f64) -> f64 {
    0.5 * libm::erfc(z / SQRT_2)
}

/// Returns the probability that a standard normal variable is at least as far from 0 as `z`.
pub fn normal_two_sided(z: f64) -> f64 {
    libm::erfc(z.abs() / SQRT_2)
}

/// Returns the inverse of [`normal_upper`], by bisection.
pub fn normal_upper_quantile(probability: f64) -> f64 {
    /// Bound beyond every probability that an `f64` holds.
    const BOUND: f64 = 40.0;
    /// Steps until the interval is one number.
    const BISECTIONS: usize = 64;
    let (mut low, mut high) = (-BOUND, BOUND);
    for _ in 0..BISECTIONS {
        let middle = (low + high) / 2.0;
        if normal_upper(middle) > probability { low = middle } else { high = middle }
    }
    low
}

/// Returns the probability that chi-square with `degrees` degrees of freedom is at least `statistic`.
pub fn chi_square_upper(statistic: f64, degrees: f64) -> f64 {
    gamma_upper(degrees / 2.0, statistic / 2.0)
}

/// Returns the regularized upper incomplete gamma function Q(a, x): by its series below a + 1, by its continued fraction above (Abramowitz and
/// Stegun 6.5.29, 6.5.31).
fn gamma_upper(a: f64, x: f64) -> f64 {
    if x <= 0.0 {
        return 1.0;
    }
    let scale = libm::exp(a * libm::log(x) - x - libm::lgamma(a));
    if x < a + 1.0 { 1.0 - scale * lower_series(a, x) } else { scale * upper_fraction(a, x) }
}

/// Σ xⁱ / (a (a + 1) … (a + i)).
fn lower_series(a: f64, x: f64) -> f64 {
    let (mut term, mut sum, mut next) = (1.0 / a, 1.0 / a, a);
    while term > sum * NEGLIGIBLE {
        next += 1.0;
        term *= x / next;
        sum += term;
    }
    sum
}

/// 1/(x + 1 − a − 1(1 − a)/(x + 3 − a − 2(2 − a)/(x + 5 − a − …))), from the top (Lentz).
fn upper_fraction(a: f64, x: f64) -> f64 {
    /// Replaces a zero denominator.
    const TINY: f64 = 1e-300;
    /// Far more steps than any caller needs.
    const MAX_STEPS: u32 = 100_000_000;
    let mut bottom = x + 1.0 - a;
    let (mut ratio, mut inverse) = (1.0 / TINY, 1.0 / bottom);
    let mut fraction = inverse;
    for step in 1..MAX_STEPS {
        let factor = -f64::from(step) * (f64::from(step) - a);
        bottom += 2.0;
        let not_zero = |value: f64| if value.abs() < TINY { TINY } else { value };
        inverse = 1.0 / not_zero(factor * inverse + bottom);
        ratio = not_zero(bottom + factor / ratio);
        let change = ratio * inverse;
        fraction *= change;
        if (change - 1.0).abs() < f64::EPSILON {
            break;
        }
    }
    fraction
}

/// Returns the p-value of a Kolmogorov–Smirnov distance in a sample of `count` numbers: Kolmogorov's limit with Stephens' correction for finite
/// samples (1970). For a discrete distribution it is an upper bound.
pub fn kolmogorov_upper(distance: f64, count: f64) -> f64 {
    let root = count.sqrt();
    kolmogorov_limit(distance * (root + 0.12 + 0.11 / root))
}

/// 2 Σ (−1)ⁱ⁻¹ exp(−2 i² x²), or where that converges slowly 1 − √(2π)/x Σ exp(−(2i − 1)² π²/(8x²)).
fn kolmogorov_limit(x: f64) -> f64 {
    use std::f64::consts::PI;
    /// Above it, the first series needs fewer terms.
    const MIDDLE: f64 = 1.0;
    /// Enough for both series.
    const TERMS: i32 = 20;
    if x <= 0.0 {
        return 1.0;
    }
    if x < MIDDLE {
        let term = |i: i32| libm::exp(-f64::from((2 * i - 1).pow(2)) * PI * PI / (8.0 * x * x));
        return 1.0 - (2.0 * PI).sqrt() / x * (1..TERMS).map(term).sum::<f64>();
    }
    let sign = |i: i32| if i % 2 == 1 { 2.0 } else { -2.0 };
    let term = |i: i32| sign(i) * libm::exp(-2.0 * f64::from(i * i) * x * x);
    (1..TERMS).map(term).sum::<f64>().clamp(0.0, 1.0)
}

/// Returns the probability of at most `heads` heads in `throws` throws of a fair coin.
pub fn coin_lower(heads: u64, throws: u64) -> f64 {
    if heads >= throws {
        return 1.0;
    }
    if 2 * heads >= throws {
        return 1.0 - coin_lower(throws - heads - 1, throws);
    }
    let (k, n) = (heads as f64, throws as f64);
    let ways = libm::lgamma(n + 1.0) - libm::lgamma(k + 1.0) - libm::lgamma(n - k + 1.0);
    let mut term = libm::exp(ways - n * LN_2);
    let (mut sum, mut left) = (0.0, k);
    while term > sum * NEGLIGIBLE {
        sum += term;
        term *= left / (n - left + 1.0);
        left -= 1.0;
    }
    sum
}

/// Returns the probability that at least one of `events` independent events of the same probability occurs.
pub fn any_of(probability: f64, events: f64) -> f64 {
    -libm::expm1(events * libm::log1p(-probability.min(1.0)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn assert_near(found: f64, expected: f64) {
        assert!((found - expected).abs() <= 1e-9 * expected, "{found:e}, not {expected:e}");
    }

    #[test]
    fn normal_tails_match_tables() {
        assert_near(normal_upper(0.0), 0.5);
        assert_near(normal_upper(1.0), 0.158_655_253_931_457_05);
        assert_near(normal_two_sided(-1.959_963_984_540_054), 0.05);
        assert_near(normal_upper(6.0), 9.865_876_450_376_98e-10);
        for probability in [0.9, 0.5, 0.025, 1e-10] {
            assert_near(normal_upper(normal_upper_quantile(probability)), probability);
        }
    }

    #[test]
    fn chi_square_tails_match_tables() {
        assert_near(chi_square_upper(3.841_458_820_694_124, 1.0), 0.05);
        assert_near(chi_square_upper(18.307_038_053_275_146, 10.0), 0.05);
        assert_near(chi_square_upper(11.344_866_730_144_373, 3.0), 0.01);
        // With two degrees of freedom it is exp(−x/2), with four (1 + x/2) exp(−x/2).
        for x in [0.1, 1.0, 5.0, 40.0] {
            assert_near(chi_square_upper(x, 2.0), libm::exp(-x / 2.0));
            assert_near(chi_square_upper(x, 4.0), (1.0 + x / 2.0) * libm::exp(-x / 2.0));
        }
        assert_eq!(chi_square_upper(0.0, 3.0), 1.0);
    }

    #[test]
    fn many_degrees_of_freedom_approach_the_normal_distribution() {
        // The Wilson–Hilferty approximation is accurate to 10⁻⁵ there.
        for (statistic, degrees) in [(1100.0f64, 1024.0f64), (950.0, 1024.0), (20_300.0, 20_000.0)]
        {
            let spread = 2.0 / (9.0 * degrees);
            let z = ((statistic / degrees).cbrt() - (1.0 - spread)) / spread.sqrt();
            assert!((chi_square_upper(statistic, degrees) - normal_upper(z)).abs() < 1e-4);
        }
    }

    #[test]
    fn kolmogorov_tails_match_tables() {
        assert_near(kolmogorov_limit(1.358_098_639_322_550_7), 0.05);
        assert_near(kolmogorov_limit(0.5), 0.963_945_243_664_875_2);
        assert_near(kolmogorov_limit(1.0), 0.269_999_671_677_354_54);
        assert_eq!(kolmogorov_limit(0.0), 1.0);
        // The two series agree at the switch.
        assert!((kolmogorov_limit(1.0 - 1e-12) - kolmogorov_limit(1.0)).abs() < 1e-11);
        assert_near(kolmogorov_upper(0.1, 100.0), kolmogorov_limit(1.0131));
    }

    #[test]
    fn coin_tails_match_binomial_sums() {
        assert_near(coin_lower(2, 20), 211.0 / 1_048_576.0);
        assert_near(coin_lower(0, 10), 1.0 / 1024.0);
        assert_near(coin_lower(9, 10), 1023.0 / 1024.0);
        assert_near(coin_lower(5, 10), 638.0 / 1024.0);
        assert_eq!(coin_lower(10, 10), 1.0);
        let z = (498_500.5 - 500_000.0) / 500.0;
        assert!((coin_lower(498_500, 1_000_000) - normal_upper(-z)).abs() < 1e-6);
    }

    #[test]
    fn any_of_is_the_complement_of_none() {
        assert_near(any_of(0.5, 2.0), 0.75);
        assert_near(any_of(1e-12, 1e6), 1e-6 - 5e-13);
        assert_eq!(any_of(0.0, 5.0), 0.0);
        assert_eq!(any_of(1.0, 5.0), 1.0);
    }
}
