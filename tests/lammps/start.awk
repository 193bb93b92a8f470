# LAMMPS' data of side^dimension atoms of two masses, `edge` apart on a lattice, in a periodic box: IDs and places that depend on no number of ranks.
BEGIN {
    high = dimension == 3 ? side : 1
    print "start\n\n" side * side * high " atoms\n2 atom types\n"
    low = dimension == 3 ? 0 : -0.5
    print "0 " side * edge " xlo xhi\n0 " side * edge " ylo yhi\n" low " " (dimension == 3 ? side * edge : 0.5) " zlo zhi\n"
    print "Masses\n\n1 1.0\n2 3.0\n\nAtoms # atomic\n"
    for (k = 0; k < high; ++k) {
        for (j = 0; j < side; ++j) {
            for (i = 0; i < side; ++i) {
                ++id
                print id, id % 3 ? 1 : 2, (i + 0.5) * edge, (j + 0.5) * edge, dimension == 3 ? (k + 0.5) * edge : 0
            }
        }
    }
}
