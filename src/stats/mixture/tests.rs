use super::*;
use crate::stats::random::Shuffler;
use proptest::prelude::*;

const FITTING: Fitting =
    Fitting { components: 3, variance_floor: 1e-6, starts: 4, rounds: 200, least_gain: 1e-7, seed: 1 };

/// A number from the standard normal distribution: twelve uniform ones, less six.
fn normal(dice: &mut Shuffler) -> f64 {
    (0..12).map(|_| dice.unit()).sum::<f64>() - 6.0
}

/// Rows of a known mixture: weight, means and standard deviations of two dimensions.
const KNOWN: [(f64, [f64; 2], [f64; 2]); 3] =
    [(0.5, [0.0, 0.0], [1.0, 0.5]), (0.3, [6.0, 0.0], [0.5, 1.0]), (0.2, [3.0, 7.0], [1.0, 1.0])];

fn known_rows(seed: u64, n: usize) -> Vec<f64> {
    let mut dice = Shuffler::new(seed);
    let mut rows = Vec::new();
    for _ in 0..n {
        let u = dice.unit();
        let (_, mean, sd) = if u < 0.5 {
            KNOWN[0]
        } else if u < 0.8 {
            KNOWN[1]
        } else {
            KNOWN[2]
        };
        rows.extend([0, 1].map(|d| mean[d] + sd[d] * normal(&mut dice)));
    }
    rows
}

#[test]
fn known_mixture_is_recovered() {
    for seed in 1..=5 {
        let rows = known_rows(seed, 4000);
        let fitted = Mixture::fit(&rows, 2, &Fitting { seed, ..FITTING }).unwrap().mixture;
        for (weight, mean, sd) in KNOWN {
            let distance = |k: usize| (0..2).map(|d| (fitted.mean(k)[d] - mean[d]).abs()).fold(0.0, f64::max);
            let k = (0..3).min_by(|a, b| distance(*a).total_cmp(&distance(*b))).unwrap();
            assert!(distance(k) < 0.15, "seed {seed}: mean {:?} for {mean:?}", fitted.mean(k));
            assert!((fitted.weights[k] - weight).abs() < 0.03, "seed {seed}: weight {}", fitted.weights[k]);
            for (v, sd) in fitted.variances[2 * k..].iter().zip(sd) {
                assert!((v.sqrt() - sd).abs() < 0.1, "seed {seed}: sd {} for {sd}", v.sqrt());
            }
        }
    }
}

#[test]
fn what_some_rows_decide_is_learned_from_all() {
    // One row in eight lies apart, and every second of those on which the starts compete.
    let (n, fitting) = (4 * COMPETED_ROWS, Fitting { components: 2, ..FITTING });
    let mut dice = Shuffler::new(3);
    let rows: Vec<f64> = (0..n).map(|i| if i % 4 == 0 && i % 8 != 0 { 9.0 } else { 0.0 } + normal(&mut dice)).collect();
    let some = evenly(&rows, 1, COMPETED_ROWS);
    assert_eq!(some.len(), COMPETED_ROWS);
    let weight = |rows: &[f64]| {
        let fitted = Mixture::fit(rows, 1, &fitting).unwrap().mixture;
        let upper = usize::from(fitted.mean(1)[0] > fitted.mean(0)[0]);
        fitted.weights()[upper]
    };
    assert!((weight(&some) - 0.5).abs() < 0.02, "{}", weight(&some));
    assert!((weight(&rows) - 0.125).abs() < 0.01, "{}", weight(&rows));
}

#[test]
fn of_many_starts_one_finds_all_components() {
    // Nine squares of a board: k-means++ alone often puts two centres into one.
    let mut dice = Shuffler::new(5);
    let square = |i: usize| [f64::from(i as u32 % 3), f64::from(i as u32 / 3 % 3)].map(|at| at * 5.0);
    let rows: Vec<f64> = (0..900).flat_map(square).map(|at| at + normal(&mut dice)).collect();
    let likelihoods = |starts: u32| -> Vec<f64> {
        let fitting = |seed: u64| Fitting { components: 9, starts, seed: 100 * seed, least_gain: 1e-5, ..FITTING };
        (1..=12).map(|seed| Mixture::fit(&rows, 2, &fitting(seed)).unwrap().log_likelihood).collect()
    };
    let (one, many) = (likelihoods(1), likelihoods(12));
    let best = one.iter().chain(&many).copied().fold(f64::NEG_INFINITY, f64::max);
    let found = |all: &[f64]| all.iter().filter(|l| best - **l < 10.0).count();
    assert!(found(&one) < 9, "of {one:?}");
    assert_eq!(found(&many), 12, "of {many:?}");
}

#[test]
fn bic_finds_the_number_of_components() {
    for seed in 1..=3 {
        let rows = known_rows(seed, 1500);
        let fitted = Mixture::fit_by_bic(&rows, 2, 2..=6, &Fitting { seed, ..FITTING }).unwrap();
        assert_eq!(fitted.mixture.components(), 3, "seed {seed}");
    }
}

