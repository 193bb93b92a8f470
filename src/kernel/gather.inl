/* Loads of the elements of an array, at any address, that 32-bit indices below 2^31 name. Apart from ops_*.h, which every unit includes:
 * forces between particles alone need them. */
#if !defined(SCALAR_UNIT) && defined(__AVX512F__)
INLINE vr v_gather(const void *p, const uint32_t *index) {
#ifdef KDR_UNIT_F32
    return _mm512_i32gather_ps(_mm512_loadu_si512(index), p, 4);
#else
    return _mm512_i32gather_pd(_mm256_loadu_si256((const __m256i *)(const void *)index), p, 8);
#endif
}
_Static_assert(LANES * sizeof(real) == 64, "of this unit");
#elif !defined(SCALAR_UNIT) && defined(__AVX2__)
INLINE vr v_gather(const void *p, const uint32_t *index) {
#ifdef KDR_UNIT_F32
    return _mm256_i32gather_ps((const float *)p, _mm256_loadu_si256((const __m256i *)(const void *)index), 4);
#else
    return _mm256_i32gather_pd((const double *)p, _mm_loadu_si128((const __m128i *)(const void *)index), 8);
#endif
}
_Static_assert(LANES * sizeof(real) == 32, "of this unit");
#else
INLINE vr v_gather(const void *p, const uint32_t *index) {
    real lane[LANES];
    for (int i = 0; i < LANES; ++i) {
        memcpy(&lane[i], (const char *)p + index[i] * sizeof(real), sizeof(real));
    }
    return v_load(lane);
}
#endif
