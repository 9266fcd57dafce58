// Robust linear regression with bounds: what fit needs of statistics.
#pragma once

#include <Eigen/Core>
#include <cstddef>
#include <vector>

namespace fcsim::questions::fit {

// Columns that a data set cannot tell apart: a combination of the others. `kept` columns are
// independent; column j, where it is not kept, is the sum over k of share(k, j) * column kept[k].
struct Independent {
  std::vector<std::size_t> kept;  // ascending
  Eigen::MatrixXd share;          // kept.size() x columns; for kept columns a unit vector
};

// By elimination in the order of the columns, with the columns scaled to unit length. A column that
// is all zeros is never kept and has a share in nothing.
Independent find_independent(const Eigen::MatrixXd& columns);

struct RobustFit {
  Eigen::VectorXd values;           // >= 0
  Eigen::VectorXd standard_errors;  // 0 for a value at the bound
  std::vector<bool> at_bound;       // the best value without the bound is below 0
  Eigen::VectorXd residuals;        // target - columns * values
  Eigen::VectorXd weights;          // 0..1
  double scale = 0;                 // of the residuals: 1.4826 * median of their sizes
  unsigned iterations = 0;
};

// Iteratively reweighted least squares with values >= 0. From the solution with Huber's weights
// (k = 1.345), which is the same wherever one begins, with Tukey's bisquare (c = 4.685): residuals
// beyond 4.685 scales, as a device shows them when it collects garbage, have no weight at all. Both
// constants are the customary ones (95 % efficiency for normal residuals). The scale is kept at
// `resolution` at least, below which differences mean nothing.
// Needs independent columns, at most 16, and more rows than columns.
RobustFit fit_robustly(const Eigen::MatrixXd& columns, const Eigen::VectorXd& target,
                       double resolution);

// 0 for none; the mean of the middle two of an even number.
double median(std::vector<double> values);

}  // namespace fcsim::questions::fit
