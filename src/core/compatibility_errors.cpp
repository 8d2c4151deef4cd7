// SPDX-License-Identifier: GPL-3.0-or-later
// The messages that people paste, as their programs print them. A new one is one row here and, in
// explanation_*.cpp, the rule that answers it.
#include "core/compatibility_data.hpp"

namespace cudapin::tables {

namespace {

// `*` stands for the shortest text on the same line, at the end of a pattern for one word; a blank for any
// white space; `^` for the beginning of a line. Several patterns of one row are parted by line ends.
constexpr KnownError known_error_rows[] = {
    {"nvcc_unsupported_arch", "nvcc", "nvcc fatal : Unsupported gpu architecture '*'"},
    {"nvcc_arch_value", "nvcc",
     "nvcc fatal : Value '*' is not defined for option 'gpu-\n"
     "nvcc fatal : Unknown option '--arch=*'"},
    {"ptxas_arch_value", "ptxas", "ptxas fatal : Value '*' is not defined for option 'gpu-name'"},
    {"nvcc_deprecated_arch", "nvcc", "nvcc warning : The * architectures are deprecated"},
    {"nvcc_deprecated_offline", "nvcc",
     "Support for offline compilation for architectures prior to '<compute/sm/lto>_*'"},
    {"gcc_too_new", "nvcc", "unsupported GNU version! gcc versions later than * are not supported"},
    {"clang_too_new", "nvcc", "unsupported clang version! clang version must be less than *"},
    {"glibc_math_noexcept", "nvcc",
     "exception specification is incompatible with that of previous function \"*\""},
    {"glibc_math_noexcept_clang", "clang (cuda)",
     "exception specification in declaration does not match previous declaration"},
    {"libstdcxx_parameter_packs", "nvcc", "parameter packs not expanded with"},
    {"glibc_malloc_attr", "nvcc", "attribute \"malloc\" does not take arguments"},
    {"cmake_compiler_id", "CMake",
     "Compiling the CUDA compiler identification source file \"CMakeCUDACompilerId.cu\" failed"},
    {"runfile_gcc", "CUDA runfile", "Failed to verify gcc version"},
    {"nvml_mismatch", "nvidia-smi", "Failed to initialize NVML: Driver/library version mismatch"},
    {"smi_no_driver", "nvidia-smi",
     "NVIDIA-SMI has failed because it couldn't communicate with the NVIDIA driver"},
    {"smi_no_devices", "nvidia-smi", "^No devices were found"},
    {"modprobe_missing", "modprobe", "modprobe: FATAL: Module nvidia not found in directory *"},
    {"dkms_bad_exit", "dkms", "Error! Bad return status for module build on kernel: *"},
    {"nvrm_api_mismatch_new", "kernel log", "NVRM: API mismatch: the client '*'"},
    {"nvrm_api_mismatch_old", "kernel log", "NVRM: API mismatch: the client has the version"},
    {"nvrm_not_open", "kernel log", "does not include the required GPU"},
    {"nvrm_not_supported", "kernel log", "NVRM: installed in this system is not supported by the *"},
    {"nvrm_requires_open", "kernel log", "requires use of the NVIDIA open kernel modules"},
    {"nvrm_legacy", "kernel log", "supported through the NVIDIA *.xx Legacy"},
    {"nvrm_bus", "kernel log", "GPU has fallen off the bus"},
    {"cuda_35", "CUDA runtime", "CUDA driver version is insufficient for CUDA runtime version"},
    {"cuda_209", "CUDA runtime", "no kernel image is available for execution on the device"},
    {"cuda_222", "CUDA runtime",
     "the provided PTX was compiled with an unsupported toolchain\n"
     "CUDA_ERROR_UNSUPPORTED_PTX_VERSION"},
    {"cuda_804", "CUDA runtime", "forward compatibility was attempted on non supported HW"},
    {"cuda_803", "CUDA runtime", "system has unsupported display driver / cuda driver combination"},
    {"cuda_802", "CUDA runtime", "system not yet initialized"},
    {"cuda_100", "CUDA runtime", "no CUDA-capable device is detected"},
    {"cuda_98", "CUDA runtime", "invalid device function"},
    {"cuda_200", "CUDA runtime", "device kernel image is invalid"},
    {"cuda_999", "CUDA runtime", "CUDA*unknown error"},
    {"torch_cc_list", "PyTorch", "Found GPU* which is of compute capability (CC) *."},
    {"torch_sm_incompatible", "PyTorch",
     "with CUDA capability sm_* is not compatible with the current PyTorch installation"},
    {"torch_requires_cuda", "PyTorch", "which requires CUDA_VERSION >= *"},
    {"torch_old_driver", "PyTorch", "The NVIDIA driver on your system is too old (found version *)"},
    {"torch_no_driver", "PyTorch", "Found no NVIDIA driver on your system"},
    {"torch_cpu_wheel", "PyTorch", "Torch not compiled with CUDA enabled"},
    {"torch_ext_mismatch", "torch.utils.cpp_extension",
     "The detected CUDA version (*) mismatches the version that was used to compile PyTorch (*)\n"
     "The detected CUDA version (*) mismatches the version that was used to compile"},
    {"apex_mismatch", "apex setup.py",
     "Cuda extensions are being compiled with a version of Cuda that does not match the version used to "
     "compile Pytorch binaries. Pytorch binaries were compiled with Cuda *\n"
     "Cuda extensions are being compiled with a version of Cuda that does not match the version used to "
     "compile Pytorch binaries"},
    {"apex_no_nvcc", "apex setup.py", "was requested, but nvcc was not found"},
    {"tf_dlopen_cudnn", "TensorFlow", "Could not load dynamic library '*.so.*'"},
    {"tf_cudnn_runtime", "TensorFlow", "Loaded runtime CuDNN library: * but source was compiled with: *"},
    {"tf_dlopen_gpu", "TensorFlow", "Cannot dlopen some GPU libraries"},
    {"loader_cudart", "ld.so",
     "libcudart.so.*: cannot open shared object file\n"
     "libcublas.so.*: cannot open shared object file\n"
     "libcublasLt.so.*: cannot open shared object file\n"
     "libcufft.so.*: cannot open shared object file\n"
     "libcurand.so.*: cannot open shared object file\n"
     "libcusolver.so.*: cannot open shared object file\n"
     "libcusparse.so.*: cannot open shared object file\n"
     "libnvrtc.so.*: cannot open shared object file\n"
     "libcudnn.so.*: cannot open shared object file"},
    {"cudnn_arch", "cuDNN",
     "CUDNN_STATUS_ARCH_MISMATCH\n"
     "CUDNN_STATUS_NOT_SUPPORTED_ARCH_MISMATCH"},
    {"cudnn_version", "cuDNN",
     "CUDNN_STATUS_VERSION_MISMATCH\n"
     "CUDNN_STATUS_SUBLIBRARY_VERSION_MISMATCH"},
    {"cudnn_init", "cuDNN", "CUDNN_STATUS_NOT_INITIALIZED"},
};

}  // namespace

std::span<const KnownError> known_errors() { return known_error_rows; }

}  // namespace cudapin::tables
