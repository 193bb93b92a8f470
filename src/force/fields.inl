/* Includes each named field, followed by KDR_FIELD_BODY, which the unit defines. */
#include <kickdrift/custom_field.h>

#include "fields.h"

#include "fields/vectors.h"

#define KDR_FIELD_NAMED

#define KDR_FIELD yukawa
#include "fields/named.inl"

#define KDR_FIELD logarithmic_halo
#include "fields/named.inl"

#define KDR_FIELD nfw
#include "fields/named.inl"

#define KDR_FIELD miyamoto_nagai
#include "fields/named.inl"

#define KDR_FIELD oblate_planet
#include "fields/named.inl"

#define KDR_FIELD rotating_frame
#include "fields/named.inl"

#define KDR_FIELD orbiting_centre
#include "fields/named.inl"

#define KDR_FIELD lennard_jones_wall
#include "fields/named.inl"

#define KDR_FIELD vortex
#include "fields/named.inl"

#define KDR_FIELD grid_acceleration
#include "fields/named.inl"

#define KDR_FIELD grid_wind
#include "fields/named.inl"

#define KDR_FIELD grid_electromagnetic
#include "fields/named.inl"

#define KDR_FIELD table_centre
#include "fields/named.inl"

#define KDR_FIELD curl_noise
#include "fields/named.inl"
