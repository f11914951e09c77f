// Views: shapes and strides over a buffer, and what they say when it is gone.
#include "tenure/tensor_view.h"

#include <gtest/gtest.h>

#include <numeric>
#include <string>

#include "tenure/errors.h"

namespace tenure {
namespace {

struct TensorViewTest : ::testing::Test {
  Scope scope{ScopeKind::graph, "g"};
  Buffer<float> buffer{scope, "table", 6};
  TensorView<float> table{buffer, {2, 3}};
  void SetUp() override { std::iota(buffer.values().begin(), buffer.values().end(), 0.0F); }
};

TEST_F(TensorViewTest, knows_shape_strides_and_dtype) {
  EXPECT_EQ(table.shape(), Extents({2, 3}));
  EXPECT_EQ(table.strides(), Extents({3, 1}));
  EXPECT_EQ(table.size(), 6);
  EXPECT_EQ(to_text(table.dtype()), "float32");
  EXPECT_EQ(to_text(kDTypeOf<const std::uint8_t>), "uint8");
  EXPECT_EQ(to_text(kDTypeOf<bool>), "bool");
  EXPECT_EQ(table.at({1, 2}), 5.0F);
}

TEST_F(TensorViewTest, transposes_slices_and_reshapes_without_a_copy) {
  TensorView<float> turned = table.transposed(0, 1);
  EXPECT_EQ(turned.at({2, 1}), 5.0F);
  EXPECT_FALSE(turned.is_dense());
  EXPECT_THROW((void)turned.values(), std::logic_error);
  TensorView<float> row = table.sliced(0, 1, 2);
  EXPECT_TRUE(row.is_dense());
  EXPECT_EQ(row.values()[0], 3.0F);
  EXPECT_EQ(table.reshaped({3, 2}).at({2, 1}), 5.0F);
}

TEST_F(TensorViewTest, refuses_what_lies_outside) {
  EXPECT_THROW((void)table.at({2, 0}), std::out_of_range);
  EXPECT_THROW((void)table.at({0}), std::out_of_range);
  EXPECT_THROW((void)table.sliced(0, 1, 3), std::out_of_range);
  EXPECT_THROW((void)table.reshaped({7}), std::invalid_argument);
  EXPECT_THROW(TensorView<float>(buffer, {7}), std::invalid_argument);
  EXPECT_THROW(TensorView<float>(buffer, {2, 3}, {4, 1}), std::out_of_range);
  EXPECT_THROW(TensorView<float>(buffer, {2, 3}, {-3, 1}), std::out_of_range);
  EXPECT_THROW(TensorView<float>(buffer, {1LL << 62, 8}), std::length_error);
}

TEST_F(TensorViewTest, tells_the_life_of_its_buffer_when_that_is_gone) {
  TensorView<const float> reader = table;
  buffer.end();
  EXPECT_FALSE(reader.is_accessible());
  try {
    (void)reader.at({0, 0});
    FAIL() << "a view outlived its buffer";
  } catch (const InaccessibleTensor& error) {
    EXPECT_EQ(error.history().subject, History::Subject::tensor);
    EXPECT_EQ(error.history().ended->by, "its owner");
    EXPECT_NE(std::string(error.what()).find("tensor `table` was ended before this use"),
              std::string::npos);
  }
  EXPECT_THROW((void)reader.lease(), InaccessibleTensor);
}

TEST_F(TensorViewTest, stays_bound_to_memory_that_was_moved_away) {
  Scope other(ScopeKind::session, "other");
  Buffer<float> moved = buffer.detach_to(other);
  EXPECT_THROW((void)table.data(), InaccessibleTensor);
  EXPECT_EQ(table.history().state, State::detached);
  TensorView<float> again(moved, {2, 3});
  EXPECT_EQ(again.at({1, 0}), 3.0F);
}

TEST_F(TensorViewTest, a_scalar_has_no_dimensions_and_one_element) {
  Buffer<float> one(scope, "one", 1);
  TensorView<float> scalar(one, {});
  scalar.at({}) = 4.0F;
  EXPECT_EQ(one.values()[0], 4.0F);
}

}  // namespace
}  // namespace tenure
