/* Included by the compiler before every file of Eddy (see eddy_flags): what the whole tree rests on. */
#ifndef EDDY_GUARD_H
#define EDDY_GUARD_H

/* Frames must come out the same with every compiler and at every level of optimisation. */
#if defined(__FAST_MATH__) || (defined(__FINITE_MATH_ONLY__) && __FINITE_MATH_ONLY__ > 0)
#error "Eddy must not be compiled with -ffast-math or -Ofast: recorded frames would not be reproducible"
#endif

/* Structs are hashed and written as they lie in memory. */
#if !defined(__BYTE_ORDER__) || __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
#error "Eddy needs a little-endian machine"
#endif

#endif
