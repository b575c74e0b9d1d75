#include <freefall/integrators/force_stepping/term_orders.h>

#include <algorithm>
#include <stdexcept>

namespace freefall::force_stepping
{
TermOrders::TermOrders(const Couplings &couplings, const SimplicialGrid &grid, const Simplex &simplex, const Eigen::VectorXd &q)
  : couplings_(couplings),
    grid_(grid),
    cells_(couplings.n_free()),
    corners_(couplings.n_dofs()),
    ranks_(couplings.term_dofs().size(), fixed_rank)
{
  for (int dof = 0; dof < couplings.n_free(); ++dof)
  {
    cells_[dof] = simplex.cells[couplings.system_dof(dof)];
    set_corner(dof);
  }
  for (int dof = couplings.n_free(); dof < couplings.n_dofs(); ++dof) corners_[dof] = {q[couplings.system_dof(dof)], 0};

  std::vector<int> position(couplings.n_dofs());
  for (int p = 0; p < couplings.n_free(); ++p) position[simplex.order[p]] = p;
  std::vector<int> sorted;
  int most_dofs_per_term = 0;
  for (const Couplings::Family &family : couplings.families())
  {
    const int n = family.dofs_per_term;
    if (n >= fixed_rank) throw std::logic_error("force-stepping: a local term has too many dofs for ranks of one byte");
    most_dofs_per_term = std::max(most_dofs_per_term, n);
    for (int term = family.first_term; term < family.end_term; ++term)
    {
      const std::size_t entry = entry_of(family, term);
      const int *dofs = &couplings.term_dofs()[entry];
      sorted.clear();
      for (int a = 0; a < n; ++a)
        if (dofs[a] < couplings.n_free()) sorted.push_back(a);
      std::sort(sorted.begin(), sorted.end(),
                [&](int a, int b)
                { return position[couplings.system_dof(dofs[a])] < position[couplings.system_dof(dofs[b])]; });
      for (std::size_t rank = 0; rank < sorted.size(); ++rank) ranks_[entry + sorted[rank]] = static_cast<std::uint8_t>(rank);
    }
  }
  const int longest = couplings.longest_term_list();
  x_.resize(static_cast<std::size_t>(longest) * most_dofs_per_term);
  local_i_.resize(longest);
  local_j_.resize(longest);
  local_terms_.resize(longest);
}

void TermOrders::set_corner(int dof)
{
  const int system_dof = couplings_.system_dof(dof);
  corners_[dof] = {grid_.vertex_coordinate(system_dof, cells_[dof].base), cells_[dof].direction * grid_.spacing(system_dof)};
}

int TermOrders::find(const int *dofs, int dof)
{
  int a = 0;
  while (dofs[a] != dof) ++a;
  return a;
}

/// Calls function(family, first, last) for each stretch of the ascending list that belongs to one family.
template <typename Function>
void TermOrders::for_each_run(Span<const int> terms, Function &&function) const
{
  const int *first = terms.begin();
  for (const Couplings::Family &family : couplings_.families())
  {
    const int *last = first;
    while (last != terms.end() && *last < family.end_term) ++last;
    if (last != first) function(family, first, last);
    first = last;
    if (first == terms.end()) return;
  }
}

void TermOrders::gather_vertex(std::size_t entry, int n, int a, double *x) const
{
  const int *dofs = couplings_.term_dofs().data() + entry;
  const std::uint8_t *ranks = ranks_.data() + entry;
  for (int b = 0; b < n; ++b)
  {
    const Corner &corner = corners_[dofs[b]];
    x[b] = corner.lower + (ranks[b] < ranks[a] ? corner.step : 0.);
  }
}

double TermOrders::sum_of_differences(Span<const int> terms, int dof)
{
  const double step = corners_[dof].step;
  double sum = 0;
  for_each_run(terms,
               [&](const Couplings::Family &family, const int *first, const int *last)
               {
                 const int n = family.dofs_per_term;
                 const int count = static_cast<int>(last - first);
                 for (int t = 0; t < count; ++t)
                 {
                   const std::size_t entry = entry_of(family, first[t]);
                   const int *dofs = couplings_.term_dofs().data() + entry;
                   const int a = find(dofs, dof);
                   gather_vertex(entry, n, a, x_.data() + t * n);
                   local_terms_[t] = first[t] - family.first_term;
                   local_i_[t] = a;
                 }
                 sum += family.terms->sum_of_differences(count, local_terms_.data(), x_.data(), local_i_.data(), step);
               });
  return sum;
}

double TermOrders::force(int dof)
{
  return sum_of_differences(couplings_.coupling_terms(couplings_.block_of(dof)), dof) +
         sum_of_differences(couplings_.single_terms(dof), dof);
}

TermOrders::MixedDifference TermOrders::mixed_difference(int pair, int ahead, int behind)
{
  MixedDifference result{0, -1};
  for_each_run(couplings_.shared_terms(pair),
               [&](const Couplings::Family &family, const int *first, const int *last)
               {
                 const int n = family.dofs_per_term;
                 const int count = static_cast<int>(last - first);
                 for (int t = 0; t < count; ++t)
                 {
                   const std::size_t entry = entry_of(family, first[t]);
                   const int *dofs = couplings_.term_dofs().data() + entry;
                   const std::uint8_t *ranks = ranks_.data() + entry;
                   const int a = find(dofs, ahead), b = find(dofs, behind);
                   if (ranks[b] != ranks[a] + 1) result.blocker = dofs[std::find(ranks, ranks + n, ranks[a] + 1) - ranks];
                   gather_vertex(entry, n, a, x_.data() + t * n);
                   local_terms_[t] = first[t] - family.first_term;
                   local_i_[t] = a;
                   local_j_[t] = b;
                 }
                 if (result.blocker < 0)
                   result.value +=
                     family.terms->sum_of_mixed_differences(count, local_terms_.data(), x_.data(), local_i_.data(),
                                                            corners_[ahead].step, local_j_.data(), corners_[behind].step);
               });
  return result;
}

bool TermOrders::is_ahead(int pair, int i, int j) const
{
  const int term = couplings_.shared_terms(pair)[0];
  const Couplings::Family &family = couplings_.family_of(term);
  const std::size_t entry = entry_of(family, term);
  const int *dofs = couplings_.term_dofs().data() + entry;
  return ranks_[entry + find(dofs, i)] < ranks_[entry + find(dofs, j)];
}

int TermOrders::beyond(int dof, bool upward) const
{
  int found = -1;
  for_each_run(couplings_.coupling_terms(couplings_.block_of(dof)),
               [&](const Couplings::Family &family, const int *first, const int *last)
               {
                 const int n = family.dofs_per_term;
                 for (; first != last && found < 0; ++first)
                 {
                   const std::size_t entry = entry_of(family, *first);
                   const int *dofs = couplings_.term_dofs().data() + entry;
                   const std::uint8_t *ranks = ranks_.data() + entry;
                   const int wanted = ranks[find(dofs, dof)] + (upward ? -1 : 1);
                   const std::uint8_t *place = std::find(ranks, ranks + n, wanted);
                   if (place != ranks + n) found = dofs[place - ranks];
                 }
               });
  return found;
}

void TermOrders::swap(int pair, int ahead, int behind)
{
  for_each_run(couplings_.shared_terms(pair),
               [&](const Couplings::Family &family, const int *first, const int *last)
               {
                 for (; first != last; ++first)
                 {
                   const std::size_t entry = entry_of(family, *first);
                   const int *dofs = couplings_.term_dofs().data() + entry;
                   std::swap(ranks_[entry + find(dofs, ahead)], ranks_[entry + find(dofs, behind)]);
                 }
               });
}

void TermOrders::rotate(int dof, bool upward)
{
  for_each_run(couplings_.coupling_terms(couplings_.block_of(dof)),
               [&](const Couplings::Family &family, const int *first, const int *last)
               {
                 const int n = family.dofs_per_term;
                 for (; first != last; ++first)
                 {
                   std::uint8_t *ranks = ranks_.data() + entry_of(family, *first);
                   const int n_free = n - static_cast<int>(std::count(ranks, ranks + n, fixed_rank));
                   for (int a = 0; a < n; ++a)
                   {
                     if (ranks[a] == fixed_rank) continue;
                     const int moved = upward ? ranks[a] + n_free - 1 : ranks[a] + 1;
                     ranks[a] = static_cast<std::uint8_t>(moved % n_free);
                   }
                 }
               });
}

TermOrders::NewCell TermOrders::leave_cell(int dof, bool upward)
{
  const Cell old = cells_[dof];
  const bool reflected = grid_.leave_cell(cells_[dof], upward);
  set_corner(dof);
  if (!reflected) rotate(dof, upward);
  try
  {
    return {force(dof), reflected};
  }
  catch (...)
  {
    cells_[dof] = old;
    set_corner(dof);
    if (!reflected) rotate(dof, !upward);
    throw;
  }
}

std::size_t TermOrders::memory_bytes() const
{
  return cells_.capacity() * sizeof(Cell) + corners_.capacity() * sizeof(Corner) + ranks_.capacity() +
         x_.capacity() * sizeof(double) + (local_i_.capacity() + local_j_.capacity() + local_terms_.capacity()) * sizeof(int);
}
}  // namespace freefall::force_stepping
