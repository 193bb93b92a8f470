/* This file compresses numbers: it shuffles them as HDF5 does, and deflates them, without searching noise.
 *
 * The first bytes of numbers, with sign and exponent, are alike; the last bytes of a double are noise, on which deflate would spend its
 * time in vain. A deflate stream may change its method on the way. Bytes of one place in the number are stored if their entropy is above
 * 7.5 bits, get Huffman codes if it is above 1, and are searched for repetitions otherwise. */
#include "trajectory.h"

#include <math.h>
#include <string.h>
#include <zlib.h>

size_t kdr_planes_room(size_t size) { return compressBound((uLong)size) + size / 8 + 1024; }

static void shuffle(const unsigned char *numbers, size_t size, size_t count, unsigned char *shuffled) {
    for (size_t place = 0; place < size; ++place) {
        for (size_t i = 0; i < count; ++i) {
            shuffled[place * count + i] = numbers[i * size + place];
        }
    }
}

/* Returns the entropy of a sample of the bytes, in bits per byte. */
static double entropy(const unsigned char *bytes, size_t count) {
    enum { SAMPLE = 4096 };
    unsigned histogram[256] = {0};
    const size_t taken = count < SAMPLE ? count : SAMPLE;
    double bits = 0;
    for (size_t i = 0; i < taken; ++i) {
        ++histogram[bytes[i * (count / taken)]];
    }
    for (int value = 0; value < 256; ++value) {
        const double share = (double)histogram[value] / (double)taken;
        bits -= share > 0 ? share * log2(share) : 0;
    }
    return bits;
}

size_t kdr_planes_pack(const unsigned char *numbers, size_t size, size_t count, int deflate_level, unsigned char *shuffled,
                       unsigned char *packed, size_t room) {
    z_stream stream = {.next_out = packed, .avail_out = (uInt)room};
    shuffle(numbers, size, count, shuffled);
    if (deflateInit(&stream, deflate_level) != Z_OK) {
        return 0;
    }
    bool good = true;
    for (size_t place = 0; good && place < size; ++place) {
        const unsigned char *const plane = shuffled + place * count;
        const double bits = entropy(plane, count);
        good = deflateParams(&stream, bits < 7.5 ? deflate_level : 0, bits < 1 ? Z_DEFAULT_STRATEGY : Z_HUFFMAN_ONLY) == Z_OK;
        stream.next_in = (Bytef *)(uintptr_t)plane;
        stream.avail_in = (uInt)count;
        good = good && deflate(&stream, place + 1 < size ? Z_NO_FLUSH : Z_FINISH) == (place + 1 < size ? Z_OK : Z_STREAM_END);
    }
    const size_t made = good ? room - stream.avail_out : 0;
    deflateEnd(&stream);
    return made;
}
