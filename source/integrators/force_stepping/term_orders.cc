#include <freefall/integrators/force_stepping/term_orders.h>

#include <algorithm>

namespace freefall::force_stepping
{
TermOrders::TermOrders(const Couplings &couplings, const SimplicialGrid &grid, const Simplex &simplex, const Eigen::VectorXd &q)
  : couplings_(couplings),
    grid_(grid),
    cells_(couplings.n_free()),
    corners_(couplings.n_dofs()),
    steps_(couplings.n_free()),
    ranks_(couplings.term_dofs().size(), fixed_rank),
    has_fixed_dofs_(couplings.n_free() < couplings.n_dofs())
{
  for (int dof = 0; dof < couplings.n_free(); ++dof)
  {
    cells_[dof] = simplex.cells[couplings.system_dof(dof)];
    set_corners(dof);
  }
  for (int dof = couplings.n_free(); dof < couplings.n_dofs(); ++dof)
    corners_[dof].at[0] = corners_[dof].at[1] = q[couplings.system_dof(dof)];

  std::vector<int> position(couplings.n_dofs());
  for (int p = 0; p < couplings.n_free(); ++p) position[simplex.order[p]] = p;
  std::vector<int> sorted;
  int most_dofs_per_term = 0;
  for (const Couplings::Family &family : couplings.families())
  {
    most_dofs_per_term = std::max(most_dofs_per_term, family.dofs_per_term);
    for (int term = family.first_term; term < family.end_term; ++term)
    {
      const std::size_t entry = entry_of(family, term);
      const int *dofs = &couplings.term_dofs()[entry];
      sorted.clear();
      for (int a = 0; a < family.dofs_per_term; ++a)
        if (dofs[a] < couplings.n_free()) sorted.push_back(a);
      std::sort(sorted.begin(), sorted.end(),
                [&](int a, int b)
                { return position[couplings.system_dof(dofs[a])] < position[couplings.system_dof(dofs[b])]; });
      for (std::size_t rank = 0; rank < sorted.size(); ++rank) ranks_[entry + sorted[rank]] = static_cast<std::uint8_t>(rank);
    }
  }
  const int longest = couplings.longest_term_list();
  x_.resize(static_cast<std::size_t>(longest) * most_dofs_per_term);
  place_i_.resize(longest);
  place_j_.resize(longest);
  terms_.resize(longest);
}

void TermOrders::set_corners(int dof)
{
  const int system_dof = couplings_.system_dof(dof);
  const Cell &cell = cells_[dof];
  corners_[dof].at[0] = grid_.vertex_coordinate(system_dof, cell.base);
  corners_[dof].at[1] = grid_.vertex_coordinate(system_dof, cell.base + cell.direction);
  steps_[dof] = cell.direction * grid_.spacing(system_dof);
}

/// Calls function(family, first, last) for each stretch of the ascending list that belongs to one family.
template <typename Function>
void TermOrders::for_each_run(Span<const int> terms, Function &&function) const
{
  const int n = static_cast<int>(terms.size());
  int first = 0;
  for (const Couplings::Family &family : couplings_.families())
  {
    int last = first;
    while (last != n && terms[last] < family.end_term) ++last;
    if (last != first) function(family, first, last);
    first = last;
    if (first == n) return;
  }
}

void TermOrders::gather_vertex(std::size_t entry, int n, int rank, double *x) const
{
  const int *dofs = couplings_.term_dofs().data() + entry;
  const std::uint8_t *ranks = ranks_.data() + entry;
  for (int b = 0; b < n; ++b) x[b] = corners_[dofs[b]].at[ranks[b] < rank];
}

double TermOrders::coupling_force(int dof)
{
  const int block = couplings_.block_of(dof), pair = couplings_.own_pair(block);
  const int place_in_block = dof - couplings_.block_begin(block);
  const auto terms = couplings_.shared_terms(pair);
  const auto places = couplings_.places(pair);
  double sum = 0;
  for_each_run(terms,
               [&](const Couplings::Family &family, int first, int last)
               {
                 const int n = family.dofs_per_term;
                 for (int t = first; t < last; ++t)
                 {
                   const std::size_t entry = entry_of(family, terms[t]);
                   const int a = places[t].lower + place_in_block;
                   gather_vertex(entry, n, ranks_[entry + a], &x_[(t - first) * n]);
                   terms_[t - first] = terms[t] - family.first_term;
                   place_i_[t - first] = a;
                 }
                 sum += family.terms->sum_of_differences(last - first, terms_.data(), x_.data(), place_i_.data(), steps_[dof]);
               });
  return sum;
}

double TermOrders::single_force(int dof)
{
  const auto terms = couplings_.single_terms(dof);
  double sum = 0;
  for_each_run(terms,
               [&](const Couplings::Family &family, int first, int last)
               {
                 const int n = family.dofs_per_term;
                 for (int t = first; t < last; ++t)
                 {
                   const std::size_t entry = entry_of(family, terms[t]);
                   const int *dofs = &couplings_.term_dofs()[entry];
                   gather_vertex(entry, n, 0, &x_[(t - first) * n]);
                   terms_[t - first] = terms[t] - family.first_term;
                   place_i_[t - first] = static_cast<int>(std::find(dofs, dofs + n, dof) - dofs);
                 }
                 sum += family.terms->sum_of_differences(last - first, terms_.data(), x_.data(), place_i_.data(), steps_[dof]);
               });
  return sum;
}

double TermOrders::force(int dof) { return coupling_force(dof) + single_force(dof); }

bool TermOrders::is_ahead(int pair, int i, int j) const
{
  const int term = couplings_.shared_terms(pair)[0];
  const Couplings::Places places = couplings_.places(pair)[0];
  const std::uint8_t *ranks = ranks_.data() + entry_of(couplings_.family_of(term), term);
  const int block_i = couplings_.block_of(i), block_j = couplings_.block_of(j);
  const int a = (block_i <= block_j ? places.lower : places.upper) + i - couplings_.block_begin(block_i);
  const int b = (block_j <= block_i ? places.lower : places.upper) + j - couplings_.block_begin(block_j);
  return ranks[a] < ranks[b];
}

int TermOrders::beyond(int dof, bool upward) const
{
  const int block = couplings_.block_of(dof), pair = couplings_.own_pair(block);
  const int place_in_block = dof - couplings_.block_begin(block);
  const auto terms = couplings_.shared_terms(pair);
  const auto places = couplings_.places(pair);
  int found = -1;
  for_each_run(terms,
               [&](const Couplings::Family &family, int first, int last)
               {
                 const int n = family.dofs_per_term;
                 for (int t = first; t < last && found < 0; ++t)
                 {
                   const std::size_t entry = entry_of(family, terms[t]);
                   const std::uint8_t *ranks = ranks_.data() + entry;
                   const int rank = ranks[places[t].lower + place_in_block];
                   if (rank == (upward ? 0 : n - 1)) continue;
                   const std::uint8_t *place = std::find(ranks, ranks + n, upward ? rank - 1 : rank + 1);
                   if (place != ranks + n) found = couplings_.term_dofs()[entry + (place - ranks)];
                 }
               });
  return found;
}

TermOrders::Swap TermOrders::swap(int pair, int ahead, int behind)
{
  const int block_i = couplings_.block_of(ahead), block_j = couplings_.block_of(behind);
  const int in_block_i = ahead - couplings_.block_begin(block_i), in_block_j = behind - couplings_.block_begin(block_j);
  const bool i_is_lower = block_i <= block_j, j_is_lower = block_j <= block_i;
  const auto terms = couplings_.shared_terms(pair);
  const auto places = couplings_.places(pair);
  Swap result{0, -1};
  for_each_run(terms,
               [&](const Couplings::Family &family, int first, int last)
               {
                 const int n = family.dofs_per_term;
                 for (int t = first; t < last; ++t)
                 {
                   const std::size_t entry = entry_of(family, terms[t]);
                   const int a = (i_is_lower ? places[t].lower : places[t].upper) + in_block_i;
                   const int b = (j_is_lower ? places[t].lower : places[t].upper) + in_block_j;
                   const int rank = ranks_[entry + a];
                   if (ranks_[entry + b] != rank + 1)
                   {
                     const std::uint8_t *ranks = ranks_.data() + entry;
                     result.blocker = couplings_.term_dofs()[entry + (std::find(ranks, ranks + n, rank + 1) - ranks)];
                     return;
                   }
                   gather_vertex(entry, n, rank, &x_[(t - first) * n]);
                   terms_[t - first] = terms[t] - family.first_term;
                   place_i_[t - first] = a;
                   place_j_[t - first] = b;
                 }
                 result.mixed_difference += family.terms->sum_of_mixed_differences(
                   last - first, terms_.data(), x_.data(), place_i_.data(), steps_[ahead], place_j_.data(), steps_[behind]);
               });
  if (result.blocker >= 0) return result;
  for_each_run(terms,
               [&](const Couplings::Family &family, int first, int last)
               {
                 for (int t = first; t < last; ++t)
                 {
                   std::uint8_t *ranks = ranks_.data() + entry_of(family, terms[t]);
                   ++ranks[(i_is_lower ? places[t].lower : places[t].upper) + in_block_i];
                   --ranks[(j_is_lower ? places[t].lower : places[t].upper) + in_block_j];
                 }
               });
  return result;
}

void TermOrders::rotate(int dof, bool upward)
{
  const auto terms = couplings_.shared_terms(couplings_.own_pair(couplings_.block_of(dof)));
  for_each_run(terms,
               [&](const Couplings::Family &family, int first, int last)
               {
                 const int n = family.dofs_per_term;
                 for (int t = first; t < last; ++t)
                 {
                   std::uint8_t *ranks = ranks_.data() + entry_of(family, terms[t]);
                   const int n_free = has_fixed_dofs_ ? n - static_cast<int>(std::count(ranks, ranks + n, fixed_rank)) : n;
                   const std::uint8_t from = upward ? 0 : n_free - 1, to = upward ? n_free - 1 : 0, by = upward ? 255 : 1;
                   for (int a = 0; a < n; ++a)
                   {
                     const std::uint8_t moved = ranks[a] == from ? to : static_cast<std::uint8_t>(ranks[a] + by);
                     ranks[a] = ranks[a] == fixed_rank ? fixed_rank : moved;
                   }
                 }
               });
}

TermOrders::NewCell TermOrders::leave_cell(int dof, bool upward)
{
  const Cell old = cells_[dof];
  const bool reflected = grid_.leave_cell(cells_[dof], upward);
  set_corners(dof);
  if (!reflected) rotate(dof, upward);
  try
  {
    return {force(dof), reflected};
  }
  catch (...)
  {
    cells_[dof] = old;
    set_corners(dof);
    if (!reflected) rotate(dof, !upward);
    throw;
  }
}

std::size_t TermOrders::memory_bytes() const
{
  return cells_.capacity() * sizeof(Cell) + corners_.capacity() * sizeof(Corners) + steps_.capacity() * sizeof(double) +
         ranks_.capacity() + x_.capacity() * sizeof(double) +
         (place_i_.capacity() + place_j_.capacity() + terms_.capacity()) * sizeof(int);
}

void TermOrders::archive(Archive &archive)
{
  archive.members("cell_base", cells_, &Cell::base);
  archive.members("cell_direction", cells_, &Cell::direction);
  archive("ranks", ranks_);
  for (int dof = 0; dof < couplings_.n_free(); ++dof) set_corners(dof);
}
}  // namespace freefall::force_stepping
