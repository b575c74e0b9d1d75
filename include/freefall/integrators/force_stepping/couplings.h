#pragma once

#include <freefall/core/large_vector.h>
#include <freefall/core/span.h>
#include <freefall/systems/system.h>

#include <cstdint>
#include <vector>

namespace freefall::force_stepping
{
/// Which dofs share which terms of the potential, in contiguous lists.
///
/// Dofs are renumbered: free dofs first, those that share the same coupling terms (the three of a node) side by side as one
/// block, then fixed dofs. All lists are kept by block, which makes them an order of magnitude shorter than lists by dof.
/// A term couples if it has at least two free dofs; a term with one free dof (a node against a wall) is kept with that dof.
/// A block has at most most_dofs_per_block dofs. They stand side by side and in the same order in each of its terms. So the
/// dofs of a term are kept as segments: every segment_length of them follow each other (the three of a node), and only the
/// first is stored.
///
/// Terms of all families are numbered through: family f has the terms first_term .. first_term + n_terms - 1.
class Couplings
{
public:
  struct Family
  {
    const LocalTerms *terms = nullptr;
    int dofs_per_term = 0;
    int first_term = 0;
    int end_term = 0;
    std::size_t first_entry = 0;    ///< of the dofs of first_term, all terms of all families counted one after another
    int segment_length = 1;         ///< divides dofs_per_term
    int n_segments = 1;             ///< dofs_per_term / segment_length
    std::size_t first_segment = 0;  ///< of first_term in the list of segments

    std::size_t entry_of(int term) const { return first_entry + static_cast<std::size_t>(term - first_term) * dofs_per_term; }  };
  struct Neighbour
  {
    int block = 0;
    int pair = 0;  ///< number of the unordered pair of blocks: shared_terms(pair)
  };
  /// Places in a term, and ranks, are bytes.
  static constexpr int most_dofs_per_term = 254;
  static constexpr int most_dofs_per_block = 4;

  /// Throws InputError if a term has more dofs than that.
  explicit Couplings(const System &system);

  int n_dofs() const { return static_cast<int>(system_dof_.size()); }
  int n_free() const { return n_free_; }
  int n_blocks() const { return static_cast<int>(block_begin_.size()) - 1; }
  int system_dof(int dof) const { return system_dof_[dof]; }

  int block_of(int dof) const { return block_of_[dof]; }
  int block_begin(int block) const { return block_begin_[block]; }
  int block_end(int block) const { return block_begin_[block + 1]; }
  int largest_block() const;
  /// The blocks coupled to a block, itself among them, in ascending order.
  Span<const Neighbour> neighbours(int block) const { return part(neighbours_, neighbour_begin_, block); }
  /// The pair of the blocks of two dofs, -1 if they share no term.
  int pair_of(int dof, int other) const;
  /// Ascending numbers of the terms that hold both blocks of a pair.
  Span<const int> shared_terms(int pair) const { return part(shared_terms_, shared_begin_, pair); }
  /// The pair of a block with itself: the terms that couple it to any other dof or its own dofs to each other.
  int own_pair(int block) const { return own_pair_[block]; }
  /// The terms whose only free dof is this one.
  Span<const int> single_terms(int dof) const { return part(single_terms_, single_begin_, dof); }

  const std::vector<Family> &families() const { return families_; }
  const Family &family_of(int term) const;
  /// The first dof of each segment of a term.
  const int *segments(const Family &family, int term) const
  {
    return segments_.data() + family.first_segment + static_cast<std::size_t>(term - family.first_term) * family.n_segments;
  }
  /// The dof at a place of a term.
  int dof_at(const Family &family, int term, int place) const
  {
    return segments(family, term)[place / family.segment_length] + place % family.segment_length;
  }
  /// Where a dof stands in a term that has it.
  static int place_of(const Family &family, const int *segments, int dof)
  {
    const auto length = static_cast<unsigned int>(family.segment_length);
    // All segments are looked at: where the dof stands cannot be predicted, and a wrong guess costs more.
    const auto find = [&](int n)
    {
      unsigned int place = 0;
      for (int s = 0; s < n; ++s)
        if (const unsigned int offset = static_cast<unsigned int>(dof - segments[s]); offset < length) place = s * length + offset;
      return static_cast<int>(place);
    };
    return family.n_segments == 4 ? find(4) : find(family.n_segments);
  }
  /// Number of dofs of all terms together.
  std::size_t n_entries() const { return n_entries_; }

  /// Asks for the lists of a dof and of a pair (-1: of its own).
  void prefetch_lists(int dof, int pair) const;
  /// Most terms of any pair or dof.
  int longest_term_list() const;
  /// Number of coupled pairs of free dofs.
  std::int64_t n_coupled_pairs() const;
  std::size_t memory_bytes() const;

private:
  template <typename T, typename Allocator, typename Begin>
  static Span<const T> part(const std::vector<T, Allocator> &all, const Begin &begin, int i)
  {
    return {all.data() + begin[i], static_cast<std::size_t>(begin[i + 1] - begin[i])};
  }
  void number_dofs(const System &system);
  /// Takes blocks apart whose dofs do not stand side by side in all their terms.
  void separate(std::vector<std::vector<int>> &blocks, const std::vector<int> &begin, const std::vector<int> &terms) const;
  /// Orders blocks by clusters of neighbours, so that what an event touches lies close together in memory.
  void gather_neighbours(std::vector<std::vector<int>> &blocks,
                         const std::vector<int> &begin,
                         const std::vector<int> &terms) const;
  void collect_singles();
  void collect_pairs();
  void collect_segments();

  std::vector<Family> families_;
  std::vector<int> term_dofs_;  ///< of all terms, one after another; only while the lists are made
  std::size_t n_entries_ = 0;
  LargeVector<int> segments_;
  std::vector<int> system_dof_;
  int n_free_ = 0;
  LargeVector<int> block_of_, block_begin_;
  LargeVector<int> neighbour_begin_;
  LargeVector<Neighbour> neighbours_;
  LargeVector<int> own_pair_;
  LargeVector<int> shared_begin_, shared_terms_;
  std::vector<int> single_begin_, single_terms_;
};
}  // namespace freefall::force_stepping
