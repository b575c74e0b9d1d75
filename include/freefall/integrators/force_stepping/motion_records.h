#pragma once

#include <freefall/core/archive.h>
#include <freefall/core/large_vector.h>
#include <freefall/core/simd.h>
#include <freefall/integrators/force_stepping/couplings.h>
#include <freefall/integrators/force_stepping/parabola.h>

#include <limits>

namespace freefall::force_stepping
{
/// The parabolas and watch times of all dofs, by block: what a scan reads of a coupled node lies in two cache lines.
///
/// The record of a block holds one field after another, each with as many entries (lanes) as the largest block has dofs, and
/// begins on a cache line. Unused lanes have w = NaN, so that comparisons with them are false.
class MotionRecords
{
public:
  /// Consecutive dofs of a block, one in each lane.
  struct Lanes
  {
    Batch w, velocity, half_acceleration, t0, watch;
  };

  explicit MotionRecords(const Couplings &couplings)
    : lanes_(couplings.largest_block()),
      stride_((n_fields * lanes_ + 7) / 8 * 8),
      // and a batch more, so that whole batches can be read
      data_(static_cast<std::size_t>(stride_) * couplings.n_blocks() + batch_size, std::numeric_limits<double>::quiet_NaN())
  {
  }

  /// Entries of a field.
  int n_lanes() const { return lanes_; }

  Parabola parabola(int block, int lane) const
  {
    const double *record = this->record(block) + lane;
    return {record[0], record[lanes_], record[2 * lanes_], record[3 * lanes_]};
  }
  void set_parabola(int block, int lane, const Parabola &parabola)
  {
    double *record = this->record(block) + lane;
    record[0] = parabola.w;
    record[lanes_] = parabola.velocity;
    record[2 * lanes_] = parabola.half_acceleration;
    record[3 * lanes_] = parabola.t0;
  }
  double watch(int block, int lane) const { return record(block)[4 * lanes_ + lane]; }
  void set_watch(int block, int lane, double time) { record(block)[4 * lanes_ + lane] = time; }

  /// From lane `first` on; lanes from n_lanes() on mean nothing.
  Lanes load(int block, int first) const
  {
    const double *record = this->record(block) + first;
    return {Batch::load_unaligned(record), Batch::load_unaligned(record + lanes_), Batch::load_unaligned(record + 2 * lanes_),
            Batch::load_unaligned(record + 3 * lanes_), Batch::load_unaligned(record + 4 * lanes_)};
  }
  void prefetch(int block) const
  {
    for (const double *line = record(block), *end = line + stride_; line < end; line += 8) __builtin_prefetch(line);
  }
  void archive(Archive &archive) { archive.array_of("records", data_.data(), data_.size()); }
  std::size_t memory_bytes() const { return data_.capacity() * sizeof(double); }

private:
  static constexpr int n_fields = 5;

  const double *record(int block) const { return data_.data() + static_cast<std::size_t>(stride_) * block; }
  double *record(int block) { return data_.data() + static_cast<std::size_t>(stride_) * block; }

  int lanes_, stride_;
  LargeVector<double> data_;
};
}  // namespace freefall::force_stepping
