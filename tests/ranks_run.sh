#!/bin/sh
# ranks_run.sh PART PROGRAM [JOB] runs scenes on 1, 2, 3 and 5 ranks. The part `scenes` has fields, particles of every source, and
# interactions: the output and every file must be those of one process alone. The part `broken_off` checks the same when a rank is killed,
# or the first one is told to stop, and the run continues on another number of ranks. The part `limits` checks that what ranks cannot step
# is refused, and that no rank has memory for all particles. The part `streams` runs streams. The script exits with 77, skipped, if the
# build has no MPI, without mpirun, or with a sanitizer.
set -eu
part=$1 program=$2
case $part in scenes | broken_off | limits | streams) ;; *) echo "ranks_run: no part $part" >&2; exit 2 ;; esac
if [ -z "${3-}" ]; then
    said=$(OMPI_COMM_WORLD_SIZE=2 "$program" run none.yaml 2>&1) && { echo "ranks_run: two processes that know nothing of each other have run" >&2; exit 1; }
    case $said in
    *'started on 2 ranks, and this program was built without MPI'*) echo "ranks_run: built without MPI (Debian: libopenmpi-dev), skipped"; exit 77 ;;
    *) echo "ranks_run: expected a refusal of two ranks, found $said" >&2; exit 1 ;;
    esac
fi
case ${CFLAGS-} in *-fsanitize*) echo "ranks_run: MPI itself leaks, which a sanitizer would not have, skipped"; exit 77 ;; esac
command -v mpirun >/dev/null || { echo "ranks_run: no mpirun (Debian: openmpi-bin), skipped"; exit 77; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
die() { echo "ranks_run: $*" >&2; exit 1; }
# A job that has failed ends at once, and not after two seconds of grace.
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_rmaps_base_oversubscribe=1 OMPI_MCA_mpi_yield_when_idle=1 \
    OMPI_MCA_odls_base_sigkill_timeout=0
unset KDR_BACKEND
cd "$work"

# This scene has arrays of every kind: ids, masses, frozen particles, parameters of forces, what colliders absorbed.
awk 'BEGIN {
    print "id,x,y,z,vx,vy,vz,mass,k,b"
    for (i = 0; i < 5500; ++i) {
        r = (i * 7919) % 5500 / 5500
        printf "%d,%.6f,%.6f,%.6f,%.6f,%.6f,%.6f,%s,%.6f,%.6f\n", 90000 - i, r, 1 - r, r * r, -r, 0.5, r - 0.5, i % 97 == 5 ? "inf" : 1 + r, 1 + r, 0.1 * r
    }
}' >particles.csv
cat >springs.yaml <<'END'
particles: {file: particles.csv}
forces:
  - spring: {k: {column: k}, at: start}
  - drag: {b: {column: b}}
colliders:
  - plane: {point: [0, 0, -0.01], normal: [0, 0, 1], restitution: 0.5, friction: 0.1}
method: velocity-verlet
dt: 0.01
steps: 3000
report: 1000
output: {file: frames.h5, every: 1500}
checkpoint: {file: kept, every: 100}
END
# This scene has noise by id, a memory, compensations, and frames between two steps.
cat >bath.yaml <<'END'
real: f32
compensated: true
particles:
  random: {count: 5000, seed: 3, position: {ball: {at: [0, 0, 0], radius: 1}}, velocity: {normal: {mean: [0, 0, 0], sigma: 1}}}
forces:
  - spring: {k: 2}
  - centre: {mu: 1, at: [0.1, 0, 0], softening: 0.5}
method: baoab
langevin: {friction: 0.5, temperature: 1, seed: 4}
dt: 0.01
steps: 3000
report: 700
output: {file: frames.csv, times: [0, 0.105, 0.333, 10.006, 29.99]}
checkpoint: {file: kept, every: 100}
END

# This scene has gravity together with springs, rods and a ball: every rank has all particles.
cat >stars.yaml <<'END'
particles:
  plummer: {count: 500, seed: 1, mass: 1, radius: 1, g: 1}
forces:
  - uniform-acceleration: {a: [0, 0, -0.01]}
interactions:
  - gravity: {g: 1, softening: 0.0625}
  - spring-lattice: {grid: [8, 8], k: 0.001, damping: 0.0001}
  - gravity: {mu: 0.0001, sources: 90, softening: 0.25}
