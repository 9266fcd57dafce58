// Whose bytes lie where.
#include "model/exposure/content.h"

#include "tests/catch.h"

using fcsim::model::exposure::Content;
using fcsim::model::exposure::Piece;
using Pieces = std::vector<Piece>;

TEST_CASE("a later write takes the bytes of an earlier one", "[exposure]") {
  Content content;
  content.write(0, 100, 1);
  content.write(40, 20, 2);
  CHECK(content.between(0, 100) == Pieces{{0, 40, 1}, {40, 20, 2}, {60, 40, 1}});
  CHECK(content.between(50, 70) == Pieces{{50, 10, 2}, {60, 10, 1}});
}

TEST_CASE("erased bytes are nobody's", "[exposure]") {
  Content content;
  content.write(0, 100, 1);
  content.erase(10, 90);
  CHECK(content.between(0, 200) == Pieces{{0, 10, 1}, {90, 10, 1}});
}

TEST_CASE("shifted bytes keep their writers", "[exposure]") {
  Content content;
  content.write(0, 50, 1);
  content.write(50, 50, 2);
  content.shift(50, 100);
  CHECK(content.between(0, 300) == Pieces{{0, 50, 1}, {150, 50, 2}});
  content.shift(150, -100);
  CHECK(content.between(0, 300) == Pieces{{0, 50, 1}, {50, 50, 2}});
}
