# Writes the particles of docs/images/galaxies.yaml: two galaxies on a parabola, each a massive centre with rings of stars that weigh nothing.
function disc(x, y, vx, vy, spin,    ring, star, radius, angle, speed) {
    for (ring = 1; ring <= 12; ring++)
        for (star = 0; star < 5 * ring; star++) {
            radius = 0.08 * ring
            angle = 2 * pi * star / (5 * ring) + ring
            speed = spin * radius / (radius^2 + softening^2)^0.75
            printf "%.6f,%.6f,0,%.6f,%.6f,0,0\n", x + radius * cos(angle), y + radius * sin(angle), vx - speed * sin(angle), vy + speed * cos(angle)
        }
}
BEGIN {
    pi = 3.14159265358979; softening = 0.1
    nearest = 0.9; distance = 5                        # of the centres; the sum of their mu is 2
    p = 2 * nearest; c = p / distance - 1; s = -sqrt(1 - c^2)
    x = distance * c / 2; y = distance * s / 2
    vx = -sqrt(2 / p) * s / 2; vy = sqrt(2 / p) * (1 + c) / 2
    print "x,y,z,vx,vy,vz,mu"
    printf "%.6f,%.6f,0,%.6f,%.6f,0,1\n", x, y, vx, vy
    printf "%.6f,%.6f,0,%.6f,%.6f,0,1\n", -x, -y, -vx, -vy
    disc(x, y, vx, vy, 1)
    disc(-x, -y, -vx, -vy, -1)
}