#[test]
fn one_component_is_mean_and_variance() {
    // Mean 3, variance (4 + 0 + 4) / 3.
    let fitting = Fitting { components: 1, ..FITTING };
    let fitted = Mixture::fit(&[1.0, 3.0, 5.0], 1, &fitting).unwrap();
    assert_eq!(fitted.mixture.mean(0), [3.0]);
    let v: f64 = 8.0 / 3.0;
    assert!((fitted.mixture.variances[0] - v).abs() < 1e-12);
    let likelihood = -1.5 * ln(std::f64::consts::TAU * v) - 8.0 / (2.0 * v);
    assert!((fitted.log_likelihood - likelihood).abs() < 1e-9);
    assert!((fitted.bic - (2.0 * ln(3.0) - 2.0 * likelihood)).abs() < 1e-9);
}

#[test]
fn unknown_values_are_left_out() {
    let nan = f64::NAN;
    let rows = [0.0, 10.0, 0.2, nan, 5.0, 20.0, 5.2, nan, nan, 20.0];
    let mixture = Mixture::fit(&rows, 2, &Fitting { components: 2, ..FITTING }).unwrap().mixture;
    let densities = Densities::of(&mixture);
    let of = |row: &[f64]| densities.likeliest(row, &mut Vec::new()).map(|(k, _)| k);
    assert_eq!(of(&[0.1, nan]), of(&[nan, 10.0]));
    assert_eq!(of(&[5.1, nan]), of(&[nan, 20.0]));
    assert_ne!(of(&[0.1, nan]), of(&[5.1, nan]));
    assert_eq!(of(&[nan, nan]), None);
}

/// What no row knows is no part of the likelihood, nor are its means and variances parameters of it.
#[test]
fn dimensions_that_were_never_measured_cost_nothing() {
    let rows = known_rows(1, 300);
    let fitting = Fitting { components: 1, ..FITTING };
    let measured = Mixture::fit(&rows, 2, &fitting).unwrap();
    let wider: Vec<f64> = rows.chunks_exact(2).flat_map(|row| [row[0], f64::NAN, row[1], f64::NAN]).collect();
    let wide = Mixture::fit(&wider, 4, &fitting).unwrap();
    assert_eq!((wide.log_likelihood, wide.bic), (measured.log_likelihood, measured.bic));
    // A value of one row is one.
    let one = wider.iter().enumerate().map(|(i, x)| if i == 1 { 0.0 } else { *x });
    assert_eq!(known_dims(&one.collect::<Vec<f64>>(), 4), 3);
}

#[test]
fn degenerate_rows_have_a_mixture_or_none() {
    assert_eq!(Mixture::fit(&[], 2, &FITTING), None);
    assert_eq!(Mixture::fit(&[1.0, 2.0], 1, &FITTING), None, "fewer rows than components");
    assert_eq!(Mixture::fit(&[1.0; 9], 1, &Fitting { components: 0, ..FITTING }), None);
    let alike = Mixture::fit(&[2.5; 20], 2, &FITTING).unwrap();
    assert!(alike.mixture.is_sound() && alike.log_likelihood.is_finite());
    let unknown = Mixture::fit(&[f64::NAN; 20], 2, &FITTING).unwrap();
    assert!(unknown.mixture.is_sound());
}

#[test]
fn unsound_parts_are_no_mixture() {
    assert!(Mixture { dims: 1, weights: vec![1.0], means: vec![0.0], variances: vec![1.0] }.is_sound());
    for (dims, weights, means, variances) in [
        (0, vec![], vec![], vec![]),
        (2, vec![1.0], vec![0.0], vec![1.0]),
        (1, vec![1.0], vec![f64::NAN], vec![1.0]),
        (1, vec![1.0], vec![0.0], vec![0.0]),
        (1, vec![-1.0], vec![0.0], vec![1.0]),
        (usize::MAX, vec![0.5, 0.5], vec![0.0], vec![1.0]),
    ] {
        let mixture = Mixture { dims, weights, means, variances };
        assert!(!mixture.is_sound(), "{mixture:?}");
    }
}

proptest! {
    #[test]
    fn log_likelihood_never_falls(
        cells in prop::collection::vec(prop_oneof![9 => (-80_i32..80).prop_map(|x| f64::from(x) / 8.0), 1 => Just(f64::NAN)], 30..150),
        components in 1_usize..6,
        floor in prop::sample::select(vec![1e-3, 0.05, 0.3, 2.0]),
        seed in any::<u64>(),
    ) {
        let fitting = Fitting { components, variance_floor: floor, seed, ..FITTING };
        let rows = &cells[..cells.len() / 3 * 3];
        let mut mixture = start::plus_plus(rows, 3, &fitting, seed).unwrap();
        let mut before = f64::NEG_INFINITY;
        for _ in 0..30 {
            let (next, likelihood) = mixture.round(rows, floor);
            prop_assert!(next.is_sound());
            prop_assert!((next.weights.iter().sum::<f64>() - 1.0).abs() < 1e-9);
            prop_assert!(likelihood >= before - 1e-9 * likelihood.abs().max(1.0), "{} fell to {}", before, likelihood);
            (mixture, before) = (next, likelihood);
        }
    }
}
