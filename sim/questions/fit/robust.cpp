#include "sim/questions/fit/robust.h"

#include <Eigen/Cholesky>
#include <algorithm>
#include <cassert>
#include <cmath>
#include <limits>

namespace fcsim::questions::fit {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

constexpr double kHuber = 1.345;
constexpr double kBisquare = 4.685;
constexpr double kMadToDeviation = 1.4826;
constexpr double kDependent = 1e-9;  // what is left of a unit column that others explain
constexpr double kConverged = 1e-10;
constexpr unsigned kIterations = 500;

using Mask = unsigned;  // which columns are free, the others being 0

VectorXd solve_free(const MatrixXd& gram, const VectorXd& right, Mask free) {
  std::vector<Index> at;
  for (Index i = 0; i < right.size(); ++i)
    if ((free >> i & 1U) != 0) at.push_back(i);
  const MatrixXd part = gram(at, at);
  const VectorXd solution = part.ldlt().solve(right(at));
  VectorXd values = VectorXd::Zero(right.size());
  for (std::size_t i = 0; i < at.size(); ++i) values[at[i]] = solution[static_cast<Index>(i)];
  return values;
}

struct Bounded {
  VectorXd values;
  Mask free = 0;
};

// The least sum of squares with values >= 0. The few columns allow to try all sets of free ones;
// the best of those whose solution is not negative is the answer.
Bounded solve_bounded(const MatrixXd& gram, const VectorXd& right) {
  Bounded best{VectorXd::Zero(right.size()), 0};
  double least = 0;  // of values' * gram * values - 2 * right' * values; 0 with all values 0
  for (Mask free = 1; free < (Mask{1} << right.size()); ++free) {
    const VectorXd values = solve_free(gram, right, free);
    if (values.minCoeff() < 0) continue;
    const double sum = values.dot(gram * values) - 2 * right.dot(values);
    if (sum < least) {
      least = sum;
      best = {values, free};
    }
  }
  return best;
}

double scale_of(const VectorXd& residuals, double resolution) {
  std::vector<double> sizes(static_cast<std::size_t>(residuals.size()));
  for (std::size_t i = 0; i < sizes.size(); ++i)
    sizes[i] = std::abs(residuals[static_cast<Index>(i)]);
  return std::max(kMadToDeviation * median(std::move(sizes)), resolution);
}

// Function objects, as Eigen applies no plain functions.
constexpr auto huber_weight = [](double ratio) {
  return std::abs(ratio) <= kHuber ? 1.0 : kHuber / std::abs(ratio);
};

constexpr auto bisquare_weight = [](double ratio) {
  const double part = 1 - ratio * ratio / (kBisquare * kBisquare);
  return part <= 0 ? 0.0 : part * part;
};

// Derivative of weight(ratio) * ratio.
constexpr auto bisquare_slope = [](double ratio) {
  const double square = ratio * ratio / (kBisquare * kBisquare);
  return square >= 1 ? 0.0 : (1 - square) * (1 - 5 * square);
};

class Regression {
 public:
  Regression(const MatrixXd& columns, const VectorXd& target, double resolution)
      : columns_(columns), target_(target), resolution_(resolution) {
    fit_.weights = VectorXd::Ones(target.size());
    solve();
  }

  RobustFit fit() {
    iterate(huber_weight);
    iterate(bisquare_weight);
    find_errors();
    return std::move(fit_);
  }

 private:
  void solve() {
    const MatrixXd weighted = fit_.weights.asDiagonal() * columns_;
    Bounded bounded =
        solve_bounded(columns_.transpose() * weighted, weighted.transpose() * target_);
    fit_.values = std::move(bounded.values);
    free_ = bounded.free;
    fit_.residuals = target_ - columns_ * fit_.values;
    fit_.scale = scale_of(fit_.residuals, resolution_);
  }

