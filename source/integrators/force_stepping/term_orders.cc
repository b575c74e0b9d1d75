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
    ranks_(couplings.n_entries(), fixed_rank),
    has_fixed_dofs_(couplings.n_free() < couplings.n_dofs())
{
  for (int dof = 0; dof < couplings.n_free(); ++dof)
  {
    cells_[dof] = PackedCell(simplex.cells[couplings.system_dof(dof)]);
    set_corners(dof);
  }
  for (int dof = couplings.n_free(); dof < couplings.n_dofs(); ++dof)
    corners_[dof].at[0] = corners_[dof].at[1] = q[couplings.system_dof(dof)];

  std::vector<int> position(couplings.n_dofs());
  for (int p = 0; p < couplings.n_free(); ++p) position[simplex.order[p]] = p;
  std::vector<int> sorted, dofs;
  int most_dofs_per_term = 0;
  for (const Couplings::Family &family : couplings.families())
  {
    most_dofs_per_term = std::max(most_dofs_per_term, family.dofs_per_term);
    for (int term = family.first_term; term < family.end_term; ++term)
    {
      const std::size_t entry = family.entry_of(term);
      dofs.clear();
      for (int a = 0; a < family.dofs_per_term; ++a) dofs.push_back(couplings.dof_at(family, term, a));
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
  const Cell cell = cells_[dof].unpack();
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

void TermOrders::gather_vertex(
  const Couplings::Family &family, const int *segments, const std::uint8_t *ranks, int rank, double *x) const
{
  const int n = family.dofs_per_term, length = family.segment_length;
  if (length == 3)  // nodes in space
  {
    for (int b = 0; b < n; b += 3)
    {
      const Corners *corners = &corners_[*segments++];
      for (int c = 0; c < 3; ++c) x[b + c] = corners[c].at[ranks[b + c] < rank];
    }
    return;
  }
  for (int b = 0; b < n; b += length)
  {
    const Corners *corners = &corners_[*segments++];
    for (int c = 0; c < length; ++c) x[b + c] = corners[c].at[ranks[b + c] < rank];
  }
}

double TermOrders::sum_of_forces(int dof, Span<const int> terms)
{
  double sum = 0;
  for_each_run(terms,
               [&](const Couplings::Family &family, int first, int last)
               {
                 const int n = family.dofs_per_term;
                 for (int t = first; t < last; ++t)
                 {
                   const int *segments = couplings_.segments(family, terms[t]);
                   const std::uint8_t *ranks = ranks_.data() + family.entry_of(terms[t]);
                   const int a = Couplings::place_of(family, segments, dof);
                   gather_vertex(family, segments, ranks, ranks[a], &x_[(t - first) * n]);
                   terms_[t - first] = terms[t] - family.first_term;
                   place_i_[t - first] = a;
                 }
                 sum += family.terms->sum_of_differences(last - first, terms_.data(), x_.data(), place_i_.data(), steps_[dof]);
               });
  return sum;
}

double TermOrders::force(int dof)
{
  return sum_of_forces(dof, couplings_.shared_terms(couplings_.own_pair(couplings_.block_of(dof)))) +
         sum_of_forces(dof, couplings_.single_terms(dof));
}

bool TermOrders::is_ahead(int pair, int i, int j) const
{
  const int term = couplings_.shared_terms(pair)[0];
  const Couplings::Family &family = couplings_.family_of(term);
  const int *segments = couplings_.segments(family, term);
  const std::uint8_t *ranks = ranks_.data() + family.entry_of(term);
  return ranks[Couplings::place_of(family, segments, i)] < ranks[Couplings::place_of(family, segments, j)];
}

int TermOrders::beyond(int dof, bool upward) const
{
  const auto terms = couplings_.shared_terms(couplings_.own_pair(couplings_.block_of(dof)));
  int found = -1;
  for_each_run(terms,
               [&](const Couplings::Family &family, int first, int last)
               {
                 const int n = family.dofs_per_term;
                 for (int t = first; t < last && found < 0; ++t)
                 {
                   const std::uint8_t *ranks = ranks_.data() + family.entry_of(terms[t]);
                   const int rank = ranks[Couplings::place_of(family, couplings_.segments(family, terms[t]), dof)];
                   if (rank == (upward ? 0 : n - 1)) continue;
                   const std::uint8_t *place = std::find(ranks, ranks + n, upward ? rank - 1 : rank + 1);
                   if (place != ranks + n) found = couplings_.dof_at(family, terms[t], static_cast<int>(place - ranks));
                 }
               });
  return found;
}

TermOrders::Swap TermOrders::swap(int pair, int ahead, int behind)
{
  const auto terms = couplings_.shared_terms(pair);
  Swap result{0, -1};
  for_each_run(terms,
               [&](const Couplings::Family &family, int first, int last)
               {
                 const int n = family.dofs_per_term;
                 for (int t = first; t < last; ++t)
                 {
                   const int *segments = couplings_.segments(family, terms[t]);
                   const std::uint8_t *ranks = ranks_.data() + family.entry_of(terms[t]);
                   const int a = Couplings::place_of(family, segments, ahead),
                             b = Couplings::place_of(family, segments, behind);
                   const int rank = ranks[a];
                   if (ranks[b] != rank + 1)
                   {
                     const auto between = static_cast<int>(std::find(ranks, ranks + n, rank + 1) - ranks);
                     result.blocker = couplings_.dof_at(family, terms[t], between);
                     return;
                   }
                   gather_vertex(family, segments, ranks, rank, &x_[(t - first) * n]);
                   terms_[t] = terms[t] - family.first_term;
                   place_i_[t] = a;
                   place_j_[t] = b;
                 }
                 result.mixed_difference += family.terms->sum_of_mixed_differences(
                   last - first, &terms_[first], x_.data(), &place_i_[first], steps_[ahead], &place_j_[first], steps_[behind]);
               });
  if (result.blocker >= 0) return result;
  for_each_run(terms,
               [&](const Couplings::Family &family, int first, int last)
               {
                 for (int t = first; t < last; ++t)
                 {
                   std::uint8_t *ranks = ranks_.data() + family.entry_of(terms[t]);
                   ++ranks[place_i_[t]];
                   --ranks[place_j_[t]];
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
                   std::uint8_t *ranks = ranks_.data() + family.entry_of(terms[t]);
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
  const PackedCell old = cells_[dof];
  Cell cell = old.unpack();
  const bool reflected = grid_.leave_cell(cell, upward);
  cells_[dof] = PackedCell(cell);
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

void TermOrders::prefetch(int pair) const
{
  const auto terms = couplings_.shared_terms(pair);
  for_each_run(terms,
               [&](const Couplings::Family &family, int first, int last)
               {
                 for (int t = first; t < last; ++t)
                 {
                   __builtin_prefetch(couplings_.segments(family, terms[t]));
                   __builtin_prefetch(ranks_.data() + family.entry_of(terms[t]));
                 }
               });
}

std::size_t TermOrders::memory_bytes() const
{
  return cells_.capacity() * sizeof(PackedCell) + corners_.capacity() * sizeof(Corners) + steps_.capacity() * sizeof(double) +
         ranks_.capacity() + x_.capacity() * sizeof(double) +
         (place_i_.capacity() + place_j_.capacity() + terms_.capacity()) * sizeof(int);
}

void TermOrders::archive(Archive &archive)
{
  PackedCell::archive(archive, cells_);
  archive.array_of("ranks", ranks_.data(), ranks_.size());
  for (int dof = 0; dof < couplings_.n_free(); ++dof) set_corners(dof);
}
}  // namespace freefall::force_stepping
