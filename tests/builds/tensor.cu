// Kernels that allocate tensor memory: by a number, by a register that holds one, and not clearly.
#include <cstdint>
#define ALLOCATE(how, columns)                                                        \
  asm volatile("tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [%0], %1;" :: \
                   "r"((uint32_t)__cvta_generic_to_shared(&s)), how(columns))
extern "C" __global__ void __launch_bounds__(128, 1, 4) fixed(uint32_t* p) {
  __shared__ uint32_t s;
  ALLOCATE("n", 128);
  p[0] = s;
}
extern "C" __global__ void __launch_bounds__(128) held(uint32_t* p) {
  __shared__ uint32_t s;
  ALLOCATE("r", 256);
  p[0] = s;
}
extern "C" __global__ void __launch_bounds__(128) chosen(uint32_t* p, int n) {
  __shared__ uint32_t s;
  ALLOCATE("r", n ? 64 : 128);
  p[0] = s;
}
