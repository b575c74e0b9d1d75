#include <freefall/core/errors.h>
#include <freefall/integrators/force_stepping/couplings.h>

#include <fmt/format.h>
#include <algorithm>
#include <deque>
#include <map>
#include <numeric>

namespace freefall::force_stepping
{
namespace
{
/// Lists by item, filled in two passes over (item, value) pairs: `visit(add)` must call add(item, value) for each, twice alike.
template <typename Begin, typename Visit>
void build_lists(int n_items, Begin &begin, std::vector<int> &values, Visit &&visit)
{
  begin.assign(n_items + 1, 0);
  visit([&](int item, int) { ++begin[item + 1]; });
  std::partial_sum(begin.begin(), begin.end(), begin.begin());
  values.resize(begin.back());
  std::vector<int> next(begin.begin(), begin.end() - 1);
  visit([&](int item, int value) { values[next[item]++] = value; });
}

template <typename Vector>
std::size_t bytes(const Vector &values)
{
  return values.capacity() * sizeof(values[0]);
}
}  // namespace

Couplings::Couplings(const System &system)
{
  int n_terms = 0;
  for (const auto &family : system.terms())
  {
    if (family->dofs_per_term() > most_dofs_per_term)
      throw InputError(fmt::format("force-stepping: a {} has {} dofs; at most {} are possible", family->kind(),
                                   family->dofs_per_term(), most_dofs_per_term));
    const int end = n_terms + family->n_terms();
    families_.push_back({family.get(), family->dofs_per_term(), n_terms, end, term_dofs_.size(), 1, family->dofs_per_term(), 0});
    for (int term = 0; term < family->n_terms(); ++term)
    {
      const auto dofs = family->dofs(term);
      term_dofs_.insert(term_dofs_.end(), dofs.begin(), dofs.end());
    }
    n_terms = end;
  }
  n_entries_ = term_dofs_.size();
  number_dofs(system);
  collect_singles();
  collect_pairs();
  collect_segments();
}

const Couplings::Family &Couplings::family_of(int term) const
{
  const Family *family = families_.data();
  while (term >= family->end_term) ++family;
  return *family;
}

void Couplings::number_dofs(const System &system)
{
  const auto fixed_dofs = system.fixed_dofs();
  std::vector<char> fixed(system.n_dofs(), false);
  for (const int dof : fixed_dofs) fixed[dof] = true;

  std::vector<int> begin, terms;
  build_lists(system.n_dofs(), begin, terms,
              [&](const auto &add)
              {
                for (const Family &family : families_)
                  for (int term = family.first_term; term < family.end_term; ++term)
                  {
                    const int *dofs = &term_dofs_[family.first_entry + (term - family.first_term) * family.dofs_per_term];
                    const int *end = dofs + family.dofs_per_term;
                    if (std::count_if(dofs, end, [&](int dof) { return !fixed[dof]; }) < 2) continue;
                    for (const int *dof = dofs; dof != end; ++dof)
                      if (!fixed[*dof]) add(*dof, term);
                  }
              });

  // A dof without coupling terms is a block of its own.
  std::map<std::vector<int>, int> block_of_terms;
  std::vector<std::vector<int>> blocks;
  for (int dof = 0; dof < system.n_dofs(); ++dof)
  {
    if (fixed[dof]) continue;
    const std::vector<int> key(terms.begin() + begin[dof], terms.begin() + begin[dof + 1]);
    const int next = static_cast<int>(blocks.size());
    const int block = key.empty() ? next : block_of_terms.emplace(key, next).first->second;
    if (block == next) blocks.emplace_back();
    blocks[block].push_back(dof);
  }
  separate(blocks, begin, terms);
  gather_neighbours(blocks, begin, terms);
  block_begin_.push_back(0);
  for (const auto &block : blocks)
  {
    block_of_.insert(block_of_.end(), block.size(), n_blocks());
    system_dof_.insert(system_dof_.end(), block.begin(), block.end());
    block_begin_.push_back(static_cast<int>(system_dof_.size()));
  }
  n_free_ = static_cast<int>(system_dof_.size());
  system_dof_.insert(system_dof_.end(), fixed_dofs.begin(), fixed_dofs.end());
  system_dof_.shrink_to_fit();
  block_of_.shrink_to_fit();
  block_begin_.shrink_to_fit();

  std::vector<int> number(system.n_dofs());
  for (int dof = 0; dof < n_dofs(); ++dof) number[system_dof_[dof]] = dof;
  for (int &dof : term_dofs_) dof = number[dof];
}

void Couplings::separate(std::vector<std::vector<int>> &blocks,
                         const std::vector<int> &begin,
                         const std::vector<int> &terms) const
{
  const auto side_by_side = [&](const std::vector<int> &block)
  {
    for (int t = begin[block[0]]; t < begin[block[0] + 1]; ++t)
    {
      const Family &family = family_of(terms[t]);
      const int *dofs = &term_dofs_[family.first_entry + (terms[t] - family.first_term) * family.dofs_per_term];
      const int *end = dofs + family.dofs_per_term;
      if (std::search(dofs, end, block.begin(), block.end()) == end) return false;
    }
    return true;
  };
  std::vector<std::vector<int>> separated;
  for (const auto &block : blocks)
  {
    const std::size_t most = side_by_side(block) ? most_dofs_per_block : 1;
    for (std::size_t first = 0; first < block.size(); first += most)
      separated.emplace_back(block.begin() + first, block.begin() + std::min(first + most, block.size()));
  }
  blocks = std::move(separated);
}

void Couplings::gather_neighbours(std::vector<std::vector<int>> &blocks,
                                  const std::vector<int> &begin,
                                  const std::vector<int> &terms) const
{
  constexpr std::size_t cluster_size = 64;  // parabolas of a cluster of nodes fill about a page
  int largest_dof = 0;
  for (const auto &block : blocks) largest_dof = std::max(largest_dof, *std::max_element(block.begin(), block.end()));
  for (const int dof : term_dofs_) largest_dof = std::max(largest_dof, dof);
  std::vector<int> block_of_dof(largest_dof + 1, -1);
  for (std::size_t block = 0; block < blocks.size(); ++block)
    for (const int dof : blocks[block]) block_of_dof[dof] = static_cast<int>(block);

  std::vector<std::vector<int>> ordered;
  std::vector<char> taken(blocks.size(), false);
  std::deque<int> seeds;      // on the rim of the clusters made so far
  std::vector<int> frontier;  // of the cluster being made
  std::size_t next_start = 0;
  while (ordered.size() < blocks.size())
  {
    while (!seeds.empty() && taken[seeds.front()]) seeds.pop_front();
    while (seeds.empty() && taken[next_start]) ++next_start;
    frontier.assign(1, seeds.empty() ? static_cast<int>(next_start) : seeds.front());
    const std::size_t cluster_end = ordered.size() + cluster_size;
    for (std::size_t f = 0; f < frontier.size(); ++f)
    {
      const int block = frontier[f];
      if (taken[block]) continue;
      if (ordered.size() == cluster_end)
      {
        seeds.push_back(block);
        continue;
      }
      taken[block] = true;
      ordered.push_back(blocks[block]);
      const int dof = blocks[block][0];
      for (int t = begin[dof]; t < begin[dof + 1]; ++t)
      {
        const Family &family = family_of(terms[t]);
        const int *dofs = &term_dofs_[family.first_entry + (terms[t] - family.first_term) * family.dofs_per_term];
        for (int a = 0; a < family.dofs_per_term; ++a)
          if (const int other = block_of_dof[dofs[a]]; other >= 0 && !taken[other]) frontier.push_back(other);
      }
    }
  }
  blocks = std::move(ordered);
}

void Couplings::collect_singles()
{
  build_lists(n_free_, single_begin_, single_terms_,
              [&](const auto &add)
              {
                for (const Family &family : families_)
                  for (int term = family.first_term; term < family.end_term; ++term)
                  {
                    const int *dofs = &term_dofs_[family.first_entry + (term - family.first_term) * family.dofs_per_term];
                    int n = 0, only = -1;
                    for (int a = 0; a < family.dofs_per_term; ++a)
                      if (dofs[a] < n_free_) ++n, only = dofs[a];
                    if (n == 1) add(only, term);
                  }
              });
}

void Couplings::collect_pairs()
{
  // Every unordered pair of blocks with a term that holds both, as (lower block, upper block, term).
  struct Sharing
  {
    int lower, upper, term;
    bool operator<(const Sharing &other) const
    {
      return std::tie(lower, upper, term) < std::tie(other.lower, other.upper, other.term);
    }
  };
  std::vector<Sharing> sharings;
  std::vector<int> blocks;
  for (const Family &family : families_)
    for (int term = family.first_term; term < family.end_term; ++term)
    {
      const int *dofs = &term_dofs_[family.first_entry + (term - family.first_term) * family.dofs_per_term];
      blocks.clear();
      for (int a = 0; a < family.dofs_per_term; ++a)
        if (dofs[a] < n_free_ && dofs[a] == block_begin_[block_of_[dofs[a]]]) blocks.push_back(block_of_[dofs[a]]);
      if (std::count_if(dofs, dofs + family.dofs_per_term, [&](int dof) { return dof < n_free_; }) < 2) continue;
      std::sort(blocks.begin(), blocks.end());
      for (std::size_t a = 0; a < blocks.size(); ++a)
        for (std::size_t b = a; b < blocks.size(); ++b) sharings.push_back({blocks[a], blocks[b], term});
    }
  std::sort(sharings.begin(), sharings.end());

  own_pair_.assign(n_blocks(), -1);
  std::vector<Sharing> pairs;  // with the number of the pair in the place of the term
  for (const Sharing &sharing : sharings)
  {
    if (pairs.empty() || pairs.back().lower != sharing.lower || pairs.back().upper != sharing.upper)
    {
      const int pair = static_cast<int>(pairs.size());
      pairs.push_back({sharing.lower, sharing.upper, pair});
      shared_begin_.push_back(static_cast<int>(shared_terms_.size()));
      if (sharing.lower == sharing.upper) own_pair_[sharing.lower] = pair;
    }
    shared_terms_.push_back(sharing.term);
  }
  // Blocks without coupling share one last pair, which is empty.
  for (int &pair : own_pair_)
    if (pair < 0) pair = static_cast<int>(pairs.size());
  shared_begin_.push_back(static_cast<int>(shared_terms_.size()));
  shared_begin_.push_back(static_cast<int>(shared_terms_.size()));
  shared_begin_.shrink_to_fit();
  shared_terms_.shrink_to_fit();

  std::vector<int> pair_numbers;
  build_lists(n_blocks(), neighbour_begin_, pair_numbers,
              [&](const auto &add)
              {
                for (const Sharing &pair : pairs)
                {
                  add(pair.lower, pair.term);
                  if (pair.upper != pair.lower) add(pair.upper, pair.term);
                }
              });
  neighbours_.resize(pair_numbers.size());
  for (int block = 0; block < n_blocks(); ++block)
  {
    for (int n = neighbour_begin_[block]; n < neighbour_begin_[block + 1]; ++n)
    {
      const Sharing &pair = pairs[pair_numbers[n]];
      neighbours_[n] = {pair.lower == block ? pair.upper : pair.lower, pair.term};
    }
    std::sort(&neighbours_[0] + neighbour_begin_[block], &neighbours_[0] + neighbour_begin_[block + 1],
              [](const Neighbour &a, const Neighbour &b) { return a.block < b.block; });
  }
}

void Couplings::collect_segments()
{
  std::vector<int> segments;
  for (Family &family : families_)
  {
    const int n = family.dofs_per_term, n_terms = family.end_term - family.first_term;
    const int *dofs = term_dofs_.data() + family.first_entry;
    // The longest length of which all terms consist.
    const auto fits = [&](int length)
    {
      for (int term = 0; term < n_terms; ++term)
        for (int a = 0; a < n; ++a)
          if (a % length != 0 && dofs[term * std::size_t(n) + a] != dofs[term * std::size_t(n) + a - 1] + 1) return false;
      return true;
    };
    family.segment_length = n;
    while (n % family.segment_length != 0 || !fits(family.segment_length)) --family.segment_length;
    family.n_segments = n / family.segment_length;
    family.first_segment = segments.size();
    for (std::size_t entry = 0; entry < std::size_t(n_terms) * n; entry += family.segment_length)
      segments.push_back(dofs[entry]);
  }
  segments_.assign(segments.begin(), segments.end());
  term_dofs_ = {};
}

int Couplings::largest_block() const
{
  int largest = 0;
  for (int block = 0; block < n_blocks(); ++block) largest = std::max(largest, block_end(block) - block_begin(block));
  return largest;
}

int Couplings::pair_of(int dof, int other) const
{
  const int block = block_of_[other];
  const auto list = neighbours(block_of_[dof]);
  const auto found = std::lower_bound(list.begin(), list.end(), block,
                                      [](const Neighbour &neighbour, int value) { return neighbour.block < value; });
  return found != list.end() && found->block == block ? found->pair : -1;
}

void Couplings::prefetch_lists(int dof, int pair) const
{
  const int block = block_of_[dof];
  const Span<const Neighbour> list = neighbours(block);
  if (list.size() == 0) return;
  const auto last = list.end() - 1;
  for (auto neighbour = list.begin(); neighbour < last; neighbour += 8) __builtin_prefetch(neighbour);
  __builtin_prefetch(last);
  const Span<const int> terms = shared_terms(pair < 0 ? own_pair_[block] : pair);
  __builtin_prefetch(terms.begin());
}

int Couplings::longest_term_list() const
{
  int longest = 0;
  for (std::size_t pair = 0; pair + 1 < shared_begin_.size(); ++pair)
    longest = std::max(longest, shared_begin_[pair + 1] - shared_begin_[pair]);
  for (int dof = 0; dof < n_free_; ++dof) longest = std::max(longest, single_begin_[dof + 1] - single_begin_[dof]);
  return longest;
}

std::int64_t Couplings::n_coupled_pairs() const
{
  std::int64_t twice = 0;
  for (int block = 0; block < n_blocks(); ++block)
    for (const Neighbour &neighbour : neighbours(block))
    {
      const std::int64_t n = block_end(block) - block_begin(block);
      const std::int64_t m = block_end(neighbour.block) - block_begin(neighbour.block);
      twice += neighbour.block == block ? n * (n - 1) : n * m;
    }
  return twice / 2;
}

std::size_t Couplings::memory_bytes() const
{
  return bytes(segments_) + bytes(system_dof_) + bytes(block_of_) + bytes(block_begin_) + bytes(neighbour_begin_) +
         bytes(neighbours_) + bytes(own_pair_) + bytes(shared_begin_) + bytes(shared_terms_) + bytes(single_begin_) +
         bytes(single_terms_);
}
}  // namespace freefall::force_stepping
