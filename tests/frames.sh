#!/bin/sh
# frames.sh PROGRAM HDF5 checks that files of frames can be converted from any kind to any other and keep every bit, and that wrong files
# are refused. h5py, NumPy and ASE, where they are installed, must find in the files what was written. HDF5 is 1 where the program has it;
# without it the test exits with 77, skipped.
set -eu
program=$1
[ "$2" = 1 ] || { echo "frames: built without HDF5, skipped"; exit 77; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
failures=0
fail() { echo "frames: $*" >&2; failures=$((failures + 1)); }

cat >scene.yaml <<'END'
particles: {random: {count: 500, seed: 3, position: {box: {min: [0, 0, 0], max: [1, 1, 1]}}, velocity: {normal: {mean: [0, 0, 0], sigma: 1}}, mass: {uniform: [1, 2]}}}
forces: [spring: {k: 2}]
boundary: {periodic: {min: [0, 0, 0], max: [2, 3, 4]}}
method: velocity-verlet
dt: 0.01
steps: 20
output: {file: run.csv, every: 5}
END
sed 's/run\.csv/run.h5/' scene.yaml >h5.yaml
sed 's/run\.csv/run.xyz/; s/^method/real: f32\nmethod/' scene.yaml >xyz.yaml
for scene in scene h5 xyz; do
    "$program" run $scene.yaml >$scene.log
done

# Every kind is made from every other. Images, which are the last three columns, are in CSV and H5MD alone.
head -n 1 run.csv | grep -q ',mass,ix,iy,iz$' || fail "no images in the frames of a periodic box"
cut -d, -f1-10 run.csv >plain.csv
cp plain.csv a.csv
for pair in csv:h5 h5:xyz xyz:npy npy:csv csv:npy npy:h5 h5:csv csv:xyz xyz:h5 h5:npy npy:xyz xyz:csv; do
    from=${pair%:*} to=${pair#*:}
    "$program" convert "a.$from" "b.$to" || fail "$from to $to"
    mv "b.$to" "a.$to"
    [ "$to" != csv ] || cmp -s plain.csv a.csv || fail "$from to $to: other bits"
done
"$program" convert run.h5 own.csv && cmp -s run.csv own.csv || fail "run to .h5: other bits than run to .csv"
"$program" convert run.csv images.h5 && "$program" convert images.h5 images.csv && cmp -s run.csv images.csv || fail "run to .csv, .h5 and .csv: other bits"
"$program" run xyz.yaml >/dev/null
"$program" convert run.xyz narrow.csv
[ "$(wc -l <narrow.csv)" -eq 2501 ] || fail "run to .xyz: $(wc -l <narrow.csv) lines"

# refused TEXT ARGUMENTS... checks that the command ends with status 2 and one line with the text, and writes nothing.
refused() {
    text=$1
    shift
    status=0
    "$program" "$@" >out 2>err || status=$?
    if [ $status -ne 2 ] || ! grep -qF -- "$text" err || [ "$(wc -l <err)" -ne 1 ] || [ -e new.h5 ] || [ -e new.csv ]; then
        fail "$*: status $status, $(cat err), expected $text"
    fi
}
printf 'x,y,z\n1,2,3\n' >short.csv
printf '2\n\nX 1 2 3\n' >cut.xyz
printf '1\n\nX 1 two 3\n' >words.xyz
head -c 3000 a.npy >cut.npy
head -c 30000 run.h5 >cut.h5
printf 'step,x,y,z,vx,vy,vz\n0,1,1,1,1,1,1\n0,1,1,1,1,1,1\n1,1,1,1,1,1,1\n' >fewer.csv
printf 'x,y,z,vx,vy,vz\n' >none.csv
refused 'short.csv:1: no column vx' convert short.csv new.h5
refused 'cut.xyz:4: the file ends within a frame' convert cut.xyz new.csv
refused 'words.xyz:3: expected a number' convert words.xyz new.csv
refused 'cut.npy: the file ends within row 34' convert cut.npy new.csv
refused 'cut.h5: HDF5 does not open it' convert cut.h5 new.csv
refused 'expected 2 particles on 3 axes, got 1' convert fewer.csv new.h5
refused 'none.csv: no frames' convert none.csv new.h5
refused 'nowhere.csv' convert nowhere.csv new.h5
refused 'unknown option "-group"; did you mean --group' convert -group all run.h5 new.csv
refused 'convert: -: expected a file' convert run.csv -
refused 'expected another file' convert run.csv run.csv
ln -s run.csv link.csv
refused 'expected another file' convert run.csv link.csv
refused 'no kind of file ends with .hdf5' convert run.csv new.hdf5
# Without room on the disk the program gives the reason, and leaves no file, and no temporary file either.
(ulimit -f 64; trap '' XFSZ; refused 'File too large' convert run.csv new.h5; exit $failures) || fail "no room"
refused '/dev/null' convert run.csv /dev/null/new.h5
sed 's/run\.csv/run.npy/' scene.yaml >npy.yaml
refused 'expected .csv, .h5 or .xyz' run npy.yaml
rm -f err out
# shellcheck disable=SC2012 # The names have no blanks.
[ "$(ls | grep -c -e '\.part' -e '\.journal')" -eq 0 ] || fail "left behind: $(ls)"

for python in python3 /usr/bin/python3 none; do
    ! "$python" -c 'import h5py, numpy' 2>/dev/null || break
done
if [ "$python" = none ]; then
    echo "frames: no h5py, its look is skipped"
else
    "$python" -W error - "$(sed -n 's/^fingerprint *//p' h5.log)" <<'END' || fail "h5py found something else"
import h5py, numpy, sys
rows = numpy.genfromtxt("run.csv", delimiter=",", names=True)
with h5py.File("run.h5", "r") as file:
    all_ = file["particles/all"]
    assert list(file["h5md"].attrs["version"]) == [1, 1] and file["h5md/creator"].attrs["name"] == b"kickdrift"
    assert list(all_["position/step"]) == [0, 5, 10, 15, 20] and all_["velocity/step"] == all_["position/step"]
    assert numpy.array_equal(all_["position/time"], rows["t"][::500])
    for name, columns in ("position", "xyz"), ("velocity", ("vx", "vy", "vz")):
        value = all_[name]["value"]
        assert value.shape == (5, 500, 3) and value.shuffle and value.compression == "gzip" and value.dtype == numpy.float64
        for axis in range(3):
            assert numpy.array_equal(value[:, :, axis].ravel(), rows[columns[axis]])
    image = all_["image"]
    assert image["step"] == all_["position/step"] and image["time"] == all_["position/time"] and image["value"].dtype == numpy.int32
    for axis in range(3):
        assert numpy.array_equal(image["value"][:, :, axis].ravel(), rows["i" + "xyz"[axis]])
    assert image["value"][4].any() and not image["value"][0].any()
    assert list(all_["box"].attrs["boundary"]) == [b"periodic"] * 3 and numpy.array_equal(all_["box/edges/value"], [numpy.diag([2, 3, 4])] * 5)
    assert numpy.array_equal(all_["mass"], rows["mass"][:500])
    assert file["observables/energy/value"].shape == (5,) and numpy.ptp(file["observables/energy/value"][:]) < 1e9
    notes = file["parameters/kickdrift"].attrs
    with open("h5.yaml", "rb") as scene:
        assert notes["scene"] == scene.read() and notes["fingerprint"] == sys.argv[1].encode() and notes["library"], dict(notes)
structured = numpy.load("a.npy")
for name in rows.dtype.names[:10]:
    assert numpy.array_equal(structured[name], rows[name]), name
try:
    import ase.io
except ImportError:
    print("frames: no ASE, its look is skipped")
else:
    frames = ase.io.read("a.xyz", ":")
    assert len(frames) == 5 and frames[3].info["Step"] == 15
    assert numpy.array_equal(frames[3].positions[:, 2], rows["z"][1500:2000]) and numpy.array_equal(frames[3].arrays["velo"][:, 0], rows["vx"][1500:2000])
END
fi
echo "frames: $failures failures"
[ $failures -eq 0 ]
