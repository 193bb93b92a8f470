# The judge that saw each mistake last (run.cmake, -DNOTE): an order to ask in, and nothing else.
set(likely_running_sum_of_time "verify --quick --method baoab")
set(likely_rests_left_out "verify --quick --method explicit-euler")
set(likely_program_without_drag "verify --quick --method explicit-euler")
set(likely_merged_across_a_prediction "verify --quick --method velocity-verlet-pc")
set(likely_write_past_the_end "verify --quick --method baoab")
set(likely_made_for_the_last_length "verify --quick --method implicit-midpoint")
