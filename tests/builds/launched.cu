// Kernels whose launch is compiled in, one way each.
extern "C" __global__ void __launch_bounds__(384, 1) bounded(float* p) {
  extern __shared__ float s[];
  s[threadIdx.x] = p[threadIdx.x];
  __syncthreads();
  p[threadIdx.x] = s[(threadIdx.x + 1) % 384];
}
extern "C" __global__ void __cluster_dims__(2, 1, 1) __launch_bounds__(256, 2) clustered(float* p) {
  __shared__ float s[256];
  s[threadIdx.x] = p[threadIdx.x];
  __syncthreads();
  p[threadIdx.x] = s[(threadIdx.x + 1) % 256];
}
extern "C" __global__ void __block_size__((128, 1, 1), (2, 1, 1)) sized(float* p) {
  p[threadIdx.x] += 1;
}
extern "C" __global__ void __maxnreg__(40) capped(float* p) { p[threadIdx.x] += 1; }
