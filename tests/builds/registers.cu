extern "C" __global__ void __launch_bounds__(256, 1) sets(float* p) {
  if (threadIdx.x < 128) {
    asm volatile("setmaxnreg.dec.sync.aligned.u32 64;");
    p[threadIdx.x] = 1.0f;
  } else {
    asm volatile("setmaxnreg.inc.sync.aligned.u32 232;");
    p[threadIdx.x] = 2.0f;
  }
}

extern "C" __global__ void __launch_bounds__(256, 1) keeps(float* p) { p[threadIdx.x] = 3.0f; }
