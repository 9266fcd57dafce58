// Does the regression find known values, whatever a few wild rows say, and never go below 0?
#include "sim/questions/fit/robust.h"

#include <cmath>
#include <random>

#include "tests/catch.h"
#include "tests/fit/noise.h"

using namespace fcsim;

namespace {

// Near enough to normal, and the same with every library.
}  // namespace

TEST_CASE("median", "[fit]") {
  CHECK(questions::fit::median({}) == 0);
  CHECK(questions::fit::median({3}) == 3);
  CHECK(questions::fit::median({4, 1, 2}) == 2);
  CHECK(questions::fit::median({4, 1, 2, 3}) == 2.5);
}

TEST_CASE("columns that say the same are found", "[fit]") {
  Eigen::MatrixXd columns(4, 5);
  columns << 1, 1, 1, 0, 3,  //
      2, 1, 1, 0, 4,         //
      3, 1, 1, 0, 5,         //
      5, 1, 1, 0, 7;
  const questions::fit::Independent independent = questions::fit::find_independent(columns);
  CHECK(independent.kept == std::vector<std::size_t>{0, 1});
  REQUIRE(independent.share.rows() == 2);
  const double expected[2][5] = {{1, 0, 0, 0, 1}, {0, 1, 1, 0, 2}};
  for (Eigen::Index k = 0; k < 2; ++k)
    for (Eigen::Index j = 0; j < 5; ++j)
      CHECK(std::abs(independent.share(k, j) - expected[k][j]) < 1e-9);
}

TEST_CASE("a tenth of wild rows does not move the answer", "[fit]") {
  std::mt19937_64 random(7);
  Eigen::MatrixXd columns(1000, 2);
  Eigen::VectorXd target(1000);
  for (Eigen::Index i = 0; i < 1000; ++i) {
    columns(i, 0) = 1;
    columns(i, 1) = static_cast<double>(i % 9);
    target[i] = 400 + 60 * columns(i, 1) + 10 * test::noise(random);
    if (i % 10 == 3) target[i] *= 20;
  }
  const questions::fit::RobustFit fit = questions::fit::fit_robustly(columns, target, 0.5);
  for (Eigen::Index k = 0; k < 2; ++k) {
    CHECK(fit.standard_errors[k] > 0);
    CHECK(fit.standard_errors[k] < 2);
    CHECK(std::abs(fit.values[k] - (k == 0 ? 400 : 60)) < 4 * fit.standard_errors[k]);
  }
  CHECK((fit.weights.array() == 0).count() >= 100);
  CHECK(std::abs(fit.scale - 10) < 2);
}

TEST_CASE("standard errors say how far off the values are", "[fit]") {
  // Of 200 samples about 95 of 100 must lie within two standard errors.
  std::mt19937_64 random(11);
  int within = 0;
  for (int sample = 0; sample < 200; ++sample) {
    Eigen::MatrixXd columns(80, 2);
    Eigen::VectorXd target(80);
    for (Eigen::Index i = 0; i < 80; ++i) {
      columns(i, 0) = 1;
      columns(i, 1) = static_cast<double>(i % 4);
      target[i] = 300 + 50 * columns(i, 1) + 20 * test::noise(random);
    }
    const questions::fit::RobustFit fit = questions::fit::fit_robustly(columns, target, 0.5);
    if (std::abs(fit.values[1] - 50) < 2 * fit.standard_errors[1]) ++within;
  }
  CHECK(within >= 178);
  CHECK(within <= 199);
}

TEST_CASE("no value is below 0", "[fit]") {
  Eigen::MatrixXd columns(5, 2);
  Eigen::VectorXd target(5);
  for (Eigen::Index i = 0; i < 5; ++i) {
    columns(i, 0) = 1;
    columns(i, 1) = static_cast<double>(i);
    target[i] = 100 - 5 * static_cast<double>(i);
  }
  const questions::fit::RobustFit fit = questions::fit::fit_robustly(columns, target, 0.5);
  CHECK(fit.values[0] > 0);
  CHECK(fit.values[1] == 0);
  CHECK_FALSE(fit.at_bound[0]);
  CHECK(fit.at_bound[1]);
  CHECK(fit.standard_errors[1] == 0);
}
