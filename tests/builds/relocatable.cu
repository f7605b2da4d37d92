// A kernel and a function of it, compiled with -rdc=true: nobody has laid out its memory yet.
__device__ __noinline__ float twice(float* p) { return 2 * *p; }
extern "C" __global__ void __launch_bounds__(256) unlinked(float* p) {
  __shared__ float s[256];
  s[threadIdx.x] = p[threadIdx.x];
  __syncthreads();
  p[threadIdx.x] = twice(s + 255 - threadIdx.x);
}
