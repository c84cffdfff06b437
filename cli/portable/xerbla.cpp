// LAPACK calls this when an argument is wrong, which CoinUtils learns from its return value.
// LAPACK's own version prints and ends the program, and needs all of Fortran's runtime library for
// that.
extern "C" void xerbla_(const char* /*routine*/, const int* /*argument*/,
                        unsigned long /*length*/) {}