  template <class Weight>
  void iterate(const Weight& weight) {
    for (unsigned i = 0; i < kIterations; ++i, ++fit_.iterations) {
      const VectorXd before = fit_.values;
      fit_.weights = (fit_.residuals / fit_.scale).unaryExpr(weight);
      solve();
      const double moved = (fit_.values - before).cwiseAbs().maxCoeff();
      if (moved <= kConverged * (1 + before.cwiseAbs().maxCoeff())) return;
    }
  }

  // Asymptotic covariance of an M-estimate (P. J. Huber, Robust Statistics, section 7.6):
  // scale^2 * [sum psi^2 / (n - p)] / [mean psi']^2 * (X'X)^-1, over the columns that are free.
  void find_errors() {
    const Index count = columns_.cols();
    fit_.standard_errors = VectorXd::Zero(count);
    std::vector<Index> at;
    for (Index i = 0; i < count; ++i) {
      const bool free = (free_ >> i & 1U) != 0;
      fit_.at_bound.push_back(!free);
      if (free) at.push_back(i);
    }
    if (at.empty()) return;
    const VectorXd ratios = fit_.residuals / fit_.scale;
    const auto rows = static_cast<double>(ratios.size());
    const double psi_squares =
        ratios.unaryExpr([](double r) { return bisquare_weight(r) * r; }).squaredNorm() /
        (rows - static_cast<double>(at.size()));
    const double slope = ratios.unaryExpr(bisquare_slope).sum() / rows;
    const MatrixXd part = columns_(Eigen::all, at);
    const MatrixXd inverse =
        (part.transpose() * part).ldlt().solve(MatrixXd::Identity(part.cols(), part.cols()));
    for (std::size_t i = 0; i < at.size(); ++i) {
      const auto k = static_cast<Index>(i);
      fit_.standard_errors[at[i]] =
          slope <= 0 ? std::numeric_limits<double>::infinity()
                     : fit_.scale * std::sqrt(psi_squares * inverse(k, k)) / slope;
    }
  }

  const MatrixXd& columns_;
  const VectorXd& target_;
  double resolution_;
  Mask free_ = 0;
  RobustFit fit_;
};

}  // namespace

double median(std::vector<double> values) {
  if (values.empty()) return 0;
  std::sort(values.begin(), values.end());
  const std::size_t half = values.size() / 2;
  return values.size() % 2 == 1 ? values[half] : (values[half - 1] + values[half]) / 2;
}

Independent find_independent(const MatrixXd& columns) {
  Independent result;
  const Index count = columns.cols();
  result.share = MatrixXd::Zero(count, count);
  for (Index j = 0; j < count; ++j) {
    const double length = columns.col(j).norm();
    if (length == 0) continue;
    const std::vector<Index> kept(result.kept.begin(), result.kept.end());
    const VectorXd unit = columns.col(j) / length;
    VectorXd shares = VectorXd::Zero(static_cast<Index>(kept.size()));
    if (!kept.empty()) {
      const MatrixXd part = columns(Eigen::all, kept);
      shares = (part.transpose() * part).ldlt().solve(part.transpose() * columns.col(j));
      if ((unit - part * shares / length).norm() <=
          kDependent * std::sqrt(static_cast<double>(unit.size()))) {
        for (std::size_t k = 0; k < kept.size(); ++k)
          result.share(static_cast<Index>(k), j) = shares[static_cast<Index>(k)];
        continue;
      }
    }
    result.share(static_cast<Index>(kept.size()), j) = 1;
    result.kept.push_back(static_cast<std::size_t>(j));
  }
  result.share.conservativeResize(static_cast<Index>(result.kept.size()), count);
  return result;
}

RobustFit fit_robustly(const MatrixXd& columns, const VectorXd& target, double resolution) {
  assert(columns.cols() > 0 && columns.cols() <= 16 && columns.rows() > columns.cols());
  return Regression(columns, target, resolution).fit();
}

}  // namespace fcsim::questions::fit