distances: {rods: [{between: [[100, 101], [101, 102]]}], sweeps: 50}
colliders:
  - sphere: {radius: 0.25, restitution: 0.5, sliding: 0.25, static: 0.5}
method: velocity-verlet
dt: 0.0078125
steps: 400
report: 100
output: {file: frames.csv, every: 200}
checkpoint: {file: kept, every: 10}
END

# This scene has more particles of other ranks than rank 0 receives at once, frames of many chunks, and a checkpoint.
cat >many.yaml <<'END'
particles:
  random: {count: 90001, seed: 5, position: {box: {min: [-1, -1, -1], max: [1, 1, 1]}}, velocity: {point: [1, 0, 0]}, mass: {uniform: [1, 2]}}
forces:
  - spring: {k: 2, at: start}
method: velocity-verlet
dt: 0.01
steps: 4
output: {file: frames.h5, every: 2}
checkpoint: {file: kept, every: 4}
END
# These scenes read particles from a .npy file, a grid and a list, of which every rank after the first has none.
"$program" convert particles.csv particles.npy
cat >rows.yaml <<'END'
particles: {file: particles.npy}
forces: [centre: {mu: 1, at: [0, 0, -1], softening: 0.25}]
boundary: {absorbing: {min: [-9, -9, -0.5], max: [9, 9, 9]}}
method: rk4
dt: 0.01
steps: 200
output: {file: frames.h5, every: 100}
END
cat >grid.yaml <<'END'
particles:
  grid: {size: [50, 40, 2], along: [[0.1, 0, 0], [0, 0.1, 0], [0, 0, 0.1]], mass: 2, held: [[1, 2, 0], [49, 39, 1]], velocity: {normal: {mean: [0, 0, 0], sigma: 1}}, seed: 2}
forces: [spring: {k: 3}]
method: velocity-verlet
dt: 0.01
steps: 50
output: {file: frames.xyz, every: 25}
END
awk 'BEGIN {
    print "particles:\n  state:"
    for (i = 0; i < 1500; ++i) {
        printf "    - {x: [%d, 1, 0.5], v: [0, %d, 0], id: %d, mass: %d}\n", i % 7, i % 5, 3000 - i, 1 + i % 3
        list = list (i ? ", " : "") (1 + i % 11) / 4
    }
    print "forces: [spring: {k: {each: [" list "]}}]\nmethod: velocity-verlet\ndt: 0.01\nsteps: 20"
}' >list.yaml
# This scene has a periodic box, so its frames have image counts.
cat >box.yaml <<'END'
particles: {file: particles.csv}
forces: [spring: {k: {column: k}}]
boundary: {periodic: {min: [-0.5, 0, -0.25], max: [0.75, 0.5, 0.25]}}
method: velocity-verlet
dt: 0.01
steps: 3000
output: {file: frames.h5, times: [0.005, 9.995, 29.999]}
checkpoint: {file: kept, every: 100}
END
sed 's/frames.h5, times: .*/frames.csv, every: 1500}/' box.yaml >boxes.yaml
# These steps are too long for an implicit method, and one particle leaves the range of its numbers. Both are reported by their ids.
awk 'BEGIN {
    print "id,x,y,z,vx,vy,vz"
    for (i = 0; i < 4000; ++i) printf "%d,%g,0,0,%g,1,0\n", 7 * i, i < 3000 ? 1000 : 0.001, i == 3500 ? 1e308 : 0
}' >far.csv
cat >far.yaml <<'END'
particles: {file: far.csv}
forces: [centre: {mu: 1, at: [0, 0, 0]}]
method: implicit-midpoint
dt: 2
steps: 3
END

