#pragma once

#include <freefall/core/span.h>

#include <array>
#include <cstdint>
#include <vector>

namespace freefall
{
/// Elements of four nodes cut into chunks of consecutive elements that touch few nodes.
///
/// Node data of a chunk are copied to a small buffer, four doubles a node, elements gather from it and scatter to another, and the
/// sum is added to the global vector once a chunk. The buffers stay in the first-level cache, whatever the mesh: an element
/// costs eight bytes of connectivity instead of 48, and a node is fetched once a chunk instead of once an element. Elements
/// should be ordered so that neighbours follow each other; then a chunk has about two elements a node.
///
/// Guarantees: every chunk but the last has a multiple of `granularity` elements.
class ElementChunks
{
public:
  using Cell = std::array<int, 4>;
  /// Where the nodes of an element are in a buffer of four doubles a node.
  using Places = std::array<std::uint16_t, 4>;
  static constexpr int max_nodes = 256;

  /// A multiple of every width of SIMD registers.
  static constexpr int granularity = 8;

  ElementChunks() = default;
  ElementChunks(const std::vector<Cell> &cells, int n_nodes);

  int n_chunks() const { return static_cast<int>(chunks_.size()) - 1; }
  int first_element(int chunk) const { return chunks_[chunk].element; }
  int end_element(int chunk) const { return chunks_[chunk + 1].element; }
  /// The global numbers of the nodes of a chunk, in the order of the buffer.
  Span<const int> nodes(int chunk) const
  {
    return {nodes_.data() + chunks_[chunk].node, static_cast<std::size_t>(chunks_[chunk + 1].node - chunks_[chunk].node)};
  }
  /// Of an element; those of the elements that follow it follow.
  const Places *places(int element) const { return places_.data() + element; }

  std::size_t memory_consumption() const;

private:
  struct Start
  {
    int element, node;
  };
  std::vector<Start> chunks_;  ///< where each chunk starts, and the end of the last
  std::vector<int> nodes_;
  std::vector<Places> places_;
};
}  // namespace freefall
