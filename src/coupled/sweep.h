/* Sweeps: a pass on every axis of all particles, by the executor. */
#ifndef KDR_COUPLED_SWEEP_H
#define KDR_COUPLED_SWEEP_H

#include <kickdrift/integrator.h>

#include "../kernel/passes.h"

enum { KDR_SWEEP_MOVES = 3, KDR_SWEEP_STAGES = 6 };

/* The passes are independent of each other, but arrays that several of them read are read from memory once. */
void kdr_sweep_moves(const kdr_passes *passes, const kdr_pass *pass, int passes_count, size_t count, const kdr_executor *executor);
void kdr_sweep_undo(const kdr_passes *passes, const kdr_pass *pass, int passes_count, size_t count, const kdr_executor *executor);
void kdr_sweep_stages(const kdr_passes *passes, const kdr_stage_pass *pass, int passes_count, size_t count, const kdr_executor *executor);
void kdr_sweep_sums(const kdr_passes *passes, const kdr_sum_pass *pass, int passes_count, size_t count, const kdr_executor *executor);
void kdr_sweep_field(const kdr_passes *passes, const kdr_field_pass *pass, size_t count, const kdr_executor *executor);
void kdr_sweep_zeros(void *const *to, int arrays, size_t size, size_t count, const kdr_executor *executor);
void kdr_sweep_copies(void *const *to, const void *const *from, int arrays, size_t size, size_t count, const kdr_executor *executor);

#endif