# on N FOLDER COMMAND... runs the program on N ranks, or as a process `alone`, in a folder.
on() {
    count=$1 folder=$2
    shift 2
    case $count in
    alone) (cd "$folder" && timeout 60 "$program" "$@") ;;
    *) (cd "$folder" && timeout 60 mpirun -n "$count" "$program" "$@") ;;
    esac
}
fresh() { rm -rf "$1" && mkdir "$1" && cp particles.* far.csv ./*.yaml "$1"; }

# equal FOLDER SCENE checks that the results and files in the folder are those of the process alone.
equal() {
    for folder in "alone.$2" "$1"; do
        sed -n '/^momentum\|^fingerprint\|^energy/p' "$folder/printed" >"$folder/results"
        [ ! -f "$folder/frames.h5" ] || "$program" convert "$folder/frames.h5" "$folder/dumped.csv"
    done
    for file in results end.csv frames.csv frames.xyz dumped.csv; do
        [ ! -f "alone.$2/$file" ] || cmp "alone.$2/$file" "$1/$file" || die "$2: $file of $1 is another than that of one process"
    done
}

# told N FOLDER writes into FOLDER/printed what a run of $scene prints, followed by its error messages without those of mpirun.
told() {
    on "$1" "$2" run $scene.yaml --out end.csv >"$2/printed" 2>"$2/complaints" || [ $scene = far ] || die "$scene on $1: $(cat "$2/complaints")"
    sed '/^---/,$d' "$2/complaints" >>"$2/printed"
}

# Each row is a scene and the numbers of ranks that it runs on. There are few, because a job takes a second to begin.
scenes() {
    for row in 'springs 1 2 3 5' 'bath 2 5' 'stars 2 3' 'many 3 5' 'rows 5' 'grid 3' 'list 2 5' 'box 3' 'boxes 2' 'far 2 5'; do
        scene=${row%% *}
        fresh alone.$scene
        told alone alone.$scene
        for n in ${row#* }; do
            fresh $n
            told $n $n
            equal $n $scene
            [ $scene != many ] || cmp -i 128 -n $((90001 * 80)) alone.many/kept $n/kept || die "$n ranks have written another checkpoint"
            diff alone.$scene/printed $n/printed | grep '^[<>]' | grep -v evaluations && die "$scene: $n ranks have printed something else"
        done
    done
    grep -q 'has not solved .* (id 2.*)' alone.far/printed && grep -q 'particle 3500 (id 24500) is not finite' alone.far/printed || die "expected ids, found $(cat alone.far/printed)"
    [ "$(wc -l <alone.springs/end.csv)" -eq 5501 ] && [ "$(wc -l <alone.bath/frames.csv)" -eq 25001 ] && [ -s alone.bath/results ] || die "files are cut"
}

# broken SCENE SIGNAL WHOM FROM TO TEXT sends the signal to the first or last rank (head, tail) of a job of FROM ranks when the second
# checkpoint is written. The job must print TEXT, and TO ranks resume it.
broken() {
    fresh broken
    (cd broken && exec timeout 60 mpirun -n "$4" "$program" run "$1.yaml" --out "$work/broken/end.csv" >printed 2>&1) &
    job=$!
    until [ -f broken/kept ]; do sleep 0.02; done
    first=$(cksum <broken/kept)
    until [ "$(cksum <broken/kept)" != "$first" ]; do sleep 0.02; done
    kill "-$2" "$(pgrep -f "^$program run .*$work/broken/end" | "$3" -n 1)" || die "the run was over before it was broken off"
    ! wait $job || die "a job ended well that was broken off"
    grep -q "$6" broken/printed || die "expected '$6', found $(cat broken/printed)"
    [ ! -f broken/end.csv ] || die "the run was over before it was broken off"
    on "$5" broken resume kept >broken/resumed
    mv broken/resumed broken/printed
    equal broken "$1"
}

broken_off() {
    for scene in springs bath stars boxes; do
        fresh alone.$scene
        told alone alone.$scene
    done
    broken springs KILL tail 3 2 'exited on signal 9'
    broken bath KILL tail 2 alone 'exited on signal 9'
    broken boxes KILL tail 3 2 'exited on signal 9'
    broken stars KILL tail 3 2 'exited on signal 9'
    broken stars INT head 2 alone 'stopped by SIGINT at step .*; to go on: kickdrift resume kept'
    broken bath INT head 3 5 'stopped by SIGINT at step .*; to go on: kickdrift resume kept'
}

# refused TEXT SCENE [OPTION] checks that two ranks refuse the scene with this text.
refused() {
    text=$1
    printf '%s\n' "$2" >wrong.yaml
    shift 2
    ! timeout 60 mpirun -n 2 "$program" run wrong.yaml "$@" >printed 2>&1 || die "two ranks step what they cannot: $text"
    grep -qF "$text" printed || die "expected '$text', found $(cat printed)"
}

limits() {
    # Each of three ranks has memory for its slice, and not for all particles.
    cat >large.yaml <<'END'
particles:
  random: {count: 3000000, seed: 5, position: {box: {min: [-1, -1, -1], max: [1, 1, 1]}}, velocity: {point: [1, 0, 0]}}
forces: [spring: {k: 2}]
method: velocity-verlet
dt: 0.01
steps: 1
output: {file: large.h5, every: 1}
checkpoint: {file: large.checkpoint, every: 1}
END
    limited() { timeout 120 "$@" sh -c "ulimit -d 160000; exec \"$program\" run large.yaml" >printed 2>&1; }
    ! limited env || die "3,000,000 particles in 160 MB: the limit is none"
    limited mpirun -n 3 || die "a rank of three needs more than its slice: $(cat printed)"
    rm -f large.*

    stars='particles: {state: [{x: [0, 0, 0], v: [0, 0, 0]}, {x: [1, 0, 0], v: [0, 1, 0]}]}
method: velocity-verlet
dt: 0.01
steps: 10'
    refused 'wrong.yaml:6: interactions: expected gravity too on several ranks: springs and rods are one process'"'"'s, on its threads (--threads)' "$stars
forces: []
interactions: [spring-lattice: {grid: [2], k: 1}]"
    refused 'wrong.yaml:6: distances: expected gravity too on several ranks' "$stars
forces: []
distances: {rods: [{grid: [2]}]}"
    refused 'wrong.yaml:6: watch: expected none on several ranks' "$stars
forces: [centre: {mu: 1}]
watch: [apsis: {at: [0, 0, 0]}]
events: {file: events.csv}"
    refused 'wrong.yaml:6: levels: expected none on several ranks where nothing acts between particles' "$stars
forces: [centre: {mu: 1}]
levels: {each: [1, 0]}"
    refused 'run: --error: expected one rank' "$stars
forces: []" --error
    refused 'wrong.yaml:5: ' "$stars
fources: []"
}

# Each rank steps a piece of a slice of a stream. The file must be that of one process, also when a rank was killed.
streams() {
    cat >cloud.yaml <<'END'
particles: {random: {count: 12000, seed: 3, position: {ball: {at: [0, 0, 0], radius: 1}}, velocity: {point: [0, 0.3, 0.1]}, mass: {uniform: [1, 2]}}}
forces: [spring: {k: 2}]
method: baoab
langevin: {friction: 0.5, temperature: 1, seed: 5}
dt: 0.001
steps: 2000
stream: {file: cloud.checkpoint, memory: 300 KB, observe: true}
END
    "$program" run cloud.yaml >alone.printed
    mv cloud.checkpoint alone.checkpoint
    for n in 2 5; do
        timeout 60 mpirun -n $n "$program" run cloud.yaml >printed
        diff alone.printed printed | grep '^[<>]' | grep -v evaluations && die "a stream on $n ranks has printed something else"
        cmp alone.checkpoint cloud.checkpoint || die "a stream on $n ranks has ended in another file"
        rm cloud.checkpoint
    done
    timeout 60 mpirun -n 3 "$program" run cloud.yaml --steps 15000 >printed 2>&1 &
    job=$!
    until [ -f cloud.checkpoint.part ]; do sleep 0.02; done
    sleep 0.3
    kill -9 "$(pgrep -f "^$program run cloud.yaml --steps 15000" | tail -n 1)" || die "the stream was over before it was broken off"
    ! wait $job || die "a stream ended well whose rank was killed"
    timeout 60 mpirun -n 2 "$program" run cloud.yaml --steps 15000 >printed
    mv cloud.checkpoint broken.checkpoint
    "$program" run cloud.yaml --steps 15000 >printed
    cmp cloud.checkpoint broken.checkpoint || die "a stream that was broken off has ended in another file"
    sed 's/baoab/velocity-verlet/; /langevin/d' cloud.yaml >verlet.yaml # This method carries a memory.
    rm cloud.checkpoint
    timeout 60 mpirun -n 3 "$program" run verlet.yaml >printed
    mv cloud.checkpoint ranks.checkpoint
    "$program" run verlet.yaml >printed
    cmp cloud.checkpoint ranks.checkpoint || die "a stream with a memory has ended in another file on 3 ranks"
}

"$part"
echo "ranks_run: $part: good"
